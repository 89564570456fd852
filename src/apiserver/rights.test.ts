import { deepEqual, equal, rejects } from "node:assert/strict";
import { describe, it } from "node:test";
import { type Action, type Decision, nowhere } from "./authorization.ts";
import { Rights } from "./rights.ts";
import type { UserInfo } from "./user.ts";

const eve: UserInfo = { name: "eve", groups: [] };
const action: Action = {
  ...nowhere,
  user: eve,
  verb: "get",
  isResource: true,
  resource: "configmaps",
  namespace: "shop",
  path: "",
};

/** Answers from `decisions` in turn; the cache gets newer by one when it is asked to be fresh, if `isOld`. */
function rights(
  decisions: readonly Decision[],
  isOld = false,
): { readonly rights: Rights; readonly seen: Action[] } {
  const seen: Action[] = [];
  const left = [...decisions];
  const cache = {
    revision: 1n,
    fresh: async () => {
      if (isOld) cache.revision = 2n;
    },
  };
  const authorizer = {
    async authorize(asked: Action): Promise<Decision> {
      seen.push(asked);
      return left.shift() ?? { verdict: "none", reason: "" };
    },
    rulesFor: async () => ({ resourceRules: [], nonResourceRules: [] }),
  };
  return { rights: new Rights({ authorizer, cache }), seen };
}

describe("Rights", () => {
  it("tell why somebody may", async () => {
    equal(await rights([{ verdict: "allow", reason: "because" }]).rights.demand(action), "because");
  });

  it("refuse with the reason, if there is one", async () => {
    await rejects(rights([{ verdict: "none", reason: "no" }]).rights.demand(action), {
      message:
        'configmaps is forbidden: User "eve" cannot get resource "configmaps" in API group "" in the namespace "shop": no',
    });
  });

  it("ask again before they refuse from an old cache", async () => {
    const asked = rights(
      [
        { verdict: "none", reason: "" },
        { verdict: "allow", reason: "" },
      ],
      true,
    );
    await asked.rights.demand(action);
    equal(asked.seen.length, 2);
  });

  it("are needed for every part of whom somebody wants to be", async () => {
    const allow: Decision = { verdict: "allow", reason: "" };
    const asked = rights([allow, allow, allow, allow]);
    await asked.rights.demandImpersonation(eve, {
      name: "system:serviceaccount:shop:till",
      uid: "1",
      groups: ["a"],
      extra: { scopes: ["all"] },
    });
    deepEqual(
      asked.seen.map(({ verb, group, namespace, resource, subresource, name }) =>
        [verb, group, namespace, resource, subresource, name].join(" "),
      ),
      [
        "impersonate  shop serviceaccounts  till",
        "impersonate   groups  a",
        "impersonate authentication.k8s.io  uids  1",
        "impersonate authentication.k8s.io  userextras scopes all",
      ],
    );
  });
});
