// What happens to pods and nodes.

import type { Pod } from "../../api/types.ts";
import type { SimFate } from "../../controller/testing/sim-nodes.ts";
import type { Chance } from "./chance.ts";
import { isActive, keyOf, NODES, PODS, type StoredNode, type StoredPod } from "./invariant.ts";
import { FATE, templateOf } from "./workload-operations.ts";
import type { World } from "./world.ts";

const MAX_NODES = 6;

/** What becomes of a pod, mostly good. */
export function mixedFate(chance: Chance): (pod: Pod) => SimFate {
  return ({ metadata }) => {
    const isBad = metadata.annotations?.[FATE] === "never-ready";
    return {
      startMs: chance.below(3000),
      readyMs: isBad ? undefined : chance.below(chance.percent(10) ? 20_000 : 3000),
      stopMs: chance.below(chance.percent(10) ? 25_000 : 2000),
      ...(chance.percent(8) && { endMs: chance.below(60_000), endsAs: "crash" }),
      ...(chance.percent(4) && { endMs: chance.below(60_000), endsAs: "Failed" }),
    };
  };
}

function anyPod({ sim }: World, chance: Chance): StoredPod | undefined {
  return chance.pick(sim.list<StoredPod>(PODS).filter(isActive));
}

/** Its owner has to let it go. */
export function relabelPod(world: World, chance: Chance): string | undefined {
  const pod = anyPod(world, chance);
  if (pod === undefined) return undefined;
  const { app = "" } = pod.metadata.labels ?? {};
  world.sim.patch(PODS, keyOf(pod), { metadata: { labels: { app: "loose", was: app } } });
  return `relabel ${keyOf(pod)}`;
}

export function labelBack(world: World, chance: Chance): string | undefined {
  const loose = world.sim.list<StoredPod>(PODS).filter(({ metadata }) => metadata.labels?.["was"]);
  const pod = chance.pick(loose.filter(isActive));
  if (pod === undefined) return undefined;
  const app = pod.metadata.labels?.["was"];
  world.sim.patch(PODS, keyOf(pod), { metadata: { labels: { app, was: null } } });
  return `label back ${keyOf(pod)}`;
}

/** Whoever selects it adopts it. */
export function createBarePod({ sim }: World, chance: Chance): string | undefined {
  const app = chance.pick(["set-0", "set-1"]) ?? "";
  const { metadata, spec } = templateOf(app, 0) as StoredPod;
  const pod = sim.create(PODS, {
    metadata: { ...metadata, generateName: "bare-", namespace: "default" },
    spec,
  });
  return `create ${keyOf(pod)} for ${app}`;
}

export function deletePod(world: World, chance: Chance): string | undefined {
  const pod = anyPod(world, chance);
  if (pod === undefined) return undefined;
  world.sim.delete(PODS, keyOf(pod));
  return `delete ${keyOf(pod)}`;
}

export function failPod(world: World, chance: Chance): string | undefined {
  const pod = anyPod(world, chance);
  if (pod === undefined || (pod.spec.nodeName ?? "") === "") return undefined;
  const status = { phase: "Failed", reason: "Evicted", conditions: null };
  world.sim.patchStatus(PODS, keyOf(pod), { status }, "kubelet");
  return `fail ${keyOf(pod)}`;
}

export function loseNode({ nodes }: World, chance: Chance): string | undefined {
  const up = nodes.names.filter((name) => nodes.isUp(name));
  const name = chance.pick(up);
  if (name === undefined || up.length <= 2) return undefined;
  nodes.lose(name);
  return `lose ${name}`;
}

export function bringBackNode({ nodes }: World, chance: Chance): string | undefined {
  const name = chance.pick(nodes.names.filter((one) => !nodes.isUp(one)));
  if (name === undefined) return undefined;
  nodes.comeBack(name);
  return `${name} comes back`;
}

export function removeNode({ nodes }: World, chance: Chance): string | undefined {
  const name = chance.pick(nodes.names);
  if (name === undefined || nodes.names.length <= 3) return undefined;
  nodes.remove(name);
  return `remove ${name}`;
}

export function addNode({ nodes }: World): string | undefined {
  return nodes.names.length >= MAX_NODES ? undefined : `add ${nodes.add()}`;
}

function onNode(
  { sim }: World,
  chance: Chance,
  change: (node: StoredNode) => { readonly patch: object; readonly says: string },
): string | undefined {
  const node = chance.pick(sim.list<StoredNode>(NODES));
  if (node === undefined) return undefined;
  const { patch, says } = change(node);
  sim.patch(NODES, node.metadata.name ?? "", { spec: patch });
  return `${says} ${node.metadata.name}`;
}

export function taintNode(world: World, chance: Chance): string | undefined {
  const effect = chance.percent(40) ? "NoExecute" : "NoSchedule";
  const taint = { key: "sim/taint", value: "x", effect };
  return onNode(world, chance, ({ spec }) => ({
    patch: { taints: [...without(spec.taints), taint] },
    says: `taint (${effect})`,
  }));
}

export function untaintNode(world: World, chance: Chance): string | undefined {
  return onNode(world, chance, ({ spec }) => ({
    patch: { taints: without(spec.taints) },
    says: "untaint",
  }));
}

function without(taints: StoredNode["spec"]["taints"]): object[] {
  return (taints ?? []).filter(({ key }) => key !== "sim/taint");
}

export function cordon(world: World, chance: Chance): string | undefined {
  return onNode(world, chance, () => ({ patch: { unschedulable: true }, says: "cordon" }));
}

export function uncordon(world: World, chance: Chance): string | undefined {
  return onNode(world, chance, () => ({ patch: { unschedulable: null }, says: "uncordon" }));
}
