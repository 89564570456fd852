// What people do to workloads.

import type { ApiObject } from "../../api/object.ts";
import { controllerOf } from "../../controller/owner.ts";
import type { Chance } from "./chance.ts";
import {
  DAEMON_SETS,
  DEPLOYMENTS,
  keyOf,
  NAMESPACES,
  REPLICA_SETS,
  type StoredDeployment,
  type StoredReplicaSet,
} from "./invariant.ts";
import type { World } from "./world.ts";

/** A template with this annotation never becomes ready. */
export const FATE = "sim/fate";
const TEMP = "temp";

export function templateOf(app: string, version: number): object {
  return {
    metadata: { labels: { app }, annotations: { version: String(version) } },
    spec: { containers: [{ name: "c", image: "image:1" }] },
  };
}

const SHARES = [0, 1, 2, "25%", "50%"] as const;

export function createDeployment({ sim }: World, chance: Chance): string | undefined {
  const name = `web-${chance.below(3)}`;
  const namespace =
    chance.percent(10) && sim.get(NAMESPACES, TEMP) !== undefined ? TEMP : "default";
  if (sim.get(DEPLOYMENTS, `${namespace}/${name}`) !== undefined) return undefined;
  if (sim.get(NAMESPACES, namespace)?.metadata.deletionTimestamp !== undefined) return undefined;
  const replicas = chance.below(8);
  const maxSurge = chance.pick(SHARES) ?? 1;
  const maxUnavailable = maxSurge === 0 ? 1 : (chance.pick(SHARES) ?? 0);
  const strategy = chance.percent(15)
    ? { type: "Recreate" }
    : { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } };
  sim.create(DEPLOYMENTS, {
    metadata: { name, namespace },
    spec: {
      replicas,
      strategy,
      revisionHistoryLimit: chance.below(4),
      selector: { matchLabels: { app: name } },
      template: templateOf(name, chance.below(4)),
    },
  });
  return `create ${namespace}/${name} with ${replicas}, ${JSON.stringify(strategy)}`;
}

function onDeployment(
  { sim }: World,
  chance: Chance,
  change: (
    deployment: StoredDeployment,
  ) => { readonly patch: object; readonly says: string } | undefined,
): string | undefined {
  const found = chance.pick(
    sim
      .list<StoredDeployment>(DEPLOYMENTS)
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined),
  );
  const made = found && change(found);
  if (found === undefined || made === undefined) return undefined;
  sim.patch(DEPLOYMENTS, keyOf(found), made.patch);
  return `${made.says} ${keyOf(found)}`;
}

export function scaleDeployment(world: World, chance: Chance): string | undefined {
  const replicas = chance.below(9);
  return onDeployment(world, chance, () => ({
    patch: { spec: { replicas } },
    says: `scale to ${replicas}`,
  }));
}

export function changeTemplate(world: World, chance: Chance): string | undefined {
  const version = String(chance.below(5));
  const annotations = { version, [FATE]: null };
  return onDeployment(world, chance, () => ({
    patch: { spec: { template: { metadata: { annotations } } } },
    says: `template ${version} of`,
  }));
}

export function breakTemplate(world: World, chance: Chance): string | undefined {
  const annotations = { version: String(chance.below(3)), [FATE]: "never-ready" };
  return onDeployment(world, chance, () => ({
    patch: { spec: { template: { metadata: { annotations } } } },
    says: "bad template of",
  }));
}

export function pause(world: World, chance: Chance): string | undefined {
  return onDeployment(world, chance, () => ({ patch: { spec: { paused: true } }, says: "pause" }));
}

export function resume(world: World, chance: Chance): string | undefined {
  return onDeployment(world, chance, ({ spec }) =>
    spec.paused === true ? { patch: { spec: { paused: null } }, says: "resume" } : undefined,
  );
}

/** As `kubectl rollout undo` does it: with the template of an earlier ReplicaSet. */
export function rollBack(world: World, chance: Chance): string | undefined {
  return onDeployment(world, chance, ({ metadata }) => {
    const sets = world.sim
      .list<StoredReplicaSet>(REPLICA_SETS)
      .filter((one) => controllerOf(one)?.uid === metadata.uid);
    const annotations = chance.pick(sets)?.spec.template.metadata.annotations;
    if (annotations === undefined) return undefined;
    const all = { [FATE]: null, ...annotations };
    return {
      patch: { spec: { template: { metadata: { annotations: all } } } },
      says: `roll back to ${JSON.stringify(annotations)}`,
    };
  });
}

const POLICIES = ["Background", "Foreground", "Orphan"] as const;

function deleteOne(world: World, chance: Chance, kind: typeof DEPLOYMENTS): string | undefined {
  const found = chance.pick(world.sim.list<ApiObject>(kind));
  const propagationPolicy = chance.pick(POLICIES) ?? "Background";
  if (found === undefined) return undefined;
  world.sim.delete(kind, keyOf(found), { propagationPolicy });
  return `delete ${kind.kind} ${keyOf(found)} (${propagationPolicy})`;
}

export function deleteDeployment(world: World, chance: Chance): string | undefined {
  return deleteOne(world, chance, DEPLOYMENTS);
}

function standing({ sim }: World): StoredReplicaSet[] {
  return sim.list<StoredReplicaSet>(REPLICA_SETS).filter((set) => controllerOf(set) === undefined);
}

export function createReplicaSet({ sim }: World, chance: Chance): string | undefined {
  const name = `set-${chance.below(2)}`;
  if (sim.get(REPLICA_SETS, `default/${name}`) !== undefined) return undefined;
  const replicas = chance.below(6);
  const selector = { matchLabels: { app: name } };
  const spec = { replicas, selector, template: templateOf(name, 0) };
  sim.create(REPLICA_SETS, { metadata: { name, namespace: "default" }, spec });
  return `create ${name} with ${replicas}`;
}

export function scaleReplicaSet(world: World, chance: Chance): string | undefined {
  const set = chance.pick(standing(world));
  if (set === undefined) return undefined;
  const replicas = chance.below(7);
  world.sim.patch(REPLICA_SETS, keyOf(set), { spec: { replicas } });
  return `scale ${keyOf(set)} to ${replicas}`;
}

export function deleteReplicaSet(world: World, chance: Chance): string | undefined {
  const set = chance.pick(standing(world));
  const propagationPolicy = chance.pick(POLICIES) ?? "Background";
  if (set === undefined) return undefined;
  world.sim.delete(REPLICA_SETS, keyOf(set), { propagationPolicy });
  return `delete ${keyOf(set)} (${propagationPolicy})`;
}

export function createDaemonSet({ sim }: World, chance: Chance): string | undefined {
  const name = `daemon-${chance.below(2)}`;
  if (sim.get(DAEMON_SETS, `default/${name}`) !== undefined) return undefined;
  const rollingUpdate = chance.percent(30)
    ? { maxSurge: 1, maxUnavailable: 0 }
    : { maxUnavailable: 1 + chance.below(2) };
  const updateStrategy = { type: "RollingUpdate", rollingUpdate };
  const selector = { matchLabels: { app: name } };
  const spec = { selector, template: templateOf(name, 0), updateStrategy };
  sim.create(DAEMON_SETS, { metadata: { name, namespace: "default" }, spec });
  return `create ${name}, ${JSON.stringify(rollingUpdate)}`;
}

export function changeDaemonSet({ sim }: World, chance: Chance): string | undefined {
  const set = chance.pick(sim.list<ApiObject>(DAEMON_SETS));
  if (set === undefined) return undefined;
  const version = String(chance.below(4));
  sim.patch(DAEMON_SETS, keyOf(set), {
    spec: { template: { metadata: { annotations: { version } } } },
  });
  return `template ${version} of ${keyOf(set)}`;
}

export function deleteDaemonSet(world: World, chance: Chance): string | undefined {
  return deleteOne(world, chance, DAEMON_SETS);
}

export function makeNamespace({ sim }: World): string | undefined {
  if (sim.get(NAMESPACES, TEMP) !== undefined) return undefined;
  sim.create(NAMESPACES, { metadata: { name: TEMP } });
  return "create the namespace temp";
}

export function deleteNamespace({ sim }: World): string | undefined {
  if (sim.get(NAMESPACES, TEMP) === undefined) return undefined;
  sim.delete(NAMESPACES, TEMP);
  return "delete the namespace temp";
}
