// What a node may do with our own kinds: write down what its pods have, and read the history of what they use.

import type { ConfigRevision, ConfigView } from "../../api/types.ts";
import type { Decision } from "../authorization.ts";
import { allowed, type NodeQuestion, type NodeRule, refused, related } from "./node-rule.ts";
import type { ReferencedResource } from "./pod-references.ts";

/** By "group/resource". */
export const driftlessRules: ReadonlyMap<string, NodeRule> = new Map([
  ["driftless.dev/configrevisions", usedRevisions],
  ["driftless.dev/configviews", ownViews],
]);

const resources: ReadonlyMap<string, ReferencedResource> = new Map([
  ["ConfigMap", "configmaps"],
  ["Secret", "secrets"],
]);

/**
 * A revision is as secret as its object. A watch by the revision's own name is not enough: another object's revision
 * could take that name while the watch lasts.
 */
function usedRevisions(question: NodeQuestion): Decision {
  const { verb, subresource, namespace } = question.action;
  if (!["get", "list", "watch"].includes(verb)) {
    return refused("can only read resources of this type");
  }
  if (subresource !== "") return refused("cannot read subresource");
  if (namespace === "") return refused("can only read namespaced object of this type");
  return verb === "get" ? oneRevision(question) : revisionsOfOne(question);
}

function oneRevision(question: NodeQuestion): Decision {
  const { action, known } = question;
  const found = known.configRevisions.get(`${action.namespace}/${action.name}`)?.object;
  const { object } = (found ?? {}) as Partial<ConfigRevision>;
  return related(question, object !== undefined && isUsed(question, object));
}

function revisionsOfOne(question: NodeQuestion): Decision {
  const { action } = question;
  const [kind, name] = [action.fields?.get("object.kind"), action.fields?.get("object.name")];
  if (kind === undefined || name === undefined) {
    const selectors = "object.kind and object.name field selectors";
    return refused(`can only list/watch configrevisions with ${selectors}`);
  }
  const isRelated = isUsed(question, { kind, name });
  return related({ ...question, action: { ...action, name } }, isRelated);
}

function isUsed(
  { node, action, known }: NodeQuestion,
  { kind, name }: { readonly kind: string; readonly name: string },
): boolean {
  const resource = resources.get(kind);
  const { namespace } = action;
  return resource !== undefined && known.graph.uses(node, resource, { namespace, name });
}

/** A view has the name of its pod. What is left of a pod that is gone can still be found and removed. */
function ownViews(question: NodeQuestion): Decision {
  const { node, action, known } = question;
  const { verb, subresource, fields } = action;
  if (subresource !== "") return refused("cannot access subresource");
  switch (verb) {
    case "create":
      return allowed;
    case "update":
    case "patch":
      return related(question, known.graph.hasPod(node, action));
    case "get":
    case "delete":
      return related(question, known.graph.hasPod(node, action) || isLeft(question));
    case "list":
    case "watch":
      if (fields?.get("node") === node) return allowed;
      return refused("can only list/watch configviews with node field selector");
    default:
      return refused(
        "can only get, list, watch, create, update, patch, or delete config views of its own pods",
      );
  }
}

/** Written by this node: nobody else may say so (node-restriction.ts). */
function isLeft({ node, action, known }: NodeQuestion): boolean {
  const view = known.configViews.get(`${action.namespace}/${action.name}`)?.object;
  return view !== undefined && (view as unknown as ConfigView).node === node;
}
