// What can be restarted: Deployments, DaemonSets and StatefulSets, by a change of their pod template. Bare pods are told that nobody restarts them.

import type { ApiObject } from "../../api/object.ts";
import type { PodSpec } from "../../api/types.ts";
import type { ResourceKind } from "../../client/resource-path.ts";
import { DAEMON_SET } from "../daemon-set/daemon-set-object.ts";
import { DEPLOYMENT } from "../deployment/deployment-objects.ts";
import { POD, type PodObject, servedKind } from "../pods/pod-object.ts";

export const STATEFUL_SET: ResourceKind = servedKind("apps/v1", "StatefulSet");
/** The kinds with a pod template. */
export const WORKLOADS: readonly ResourceKind[] = [DEPLOYMENT, DAEMON_SET, STATEFUL_SET];

/** As far as all kinds of workloads are alike. */
export interface WorkloadObject extends ApiObject {
  readonly spec: {
    readonly paused?: boolean;
    readonly template: {
      readonly metadata?: { readonly annotations?: Record<string, string> };
      readonly spec: PodSpec;
    };
  } & ApiObject["spec"];
  readonly status?: { readonly observedGeneration?: number } & ApiObject["status"];
}

export interface ReloadTarget {
  readonly kind: ResourceKind;
  readonly object: ApiObject;
  readonly annotations: Readonly<Record<string, string>>;
  /** Of the template; none for bare pods, whose own are `annotations`. */
  readonly podAnnotations: Readonly<Record<string, string>>;
  readonly podSpec: PodSpec;
}

export function workloadTarget(kind: ResourceKind, object: WorkloadObject): ReloadTarget {
  const { template } = object.spec;
  return {
    kind,
    object,
    annotations: object.metadata.annotations ?? {},
    podAnnotations: template.metadata?.annotations ?? {},
    podSpec: template.spec,
  };
}

export function podTarget(pod: PodObject): ReloadTarget {
  const { annotations } = pod.metadata;
  return {
    kind: POD,
    object: pod,
    annotations: annotations ?? {},
    podAnnotations: {},
    podSpec: pod.spec,
  };
}

/** What queues call it; those of one namespace take turns with those of others. */
export function targetKey({ kind }: ResourceKind, { metadata }: ApiObject): string {
  return `${metadata.namespace ?? ""}/${kind}/${metadata.name ?? ""}`;
}

export function parseTargetKey(key: string): { readonly kind: string; readonly key: string } {
  const [namespace = "", kind = "", name = ""] = key.split("/");
  return { kind, key: `${namespace}/${name}` };
}
