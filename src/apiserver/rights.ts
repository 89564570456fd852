// May this user do that, and may they be somebody else while they do it.

import type { Action, Authorizer, Decision } from "./authorization.ts";
import { nowhere } from "./authorization.ts";
import type { WatchCache } from "./cache/watch-cache.ts";
import { refusalOf } from "./request-action.ts";
import { serviceAccountOf } from "./service-account-user.ts";
import type { UserInfo } from "./user.ts";

export interface RightsOptions {
  readonly authorizer: Authorizer;
  readonly cache: Pick<WatchCache, "revision" | "fresh">;
}

export class Rights {
  readonly #options: RightsOptions;

  constructor(options: RightsOptions) {
    this.#options = options;
  }

  /** Throws Forbidden. Resolves to the reason why they may. */
  async demand(action: Action): Promise<string> {
    const { verdict, reason } = await this.#decide(action);
    if (verdict === "allow") return reason;
    throw refusalOf(action, reason);
  }

  /** Throws Forbidden unless `self` may impersonate each part of what the other user is. */
  async demandImpersonation(self: UserInfo, other: UserInfo): Promise<void> {
    for (const target of impersonationTargets(other)) {
      await this.demand({ ...nowhere, ...target, user: self, verb: "impersonate", ...asResource });
    }
  }

  /** Rights that were given elsewhere a moment ago count: a refusal is made on what the store has now. */
  async #decide(action: Action): Promise<Decision> {
    const { authorizer, cache } = this.#options;
    const seen = cache.revision;
    const decision = await authorizer.authorize(action);
    if (decision.verdict === "allow") return decision;
    await cache.fresh();
    return cache.revision === seen ? decision : authorizer.authorize(action);
  }
}

const asResource = { isResource: true, path: "", version: "v1" } as const;
const AUTHENTICATION = "authentication.k8s.io";

type Target = Partial<Pick<Action, "group" | "namespace" | "resource" | "subresource" | "name">>;

function impersonationTargets({ name, groups, uid, extra = {} }: UserInfo): readonly Target[] {
  const account = serviceAccountOf(name);
  const who: Target =
    account === undefined
      ? { resource: "users", name }
      : { resource: "serviceaccounts", ...account };
  return [
    who,
    ...groups.map((group) => ({ resource: "groups", name: group })),
    ...(uid === undefined ? [] : [{ group: AUTHENTICATION, resource: "uids", name: uid }]),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value) => ({
        group: AUTHENTICATION,
        resource: "userextras",
        subresource: key,
        name: value,
      })),
    ),
  ];
}
