// Which rules somebody has: bindings of their subjects, and the roles that these refer to. Everything comes from the
// caches, in one turn, so that admission can ask as well as the authorizer.

import type { PolicyRule, Role, RoleRef } from "../../api/types.ts";
import type { UserInfo } from "../user.ts";
import { BindingIndex, type Grant } from "./binding-index.ts";
import type { RbacResources } from "./rbac-resources.ts";

/** A binding that applies, with the rules of its role. */
export interface ResolvedGrant extends Grant {
  /** Undefined if there is no such role. */
  readonly rules: readonly PolicyRule[] | undefined;
}

export class RuleResolver {
  readonly #resources: RbacResources;
  readonly #clusterWide = new BindingIndex();
  readonly #namespaced = new BindingIndex();

  /** Follows the bindings from now on. */
  constructor(resources: RbacResources) {
    this.#resources = resources;
    resources.clusterrolebindings.cache.follow(this.#clusterWide);
    resources.rolebindings.cache.follow(this.#namespaced);
  }

  /** What holds everywhere first, then what holds in the namespace; each in the order of the bindings' names. */
  *grantsFor(user: UserInfo, namespace: string): Generator<ResolvedGrant> {
    const resolved = (grant: Grant): ResolvedGrant => ({
      ...grant,
      rules: this.rulesOf(grant.binding.roleRef, grant.binding.metadata.namespace ?? ""),
    });
    for (const grant of this.#clusterWide.grantsFor(user, "")) yield resolved(grant);
    for (const grant of this.#namespaced.grantsFor(user, namespace)) yield resolved(grant);
  }

  /** The rules of a role that a binding in this namespace refers to; undefined if there is no such role. */
  rulesOf({ kind, name }: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    const { roles, clusterroles } = this.#resources;
    const found =
      kind === "ClusterRole"
        ? clusterroles.cache.get(name)
        : roles.cache.get(`${namespace}/${name}`);
    if (found === undefined) return undefined;
    return (found.object as unknown as Role).rules ?? [];
  }
}
