// What the agent of a node may do: everybody's business as a table, and for the rest only what concerns its own pods.

import type { ResourceRule } from "../../api/types.ts";
import { goQuote } from "../../api/validation/go-text.ts";
import type { Action, Authorizer, Decision, Rules } from "../authorization.ts";
import type { UserInfo } from "../user.ts";
import { coreRules } from "./core-rules.ts";
import { driftlessRules } from "./driftless-rules.ts";
import { nodeNameOf } from "./node-identity.ts";
import { allowed, type NodeKnowledge, refused } from "./node-rule.ts";

const reads = ["get", "list", "watch"];

/** The same for all nodes. */
const uniform: readonly ResourceRule[] = [
  { verbs: ["create"], apiGroups: ["authentication.k8s.io"], resources: ["tokenreviews"] },
  {
    verbs: ["create"],
    apiGroups: ["authorization.k8s.io"],
    resources: ["subjectaccessreviews", "localsubjectaccessreviews"],
  },
  {
    verbs: ["create"],
    apiGroups: ["authentication.k8s.io"],
    resources: ["selfsubjectreviews"],
  },
  {
    verbs: ["create"],
    apiGroups: ["authorization.k8s.io"],
    resources: ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
  },
  { verbs: reads, apiGroups: [""], resources: ["services"] },
  { verbs: ["get"], apiGroups: [""], resources: ["endpoints"] },
  {
    verbs: ["create", "update", "patch"],
    apiGroups: ["", "events.k8s.io"],
    resources: ["events"],
  },
  { verbs: reads, apiGroups: ["driftless.dev"], resources: ["deliverypolicies"] },
];

const rules = new Map([...coreRules, ...driftlessRules]);

/**
 * Has an opinion on nodes only, and the last word against one in one case: a certificate carries the uid of the Node
 * that it was made for, and ends with it. Whoever deletes a Node locks its machine out at once.
 */
export class NodeAuthorizer implements Authorizer {
  readonly #known: NodeKnowledge;

  constructor(known: NodeKnowledge) {
    this.#known = known;
  }

  async authorize(action: Action): Promise<Decision> {
    const node = nodeNameOf(action.user);
    if (node === undefined) return refused("");
    if (node === "") return refused(`unknown node for user ${goQuote(action.user.name)}`);
    if (this.#isDeleted(node, action.user)) {
      return {
        verdict: "deny",
        reason: `node ${goQuote(node)} was deleted: its machine has to join again`,
      };
    }
    const rule = action.isResource ? rules.get(`${action.group}/${action.resource}`) : undefined;
    if (rule !== undefined) return rule({ node, action, known: this.#known });
    return action.isResource && isUniform(action) ? allowed : refused("");
  }

  #isDeleted(node: string, { uid }: UserInfo): boolean {
    return uid !== undefined && this.#known.nodes.get(node)?.object.metadata.uid !== uid;
  }

  async rulesFor(user: UserInfo): Promise<Rules> {
    const none: Rules = { resourceRules: [], nonResourceRules: [] };
    if (nodeNameOf(user) === undefined) return none;
    return { ...none, incomplete: "node authorizer does not support user rule resolution" };
  }
}

function isUniform({ verb, group, resource, subresource }: Action): boolean {
  return (
    subresource === "" &&
    uniform.some(
      ({ verbs, apiGroups, resources }) =>
        verbs?.includes(verb) === true &&
        apiGroups?.includes(group) === true &&
        resources?.includes(resource) === true,
    )
  );
}
