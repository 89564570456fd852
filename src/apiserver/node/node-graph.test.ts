import { deepEqual, equal } from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { ApiObject } from "../../api/object.ts";
import { persistentVolume as volumeSchema } from "../../api/schema/core/persistent-volume.ts";
import { KindCache } from "../cache/kind-cache.ts";
import { NodeGraph, type ObjectPlace } from "./node-graph.ts";
import type { ReferencedResource } from "./pod-references.ts";
import { cached, cacheOf } from "./testing/cache-of.ts";
import { objectWith, textPaths } from "./testing/name-paths.ts";

interface PodFacts {
  readonly name: string;
  readonly namespace?: string;
  readonly node?: string;
  readonly spec?: object;
  readonly phase?: string;
  readonly annotations?: Record<string, string>;
}

function pod({ name, namespace = "a", node, spec, phase, annotations }: PodFacts): ApiObject {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, ...(annotations && { annotations }) },
    spec: { ...(node !== undefined && { nodeName: node }), ...spec },
    status: { phase: phase ?? "Running" },
  } as ApiObject;
}

function volume(spec: object, name = "pv"): ApiObject {
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name },
    spec,
  } as ApiObject;
}

const configVolume = { volumes: [{ name: "v", configMap: { name: "c" } }] };
const claimVolume = { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }] };
const place = { namespace: "a", name: "c" };

function graphOf(pods: KindCache, persistentVolumes = new KindCache()): NodeGraph {
  return new NodeGraph({ pods, persistentVolumes });
}

describe("NodeGraph", () => {
  it("keeps an object as long as one of the pods that share it is there", () => {
    const pods = cacheOf(
      pod({ name: "1", node: "n1", spec: configVolume }),
      pod({ name: "2", node: "n1", spec: configVolume }),
    );
    const graph = graphOf(pods);
    pods.delete("a/1", 2n);
    equal(graph.uses("n1", "configmaps", place), true);
    pods.delete("a/2", 3n);
    equal(graph.uses("n1", "configmaps", place), false);
  });

  it("gives nothing to a node before a pod is bound to it", () => {
    const pods = cacheOf(pod({ name: "1", spec: configVolume }));
    const graph = graphOf(pods);
    equal(graph.uses("", "configmaps", place), false);
    equal(graph.hasPod("", { namespace: "a", name: "1" }), false);
    pods.put(cached(pod({ name: "1", node: "n1", spec: configVolume }), 2n));
    equal(graph.uses("n1", "configmaps", place), true);
    equal(graph.hasPod("n1", { namespace: "a", name: "1" }), true);
  });

  it("tells namespaces, kinds and nodes apart", () => {
    const graph = graphOf(cacheOf(pod({ name: "1", node: "n1", spec: configVolume })));
    equal(graph.uses("n1", "configmaps", { namespace: "b", name: "c" }), false);
    equal(graph.uses("n1", "secrets", place), false);
    equal(graph.uses("n2", "configmaps", place), false);
  });

  it("adds what an ephemeral container brings to a running pod", () => {
    const pods = cacheOf(pod({ name: "1", node: "n1" }));
    const graph = graphOf(pods);
    const debug = { ephemeralContainers: [{ envFrom: [{ configMapRef: { name: "c" } }] }] };
    pods.put(cached(pod({ name: "1", node: "n1", spec: debug }), 2n));
    equal(graph.uses("n1", "configmaps", place), true);
  });

  for (const phase of ["Succeeded", "Failed"]) {
    it(`takes the objects from a pod that has ${phase}, and leaves it to its node`, () => {
      const pods = cacheOf(pod({ name: "1", node: "n1", spec: configVolume }));
      const graph = graphOf(pods);
      pods.put(cached(pod({ name: "1", node: "n1", spec: configVolume, phase }), 2n));
      equal(graph.uses("n1", "configmaps", place), false);
      equal(graph.hasPod("n1", { namespace: "a", name: "1" }), true);
    });
  }

  it("gives a node nothing for a mirror pod but the pod", () => {
    const annotations = { "kubernetes.io/config.mirror": "hash" };
    const mirror = pod({ name: "1", node: "n1", spec: configVolume, annotations });
    const graph = graphOf(cacheOf(mirror));
    equal(graph.uses("n1", "configmaps", place), false);
    equal(graph.hasPod("n1", { namespace: "a", name: "1" }), true);
  });

  it("opens a volume and its secret to the node whose pod claims it, until it is bound elsewhere", () => {
    const claimRef = { namespace: "a", name: "data" };
    const csi = { nodeStageSecretRef: { namespace: "storage", name: "key" } };
    const volumes = cacheOf(volume({ claimRef, csi }));
    const pods = cacheOf(pod({ name: "1", node: "n1", spec: claimVolume }));
    const graph = graphOf(pods, volumes);
    const seen = (): readonly boolean[] => [
      graph.usesVolume("n1", "pv"),
      graph.uses("n1", "secrets", { namespace: "storage", name: "key" }),
    ];
    deepEqual(seen(), [true, true]);
    equal(graph.usesVolume("n2", "pv"), false);
    volumes.put(cached(volume({ claimRef: { namespace: "b", name: "data" }, csi }), 2n));
    deepEqual(seen(), [false, false]);
    volumes.put(cached(volume({ claimRef, csi }), 3n));
    deepEqual(seen(), [true, true]);
    volumes.delete("pv", 4n);
    deepEqual(seen(), [false, false]);
  });

  const csiWith = (name: string): object => ({ csi: { nodeStageSecretRef: { name } } });
  const bound = { claimRef: { namespace: "a", name: "data" } };
  const claiming = pod({ name: "1", node: "n1", spec: claimVolume });

  it("opens nothing through a volume that is not bound", () => {
    const graph = graphOf(cacheOf(claiming), cacheOf(volume(csiWith("c"))));
    equal(graph.usesVolume("n1", "pv"), false);
    equal(graph.uses("n1", "secrets", place), false);
  });

  it("opens the secret of a volume, and no config map of that name", () => {
    const graph = graphOf(cacheOf(claiming), cacheOf(volume({ ...bound, ...csiWith("c") })));
    equal(graph.uses("n1", "secrets", place), true);
    equal(graph.uses("n1", "configmaps", place), false);
  });

  it("closes a secret that a volume no longer names", () => {
    const volumes = cacheOf(volume({ ...bound, ...csiWith("c") }));
    const graph = graphOf(cacheOf(claiming), volumes);
    volumes.put(cached(volume({ ...bound, ...csiWith("d") }), 2n));
    equal(graph.uses("n1", "secrets", place), false);
    equal(graph.uses("n1", "secrets", { namespace: "a", name: "d" }), true);
  });

  it("keeps a secret open that another volume needs too", () => {
    const spec = { ...bound, ...csiWith("c") };
    const volumes = cacheOf(volume(spec), volume(spec, "pv2"));
    const graph = graphOf(cacheOf(claiming), volumes);
    volumes.delete("pv2", 2n);
    equal(graph.uses("n1", "secrets", place), true);
  });

  const isForNodes = (path: string): boolean => !/\.controller(Publish|Expand)/.test(path);
  for (const path of textPaths(volumeSchema).filter((path) =>
    /^spec\..*(secret\w*\.name|secretName)$/i.test(path),
  )) {
    const verb = isForNodes(path) ? "opens" : "keeps closed";
    it(`${verb} the secret in ${path} of a volume`, () => {
      const { spec } = objectWith(path, "key") as { spec: object };
      const graph = graphOf(cacheOf(claiming), cacheOf(volume({ ...spec, ...bound })));
      const secret = { namespace: "a", name: "key" };
      equal(graph.uses("n1", "secrets", secret), isForNodes(path));
    });
  }

  it("knows after any history what counting again would find", () => {
    const names = fc.constantFrom("x", "y", "z");
    const made = fc.record({
      name: fc.constantFrom("1", "2", "3", "4"),
      namespace: fc.constantFrom("a", "b"),
      node: fc.constantFrom("n1", "n2", undefined),
      phase: fc.constantFrom("Pending", "Running", "Running", "Running", "Succeeded", "Failed"),
      isMirror: fc.constantFrom(false, false, false, true),
      uses: fc.array(fc.record({ way: fc.constantFrom(...Object.keys(ways)), name: names })),
    });
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ put: made }) },
      { weight: 3, arbitrary: fc.record({ remove: made }) },
      { weight: 1, arbitrary: fc.record({ reset: fc.array(made, { maxLength: 4 }) }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const pods = new KindCache();
        const graph = graphOf(pods);
        const model = new Map<string, Made>();
        for (const [i, each] of steps.entries())
          apply(each, { pods, model, revision: BigInt(i + 1) });
        deepEqual(seenBy(graph), counted([...model.values()]));
        for (const key of model.keys()) pods.delete(key, 1000n);
        equal(graph.objectCount, 0);
      }),
      { numRuns: 300 },
    );
  });
});

interface Made {
  readonly name: string;
  readonly namespace: string;
  readonly node: string | undefined;
  readonly phase: string;
  readonly isMirror: boolean;
  readonly uses: readonly { readonly way: string; readonly name: string }[];
}

interface Way {
  readonly resource: ReferencedResource;
  spec(name: string): Record<string, unknown[]>;
}

const ways: Readonly<Record<string, Way>> = {
  volume: {
    resource: "configmaps",
    spec: (name) => ({ volumes: [{ name: "v", configMap: { name } }] }),
  },
  projected: {
    resource: "secrets",
    spec: (name) => ({ volumes: [{ name: "v", projected: { sources: [{ secret: { name } }] } }] }),
  },
  env: {
    resource: "configmaps",
    spec: (name) => ({ containers: [{ env: [{ valueFrom: { configMapKeyRef: { name } } }] }] }),
  },
  envFrom: {
    resource: "secrets",
    spec: (name) => ({ initContainers: [{ envFrom: [{ secretRef: { name } }] }] }),
  },
  pull: { resource: "secrets", spec: (name) => ({ imagePullSecrets: [{ name }] }) },
  claim: {
    resource: "persistentvolumeclaims",
    spec: (name) => ({ volumes: [{ name: "v", persistentVolumeClaim: { claimName: name } }] }),
  },
};

function madePod({ isMirror, uses, ...facts }: Made): ApiObject {
  const spec: Record<string, unknown[]> = {};
  for (const { way, name } of uses) {
    for (const [field, items] of Object.entries(ways[way]?.spec(name) ?? {})) {
      spec[field] = [...(spec[field] ?? []), ...items];
    }
  }
  const { node, ...rest } = facts;
  const annotations: Record<string, string> = isMirror ? { "kubernetes.io/config.mirror": "" } : {};
  return pod({ ...rest, spec, annotations, ...(node !== undefined && { node }) });
}

type Step =
  | { readonly put: Made }
  | { readonly remove: Made }
  | { readonly reset: readonly Made[] };

function apply(
  step: Step,
  to: { readonly pods: KindCache; readonly model: Map<string, Made>; readonly revision: bigint },
): void {
  const { pods, model, revision } = to;
  const keyOf = ({ namespace, name }: Made): string => `${namespace}/${name}`;
  if ("put" in step) {
    model.set(keyOf(step.put), step.put);
    pods.put(cached(madePod(step.put), revision));
  } else if ("remove" in step) {
    model.delete(keyOf(step.remove));
    pods.delete(keyOf(step.remove), revision);
  } else {
    model.clear();
    for (const made of step.reset) model.set(keyOf(made), made);
    pods.reset(
      [...model.values()].map((made) => cached(madePod(made), revision)),
      revision,
    );
  }
}

/** Everything that could be asked of it. */
function seenBy(graph: NodeGraph): readonly string[] {
  const resources = [...new Set(Object.values(ways).map(({ resource }) => resource))];
  const places = (names: readonly string[]): ObjectPlace[] =>
    ["a", "b"].flatMap((namespace) => names.map((name) => ({ namespace, name })));
  const line = (node: string, resource: string, { namespace, name }: ObjectPlace): string =>
    `${node} ${resource}/${namespace}/${name}`;
  return ["n1", "n2"]
    .flatMap((node) => [
      ...places(["1", "2", "3", "4"])
        .filter((at) => graph.hasPod(node, at))
        .map((at) => line(node, "pods", at)),
      ...resources.flatMap((resource) =>
        places(["x", "y", "z"])
          .filter((at) => graph.uses(node, resource, at))
          .map((at) => line(node, resource, at)),
      ),
    ])
    .toSorted();
}

function counted(pods: readonly Made[]): readonly string[] {
  const lines = pods.flatMap(({ node, name, namespace, phase, isMirror, uses }) => {
    if (node === undefined) return [];
    const isNeedy = !isMirror && phase !== "Succeeded" && phase !== "Failed";
    return [
      `${node} pods/${namespace}/${name}`,
      ...(isNeedy ? uses : []).map(
        (use) => `${node} ${ways[use.way]?.resource}/${namespace}/${use.name}`,
      ),
    ];
  });
  return [...new Set(lines)].toSorted();
}
