// One random thing that people or machines do to a cluster, and what they can do so that it comes to rest.

import { isNotFound } from "../../api/status-error.ts";
import { controllerOf } from "../../controller/owner.ts";
import type { Chance } from "./chance.ts";
import {
  DEPLOYMENTS,
  isActive,
  keyOf,
  NODES,
  PODS,
  REPLICA_SETS,
  type StoredDeployment,
  type StoredNode,
  type StoredPod,
  type StoredReplicaSet,
} from "./invariant.ts";
import {
  addNode,
  bringBackNode,
  cordon,
  createBarePod,
  deletePod,
  failPod,
  labelBack,
  loseNode,
  relabelPod,
  removeNode,
  taintNode,
  uncordon,
  untaintNode,
} from "./machine-operations.ts";
import {
  breakTemplate,
  changeDaemonSet,
  changeTemplate,
  createDaemonSet,
  createDeployment,
  createReplicaSet,
  deleteDaemonSet,
  deleteDeployment,
  deleteNamespace,
  deleteReplicaSet,
  FATE,
  makeNamespace,
  pause,
  resume,
  rollBack,
  scaleDeployment,
  scaleReplicaSet,
} from "./workload-operations.ts";
import type { World } from "./world.ts";

type Operation = (world: World, chance: Chance) => string | undefined;

/** Each as often as its weight; one that finds nothing to do says nothing. */
const OPERATIONS: readonly (readonly [weight: number, Operation])[] = [
  [6, createDeployment],
  [8, scaleDeployment],
  [10, changeTemplate],
  [3, breakTemplate],
  [2, pause],
  [4, resume],
  [3, rollBack],
  [2, deleteDeployment],
  [3, createReplicaSet],
  [4, scaleReplicaSet],
  [1, deleteReplicaSet],
  [2, createDaemonSet],
  [3, changeDaemonSet],
  [1, deleteDaemonSet],
  [4, relabelPod],
  [2, labelBack],
  [2, createBarePod],
  [5, deletePod],
  [3, failPod],
  [3, loseNode],
  [4, bringBackNode],
  [1, removeNode],
  [2, addNode],
  [3, taintNode],
  [4, untaintNode],
  [2, cordon],
  [3, uncordon],
  [1, makeNamespace],
  [1, deleteNamespace],
];

/** Does one thing and says what; "" if there was nothing to do. */
export function operate(world: World, chance: Chance): string {
  const total = OPERATIONS.reduce((sum, [weight]) => sum + weight, 0);
  let left = chance.random.next() * total;
  const found = OPERATIONS.find(([weight]) => {
    left -= weight;
    return left < 0;
  });
  try {
    return found?.[1](world, chance) ?? "";
  } catch (err) {
    if (isNotFound(err)) return "";
    throw err;
  }
}

/** Everything that people can do so that all can come to rest. */
export function mend(world: World): void {
  const { sim, nodes } = world;
  sim.refuse(() => undefined);
  sim.watchLagMs = () => 0;
  sim.latencyMs = () => 0;
  nodes.fate = () => ({});
  for (const name of nodes.names) nodes.comeBack(name);
  for (const node of sim.list<StoredNode>(NODES)) {
    const taints = (node.spec.taints ?? []).filter(({ key }) => !key.startsWith("sim/"));
    sim.patch(NODES, node.metadata.name ?? "", { spec: { unschedulable: null, taints } });
  }
  mendWorkloads(world);
}

function mendWorkloads({ sim }: World): void {
  for (const deployment of sim.list<StoredDeployment>(DEPLOYMENTS)) {
    const template = { metadata: { annotations: { [FATE]: null } } };
    sim.patch(DEPLOYMENTS, keyOf(deployment), { spec: { paused: null, template } });
  }
  for (const set of sim.list<StoredReplicaSet>(REPLICA_SETS)) {
    const isBad = set.spec.template.metadata.annotations?.[FATE] !== undefined;
    if (isBad && controllerOf(set) === undefined) sim.delete(REPLICA_SETS, keyOf(set));
  }
  for (const pod of sim.list<StoredPod>(PODS)) {
    if (controllerOf(pod) === undefined && isActive(pod)) sim.delete(PODS, keyOf(pod));
  }
}
