// Members of system:masters may do everything, whatever rules there are: the way back in when somebody deleted them.

import type { Authorizer } from "../authorization.ts";
import { MASTERS } from "../user.ts";

/** Goes before all others. Shows no rules: what masters may is what the binding of cluster-admin says already. */
export const mastersAuthorizer: Authorizer = {
  async authorize({ user }) {
    return { verdict: user.groups.includes(MASTERS) ? "allow" : "none", reason: "" };
  },

  async rulesFor() {
    return { resourceRules: [], nonResourceRules: [] };
  },
};
