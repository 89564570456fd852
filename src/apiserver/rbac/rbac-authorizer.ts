// Authorization by Roles and the bindings that give them to somebody. Never denies: without a rule it has no opinion.

import type { PolicyRule, ResourceRule } from "../../api/types.ts";
import { goQuote } from "../../api/validation/go-text.ts";
import type { Action, Authorizer, Decision, Rules } from "../authorization.ts";
import type { UserInfo } from "../user.ts";
import type { Grant } from "./binding-index.ts";
import { RBAC_GROUP } from "./rbac-resources.ts";
import { ruleAllows } from "./rule-match.ts";
import type { RuleResolver } from "./rule-resolver.ts";
import { errorsText } from "./rule-text.ts";

export class RbacAuthorizer implements Authorizer {
  readonly #resolver: RuleResolver;

  constructor(resolver: RuleResolver) {
    this.#resolver = resolver;
  }

  async authorize(action: Action): Promise<Decision> {
    return this.decide(action);
  }

  /** The same at once, for those who cannot wait. */
  decide(action: Action): Decision {
    const missing: string[] = [];
    for (const { rules, ...grant } of this.#resolver.grantsFor(action.user, action.namespace)) {
      if (rules === undefined) missing.push(missingRole(grant));
      else if (rules.some((rule) => ruleAllows(rule, action))) {
        return { verdict: "allow", reason: `RBAC: allowed by ${grantText(grant)}` };
      }
    }
    return { verdict: "none", reason: missing.length === 0 ? "" : `RBAC: ${errorsText(missing)}` };
  }

  async rulesFor(user: UserInfo, namespace: string): Promise<Rules> {
    const grants = [...this.#resolver.grantsFor(user, namespace)];
    const missing = grants.filter(({ rules }) => rules === undefined).map(missingRole);
    const rules = grants.flatMap((grant) => grant.rules ?? []);
    return {
      resourceRules: rules.filter(({ resources = [] }) => resources.length > 0).map(resourcePart),
      nonResourceRules: rules
        .filter(({ nonResourceURLs = [] }) => nonResourceURLs.length > 0)
        .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
      ...(missing.length > 0 && { errors: errorsText(missing) }),
    };
  }
}

function resourcePart(rule: PolicyRule): ResourceRule {
  const { verbs, apiGroups, resources, resourceNames = [] } = rule;
  return { verbs, apiGroups, resources, ...(resourceNames.length > 0 && { resourceNames }) };
}

/** The kind in the singular, as clients of the original see it here and nowhere else. */
function missingRole({ binding }: Grant): string {
  const { kind, name } = binding.roleRef;
  return `${kind.toLowerCase()}.${RBAC_GROUP} ${goQuote(name)} not found`;
}

/** `RoleBinding "x/ns" of Role "y" to User "z"`: with the namespace behind the name. */
function grantText({ binding, subject }: Grant): string {
  const { metadata, roleRef } = binding;
  const { name = "", namespace = "" } = metadata;
  const by =
    namespace === ""
      ? `ClusterRoleBinding ${goQuote(name)}`
      : `RoleBinding ${goQuote(`${name}/${namespace}`)}`;
  const to =
    subject.kind === "ServiceAccount"
      ? `${subject.name}/${subject.namespace || namespace}`
      : subject.name;
  return `${by} of ${roleRef.kind} ${goQuote(roleRef.name)} to ${subject.kind} ${goQuote(to)}`;
}
