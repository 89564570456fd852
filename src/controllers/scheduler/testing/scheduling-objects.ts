// Nodes and pods with nothing in them but what a test is about.

import type { Affinity, NodeSpec, PodSpec, Taint } from "../../../api/types.ts";
import { seededRandom } from "../../../base/testing/seeded-random.ts";
import { ClusterState } from "../cluster-state.ts";
import { NodeInfo, type SchedulableNode } from "../node-info.ts";
import { type Placement, placePod } from "../place-pod.ts";
import { type PodInfo, podInfoOf, type SchedulablePod } from "../pod-info.ts";

type Labels = Readonly<Record<string, string>>;

export interface NodeTraits {
  readonly labels?: Labels;
  readonly taints?: readonly Taint[];
  readonly unschedulable?: boolean;
  /** Of what it has; the rest of this is plenty. */
  readonly has?: Labels;
}

export interface PodTraits {
  readonly namespace?: string;
  readonly labels?: Labels;
  readonly spec?: Partial<PodSpec>;
  readonly affinity?: Affinity;
  /** Requests of its only container. */
  readonly asks?: Labels;
  readonly hostPort?: number;
  readonly controller?: string;
  readonly isGoing?: boolean;
}

export function node(name: string, traits: NodeTraits = {}): SchedulableNode {
  const { labels = {}, taints, unschedulable, has } = traits;
  const allocatable = { cpu: "4", memory: "8Gi", pods: "110", "ephemeral-storage": "10Gi", ...has };
  const spec: NodeSpec = {
    ...(taints && { taints: [...taints] }),
    ...(unschedulable !== undefined && { unschedulable }),
  };
  const status = { allocatable } as unknown as SchedulableNode["status"];
  return {
    metadata: { name, labels: { "kubernetes.io/hostname": name, ...labels } },
    spec,
    status,
  };
}

let made = 0;

export function pod(name: string, traits: PodTraits = {}): PodInfo {
  return podInfoOf(podObject(name, traits));
}

export function podObject(name: string, traits: PodTraits = {}): SchedulablePod {
  const { namespace = "default", labels = {}, asks = {}, hostPort, controller } = traits;
  const ports = hostPort === undefined ? [] : [{ containerPort: 80, hostPort, protocol: "TCP" }];
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "rs", controller: true };
  const spec = {
    containers: [{ name: "c", resources: { requests: { ...asks } }, ports }],
    ...(traits.affinity && { affinity: traits.affinity }),
    ...traits.spec,
  };
  return {
    metadata: {
      name,
      namespace,
      uid: `${name}-${made++}`,
      labels: { ...labels },
      ...(controller !== undefined && { ownerReferences: [{ ...owner, uid: controller }] }),
      ...(traits.isGoing === true && { deletionTimestamp: "2024-01-01T00:00:00Z" }),
    },
    spec,
    status: {},
  } as SchedulablePod;
}

/** By name of the node, the pods that are on it. */
export function cluster(
  nodes: readonly SchedulableNode[],
  on: Readonly<Record<string, readonly PodInfo[]>> = {},
): ClusterState {
  const state = new ClusterState();
  for (const one of nodes) state.setNode(one);
  for (const [name, pods] of Object.entries(on)) for (const one of pods) state.place(one, name);
  return state;
}

export function infos(...nodes: readonly SchedulableNode[]): readonly NodeInfo[] {
  return nodes.map((one) => new NodeInfo(one));
}

export function place(what: PodInfo, state: ClusterState, seed = 1): Placement {
  return placePod(what, state, seededRandom(seed));
}

/** The node, or the message that says why there is none. */
export function outcome(what: PodInfo, state: ClusterState): string {
  const placement = place(what, state);
  return "node" in placement ? placement.node : placement.message;
}
