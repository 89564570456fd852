// What a node may do with Kubernetes' own resources where that depends on the node. Writes are allowed here as far as
// only their content tells whether they are the node's business; the admission plug-in (node-restriction.ts) sees that.

import { goQuote } from "../../api/validation/go-text.ts";
import type { Decision } from "../authorization.ts";
import { allowed, type NodeQuestion, type NodeRule, refused, related } from "./node-rule.ts";
import type { ReferencedResource } from "./pod-references.ts";

export const NODE_LEASES = "kube-node-lease";

/** By "group/resource". */
export const coreRules: ReadonlyMap<string, NodeRule> = new Map([
  ["/secrets", (question: NodeQuestion) => readUsed(question, "secrets")],
  ["/configmaps", (question: NodeQuestion) => readUsed(question, "configmaps")],
  ["/serviceaccounts", serviceAccount],
  ["/persistentvolumeclaims", persistentVolumeClaim],
  ["/persistentvolumes", persistentVolume],
  ["/nodes", ownNode],
  ["/pods", ownPods],
  ["coordination.k8s.io/leases", nodeLease],
]);

const reads: readonly string[] = ["get", "list", "watch"];

/** List and watch are for one object too: the name is then that of the field selector. */
function readUsed(question: NodeQuestion, resource: ReferencedResource): Decision {
  const { verb, subresource, namespace } = question.action;
  if (!reads.includes(verb)) return refused("can only read resources of this type");
  if (subresource !== "") return refused("cannot read subresource");
  if (namespace === "") return refused("can only read namespaced object of this type");
  return related(question, isUsed(question, resource));
}

function getOne(question: NodeQuestion, isRelated: () => boolean): Decision {
  const { verb, subresource } = question.action;
  if (verb !== "get") return refused("can only get individual resources of this type");
  if (subresource !== "") return refused("cannot get subresource");
  return related(question, isRelated());
}

function isUsed({ node, action, known }: NodeQuestion, resource: ReferencedResource): boolean {
  return known.graph.uses(node, resource, action);
}

function serviceAccount(question: NodeQuestion): Decision {
  const { verb, subresource, name } = question.action;
  if (verb === "get" && subresource === "") return readUsed(question, "serviceaccounts");
  if (verb !== "create" || name === "") {
    return refused("can only create tokens for individual service accounts");
  }
  if (subresource !== "token") {
    return refused("can only create token subresource of serviceaccount");
  }
  return related(question, isUsed(question, "serviceaccounts"));
}

function persistentVolumeClaim(question: NodeQuestion): Decision {
  const { verb, subresource } = question.action;
  const isClaimed = (): boolean => isUsed(question, "persistentvolumeclaims");
  if (subresource !== "status") return getOne(question, isClaimed);
  if (verb !== "update" && verb !== "patch") return refused("can only get/update/patch this type");
  return related(question, isClaimed());
}

function persistentVolume(question: NodeQuestion): Decision {
  const { node, action, known } = question;
  return getOne(question, () => known.graph.usesVolume(node, action.name));
}

function nodeLease({ node, action }: NodeQuestion): Decision {
  const { verb, namespace, name } = action;
  if (!["get", "create", "update", "patch", "delete"].includes(verb)) {
    return refused("can only get, create, update, patch, or delete a node lease");
  }
  if (namespace !== NODE_LEASES) {
    return refused(`can only access leases in the ${goQuote(NODE_LEASES)} system namespace`);
  }
  if (verb !== "create" && name !== node) {
    return refused("can only access node lease with the same name as the requesting node");
  }
  return allowed;
}

/** By subresource. */
type Verbs = ReadonlyMap<string, readonly string[]>;

const nodeWrites: Verbs = new Map([
  ["", ["create", "update", "patch"]],
  ["status", ["update", "patch"]],
]);

function ownNode({ node, action }: NodeQuestion): Decision {
  const { verb, subresource, name } = action;
  if (nodeWrites.get(subresource)?.includes(verb) === true) return allowed;
  if (subresource !== "" || !reads.includes(verb)) return refused("");
  // By name and not by the graph: a node looks for its object before there is one.
  if (name === node) return allowed;
  if (name === "") {
    return refused(`node '${node}' cannot read all nodes, only its own Node object`);
  }
  return refused(`node '${node}' cannot read '${name}', only its own Node object`);
}

const podWrites: Verbs = new Map([
  ["", ["create", "delete"]],
  ["status", ["update", "patch"]],
  ["eviction", ["create"]],
]);

function ownPods(question: NodeQuestion): Decision {
  const { node, action, known } = question;
  const { verb, subresource, name, fields } = action;
  if (podWrites.get(subresource)?.includes(verb) === true) return allowed;
  if (subresource !== "" || !reads.includes(verb)) return refused("");
  if (verb !== "get") {
    if (fields?.get("spec.nodeName") === node) return allowed;
    if (name === "") return refused("can only list/watch pods with spec.nodeName field selector");
  }
  return related(question, known.graph.hasPod(node, action));
}
