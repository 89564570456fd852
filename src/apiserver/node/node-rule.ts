// One rule of the node authorizer: what a node may do with one resource. A refusal is never final: other authorizers
// may still allow what the node's own relations do not.

import type { Action, Decision } from "../authorization.ts";
import type { KindCache } from "../cache/kind-cache.ts";
import type { NodeGraph } from "./node-graph.ts";

/** What rules decide from. */
export interface NodeKnowledge {
  readonly graph: NodeGraph;
  readonly nodes: KindCache;
  readonly configRevisions: KindCache;
  readonly configViews: KindCache;
}

export interface NodeQuestion {
  readonly node: string;
  readonly action: Action;
  readonly known: NodeKnowledge;
}

export type NodeRule = (question: NodeQuestion) => Decision;

export const allowed: Decision = { verdict: "allow", reason: "" };

export function refused(reason: string): Decision {
  return { verdict: "none", reason };
}

/** Allowed if there is a relation; the reason of a refusal does not say whether there is such an object. */
export function related({ node, action }: NodeQuestion, isRelated: boolean): Decision {
  if (action.name === "") return refused("No Object name found");
  if (isRelated) return allowed;
  return refused(`no relationship found between node '${node}' and this object`);
}
