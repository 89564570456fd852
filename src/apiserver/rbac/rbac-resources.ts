// The four kinds that say who may do what.

import type { ServerParts } from "../handlers/context.ts";
import type { Resource } from "../registry/resource.ts";

export const RBAC_GROUP = "rbac.authorization.k8s.io";

export type RbacResource = "clusterroles" | "clusterrolebindings" | "roles" | "rolebindings";

export type RbacResources = Readonly<Record<RbacResource, Resource>>;

/** Throws if the server does not serve them. */
export function rbacResources(find: ServerParts["resource"]): RbacResources {
  const one = (name: RbacResource): Resource => {
    const found = find(RBAC_GROUP, "v1", name);
    if (found === undefined) throw new Error(`Cannot authorize by roles: ${name} are not served`);
    return found;
  };
  return {
    clusterroles: one("clusterroles"),
    clusterrolebindings: one("clusterrolebindings"),
    roles: one("roles"),
    rolebindings: one("rolebindings"),
  };
}
