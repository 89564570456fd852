// Whether rules of RBAC are exactly what a program needs: what it was granted against what it has asked for.

import type { PolicyRule } from "../../src/api/types.ts";
import type { Asked } from "./deployed-cluster.ts";

/** "verb group/resource", for all that the rules allow. */
export function granted(rules: readonly PolicyRule[]): readonly string[] {
  const all = rules.flatMap(({ apiGroups, resources, verbs }) =>
    (apiGroups ?? []).flatMap((group) =>
      (resources ?? []).flatMap((resource) =>
        (verbs ?? []).map((verb) => `${verb} ${group}/${resource}`),
      ),
    ),
  );
  return [...new Set(all)].toSorted();
}

/**
 * The same of what was asked for. Discovery, which everybody has, is left out. Where something was watched a list counts as asked for: servers before
 * Kubernetes 1.34 do not begin a watch with what is there.
 */
export function used(asked: readonly Asked[]): readonly string[] {
  const all = asked.flatMap(({ verb, objectRef }) => {
    if (objectRef === undefined) return [];
    const { apiGroup = "", resource, subresource } = objectRef;
    const what = `${apiGroup}/${resource}${subresource === undefined ? "" : `/${subresource}`}`;
    return verb === "watch" ? [`watch ${what}`, `list ${what}`] : [`${verb} ${what}`];
  });
  return [...new Set(all)].toSorted();
}

/** What was refused. */
export function refused(asked: readonly Asked[]): readonly string[] {
  return asked
    .filter(({ responseStatus }) => [401, 403].includes(responseStatus?.code ?? 200))
    .map(({ verb, requestURI, responseStatus }) => `${responseStatus?.code} ${verb} ${requestURI}`);
}
