// The pods in a subject: a Pod's own spec, or the template of a workload, with the path to it.

import { type PodUse, podUses } from "../api/config/pod-uses.ts";
import { isJsonObject, type JsonValue } from "../api/json.ts";
import type { ObjectMeta, PodSpec } from "../api/types.ts";
import type { FieldPath } from "./finding.ts";
import { annotationsOf, type Subject } from "./subject.ts";

export interface PodSubject {
  readonly subject: Subject;
  readonly spec: PodSpec;
  /** Of the pod (its metadata and spec) in the subject's object: [] or ["spec", "template"] … */
  readonly path: FieldPath;
  readonly uses: readonly PodUse[];
  /** The workload's own; none for bare pods. */
  readonly workloadAnnotations: Readonly<Record<string, string>>;
  readonly podAnnotations: Readonly<Record<string, string>>;
  /** It runs to its end, and the next run begins with what there is then. */
  readonly isShortLived: boolean;
  /** A reload rule can restart it: others are not touched. */
  readonly canRestart: boolean;
}

const RESTARTED: ReadonlySet<string> = new Set(["Deployment", "StatefulSet", "DaemonSet"]);

/** Undefined if there are none in it. */
export function podSubject(subject: Subject): PodSubject | undefined {
  const { kind, object } = subject;
  if (kind === "ConfigMap" || kind === "Secret") return undefined;
  const path = pathOfPod(kind);
  const pod = path.reduce<JsonValue | undefined>(
    (value, step) => (isJsonObject(value) ? value[step] : undefined),
    object,
  );
  if (!isJsonObject(pod) || !isJsonObject(pod["spec"])) return undefined;
  const spec = pod["spec"] as PodSpec;
  const isPod = kind === "Pod";
  return {
    ...{ subject, spec, path, uses: podUses(spec).filter(isOwn) },
    workloadAnnotations: isPod ? {} : annotationsOf(subject.metadata),
    podAnnotations: annotationsOf((pod["metadata"] ?? {}) as ObjectMeta),
    isShortLived: kind === "Job" || kind === "CronJob" || isOneShot(isPod, spec),
    canRestart: RESTARTED.has(kind),
  };
}

/** Not the token and certificate that every pod is given. */
function isOwn({ volume }: PodUse): boolean {
  return !/^kube-api-access-\w{5}$/.test(volume);
}

function pathOfPod(kind: string): readonly string[] {
  if (kind === "Pod") return [];
  if (kind === "PodTemplate") return ["template"];
  return kind === "CronJob" ? ["spec", "jobTemplate", "spec", "template"] : ["spec", "template"];
}

function isOneShot(isPod: boolean, { restartPolicy }: PodSpec): boolean {
  return isPod && (restartPolicy === "Never" || restartPolicy === "OnFailure");
}

/** "spec.containers[0]" of a pod, as a path in the subject. */
export function containerPath({ path }: Pick<PodSubject, "path">, text: string): FieldPath {
  const steps = [...text.matchAll(/([A-Za-z]+)|\[(\d+)\]/g)].map(([, name, index]) =>
    name === undefined ? Number(index) : name,
  );
  return [...path, ...steps];
}
