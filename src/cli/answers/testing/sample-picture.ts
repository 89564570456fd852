// Small clusters for tests: a Deployment "api" with pods that use configmap/app by volume and by environment, as its node reports it.

import type {
  ConfigRevision,
  ConfigUse,
  ConfigView,
  Node,
  ObjectMeta,
  Pod,
  PodSpec,
} from "../../../api/types.ts";
import type { Picture, Workload } from "../picture.ts";

/** Of what is called "one" and "two" in tests. */
export const ONE: string = "1".repeat(64);
export const TWO: string = "2".repeat(64);

export const NOW_MS: number = Date.parse("2026-11-16T12:05:00Z");
export const COMMITTED = "2026-11-16T12:00:00.000000Z";

/** So long after the commit. */
export function after(ms: number): string {
  const micros = Math.round(ms * 1000);
  const seconds = new Date(Date.parse(COMMITTED) + Math.floor(micros / 1e6) * 1000).toISOString();
  const fraction = String(((micros % 1e6) + 1e6) % 1e6).padStart(6, "0");
  return `${seconds.slice(0, 19)}.${fraction}Z`;
}

export const podSpec: PodSpec = {
  nodeName: "n1",
  volumes: [{ name: "config", configMap: { name: "app" } }],
  containers: [
    {
      name: "web",
      volumeMounts: [{ name: "config", mountPath: "/etc/config" }],
      env: [{ name: "LEVEL", valueFrom: { configMapKeyRef: { name: "app", key: "log.level" } } }],
    },
  ],
} as unknown as PodSpec;

export function pod(
  name: string,
  more: { spec?: PodSpec; metadata?: Partial<ObjectMeta> } = {},
): Pod {
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "api-1", uid: "rs1" };
  return {
    metadata: {
      namespace: "default",
      name,
      uid: name,
      creationTimestamp: "2026-11-16T11:00:00Z",
      ownerReferences: [{ ...owner, controller: true }],
      ...more.metadata,
    },
    spec: more.spec ?? podSpec,
    status: { phase: "Running" },
  } as Pod;
}

export const replicaSet: { readonly metadata: ObjectMeta } = {
  metadata: {
    namespace: "default",
    name: "api-1",
    uid: "rs1",
    ownerReferences: [
      { apiVersion: "apps/v1", kind: "Deployment", name: "api", uid: "d1", controller: true },
    ],
  },
};

export function use(how: "volume" | "env", fields: Partial<ConfigUse> = {}): ConfigUse {
  return {
    kind: "ConfigMap",
    name: "app",
    how,
    container: "web",
    mountPath: how === "volume" ? "/etc/config" : "",
    ...(how === "env" && { keys: ["log.level"] }),
    wanted: { hash: TWO },
    onDisk: { hash: TWO, at: after(12) },
    ...fields,
  };
}

export const frozenEnv: ConfigUse = use("env", {
  onDisk: { hash: ONE, at: "2026-11-16T11:00:01.000000Z" },
  applied: { hash: ONE, at: "2026-11-16T11:00:01.000000Z" },
  confirmedBy: "Start",
  drift: {
    reason: "EnvFrozen",
    message:
      "the container was started with another content: restart it, or annotate its workload with driftless.dev/reload: auto",
  },
});

export function view(name: string, uses: ConfigUse[]): ConfigView {
  return { metadata: { namespace: "default", name }, pod: { name, uid: name }, node: "n1", uses };
}

export function node(name: string, ready: "True" | "False" = "True"): Node {
  return {
    metadata: { name },
    spec: {},
    status: {
      nodeInfo: { kernelVersion: "6.8.0", kubeletVersion: "v1.36.0+driftless.0.7.0" },
      conditions: [{ type: "Ready", status: ready, lastTransitionTime: "2026-11-16T12:04:00Z" }],
    },
  } as unknown as Node;
}

export function deployment(fields: Partial<Workload> = {}): Workload {
  return {
    kind: "Deployment",
    metadata: { namespace: "default", name: "api", uid: "d1", generation: 1 },
    spec: { replicas: 2, template: { spec: podSpec } },
    status: { observedGeneration: 1, replicas: 2, updatedReplicas: 2 },
    ...fields,
  };
}

export const revision: ConfigRevision = {
  metadata: { namespace: "default", name: "app-4" },
  object: { apiVersion: "v1", kind: "ConfigMap", name: "app" },
  number: 4,
  hash: TWO,
  author: "ann",
  changedAt: COMMITTED,
};

/** Of configmap/app in its second version, unless told otherwise. */
export function picture(fields: Partial<Picture> = {}): Picture {
  return {
    pods: [],
    views: [],
    nodes: [node("n1")],
    replicaSets: [replicaSet],
    workloads: [deployment()],
    versionNow: () => TWO,
    revisionsOf: () => [revision],
    notes: [],
    ...fields,
  };
}
