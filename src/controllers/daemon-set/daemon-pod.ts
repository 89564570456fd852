// The pod of a DaemonSet for one node. It is bound by the scheduler like any other; an affinity for the node's name leaves it no choice.

import type { NodeSelector, PodSpec, PodTemplateSpec, Toleration } from "../../api/types.ts";
import { semanticEqual } from "../../api/validation/semantic-equal.ts";
import type { PodObject } from "../pods/pod-object.ts";
import { type DaemonSetObject, generationLabel, HASH_LABEL } from "./daemon-set-object.ts";

const NAME_FIELD = "metadata.name";

/** Daemons stay on a node that is in trouble, and start on one that is closed for others. */
const TOLERATED: readonly Toleration[] = [
  { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/disk-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/memory-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/pid-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/unschedulable", operator: "Exists", effect: "NoSchedule" },
];
/** Those that need no network of the cluster. */
const TOLERATED_ON_HOST_NETWORK: Toleration = {
  key: "node.kubernetes.io/network-unavailable",
  operator: "Exists",
  effect: "NoSchedule",
};

/** The template's own and those that every daemon gets; these have no end, whatever the template says. */
export function daemonTolerations({ tolerations = [], hostNetwork }: PodSpec): Toleration[] {
  const added = hostNetwork === true ? [...TOLERATED, TOLERATED_ON_HOST_NETWORK] : TOLERATED;
  const all = tolerations.map(
    (toleration) => added.find((one) => semanticEqual(one, untimed(toleration))) ?? toleration,
  );
  return [...all, ...added.filter((one) => !all.includes(one))];
}

/** The template of the pod for this node, by the revision `hash`. */
export function daemonTemplate(
  set: DaemonSetObject,
  { nodeName, hash }: { readonly nodeName: string; readonly hash: string },
): PodTemplateSpec {
  const { metadata, spec } = set.spec.template;
  const labels = { ...metadata.labels, ...generationLabel(set), [HASH_LABEL]: hash };
  return {
    metadata: { ...metadata, labels },
    spec: {
      ...spec,
      tolerations: daemonTolerations(spec),
      affinity: {
        ...spec.affinity,
        nodeAffinity: {
          ...spec.affinity?.nodeAffinity,
          requiredDuringSchedulingIgnoredDuringExecution: onlyNode(nodeName),
        },
      },
    },
  };
}

/** Where it is, or where it wants to be; undefined if it says neither. */
export function targetNode({ spec: { nodeName = "", affinity } }: PodObject): string | undefined {
  if (nodeName !== "") return nodeName;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const named = required?.nodeSelectorTerms
    ?.flatMap(({ matchFields }) => matchFields ?? [])
    .find(({ key, operator }) => key === NAME_FIELD && operator === "In");
  return named?.values?.length === 1 ? named.values[0] : undefined;
}

function onlyNode(nodeName: string): NodeSelector {
  const matchFields = [{ key: NAME_FIELD, operator: "In", values: [nodeName] }];
  return { nodeSelectorTerms: [{ matchFields }] };
}

function untimed(toleration: Toleration): Toleration {
  const { tolerationSeconds: _, ...rest } = toleration;
  return rest;
}
