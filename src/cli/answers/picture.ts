// All that answers are made from, as it was at one time: pods, what nodes say of them, and the objects as they are. Plain data: from lists
// (read-picture.ts) or from watches (live-picture.ts).

import type { ConfigKind } from "../../api/config/pod-uses.ts";
import type {
  ConfigRevision,
  ConfigView,
  Node,
  ObjectMeta,
  Pod,
  PodSpec,
} from "../../api/types.ts";

export interface ConfigReference {
  readonly kind: ConfigKind;
  readonly namespace: string;
  readonly name: string;
}

/** Something that makes pods from a template. */
export interface Workload {
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly replicas?: number | null | undefined;
    readonly paused?: boolean | undefined;
    readonly updateStrategy?: { readonly type?: string | undefined } | undefined;
    readonly template: {
      readonly metadata?: ObjectMeta | undefined;
      readonly spec?: PodSpec | undefined;
    };
  };
  readonly status?: WorkloadStatus | undefined;
}

interface WorkloadStatus {
  readonly observedGeneration?: number | undefined;
  readonly replicas?: number | undefined;
  readonly updatedReplicas?: number | undefined;
  readonly desiredNumberScheduled?: number | undefined;
  readonly currentNumberScheduled?: number | undefined;
  readonly updatedNumberScheduled?: number | undefined;
}

export interface Picture {
  readonly pods: readonly Pod[];
  readonly views: readonly ConfigView[];
  /** Undefined: they may not be read. */
  readonly nodes: readonly Node[] | undefined;
  /** For the way from a pod to its Deployment. */
  readonly replicaSets: readonly { readonly metadata: ObjectMeta }[];
  readonly workloads: readonly Workload[];
  /** The version of an object now; "gone" if there is none; undefined if it may not be read. */
  versionNow(of: ConfigReference): string | undefined;
  /** Newest first. Empty if there are none, or they may not be read. */
  revisionsOf(of: ConfigReference): readonly ConfigRevision[];
  /** What could not be looked at, as sentences. */
  readonly notes: readonly string[];
}

/** "configmap/app" */
export function referenceText({ kind, name }: Pick<ConfigReference, "kind" | "name">): string {
  return `${kind.toLowerCase()}/${name}`;
}

export function referenceKey({ kind, namespace, name }: ConfigReference): string {
  return `${kind}/${namespace}/${name}`;
}
