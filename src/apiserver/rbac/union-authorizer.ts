// Several authorizers as one: the first that has an opinion decides.

import type { Authorizer } from "../authorization.ts";
import { errorsText } from "./rule-text.ts";

/** Asked in this order, one after the other. If none has an opinion, their reasons are told together. */
export function unionOf(...authorizers: readonly Authorizer[]): Authorizer {
  return {
    async authorize(action) {
      const reasons: string[] = [];
      for (const authorizer of authorizers) {
        const decision = await authorizer.authorize(action);
        if (decision.verdict !== "none") return decision;
        if (decision.reason !== "") reasons.push(decision.reason);
      }
      return { verdict: "none", reason: reasons.join("\n") };
    },

    async rulesFor(user, namespace) {
      const all = await Promise.all(authorizers.map((one) => one.rulesFor(user, namespace)));
      const incomplete = all.flatMap((rules) => rules.incomplete ?? []);
      const errors = all.flatMap((rules) => rules.errors ?? []);
      return {
        resourceRules: all.flatMap(({ resourceRules }) => resourceRules),
        nonResourceRules: all.flatMap(({ nonResourceRules }) => nonResourceRules),
        ...(incomplete.length > 0 && { incomplete: errorsText(incomplete) }),
        ...(errors.length > 0 && { errors: errorsText(errors) }),
      };
    },
  };
}
