// The words in which the built-in policy is written, and the objects that they stand for. One entry is a role and,
// if it says to whom, the binding of the same name.

import { apiVersionOf } from "../../api/kind.ts";
import type { ApiObject } from "../../api/object.ts";
import type { ObjectMeta, PolicyRule, Subject } from "../../api/types.ts";
import { objectKey } from "../registry/resource.ts";
import { RBAC_GROUP, type RbacResource } from "./rbac-resources.ts";

/** "false" on an object protects it: the server then leaves it as people made it. */
export const AUTO_UPDATE = "rbac.authorization.kubernetes.io/autoupdate";

export interface PolicyEntry {
  readonly name: string;
  /** Of a Role; a ClusterRole has none. */
  readonly namespace?: string;
  readonly allows?: readonly PolicyRule[];
  /** Its rules are those of the roles that feed it, by the label for this. */
  readonly collects?: string;
  /** Labels of the roles that collect its rules. */
  readonly feeds?: readonly string[];
  /** Who has it from the start. Absent: no binding; empty: one without anybody. */
  readonly to?: readonly Subject[];
}

/** An object as the policy wants it, without what the server adds. */
export interface PolicyObject {
  readonly resource: RbacResource;
  /** Of the object within its kind. */
  readonly key: string;
  /** Shared: never changed. */
  readonly object: ApiObject;
}

/** Lists are written as words: `can("get list", "core apps", "pods deployments/scale")`. The core group is "core". */
export function can(verbs: string, groups: string, resources: string, names = ""): PolicyRule {
  return {
    verbs: words(verbs),
    apiGroups: words(groups)
      .map((group) => (group === "core" ? "" : group))
      .sort(),
    resources: words(resources),
    ...(names !== "" && { resourceNames: words(names) }),
  };
}

/** `canCall("get", "/api /api/*")` */
export function canCall(verbs: string, paths: string): PolicyRule {
  return { verbs: words(verbs), nonResourceURLs: words(paths) };
}

/** "true" under this label feeds the role that collects it. */
export function aggregateTo(role: string): string {
  return `${RBAC_GROUP}/aggregate-to-${role}`;
}

export function user(name: string): Subject {
  return { kind: "User", apiGroup: RBAC_GROUP, name };
}

export function group(name: string): Subject {
  return { kind: "Group", apiGroup: RBAC_GROUP, name };
}

export function systemAccount(name: string): Subject {
  return { kind: "ServiceAccount", name, namespace: "kube-system" };
}

export function policyObjects(entries: readonly PolicyEntry[]): readonly PolicyObject[] {
  return entries.flatMap((entry) => [
    roleOf(entry),
    ...(entry.to ? [bindingOf(entry, entry.to)] : []),
  ]);
}

function roleOf(entry: PolicyEntry): PolicyObject {
  const { allows = [], collects } = entry;
  const isClusterWide = entry.namespace === undefined;
  return policyObject(entry, {
    resource: isClusterWide ? "clusterroles" : "roles",
    kind: isClusterWide ? "ClusterRole" : "Role",
    content: {
      rules: [...allows],
      ...(collects !== undefined && {
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [collects]: "true" } }] },
      }),
    },
  });
}

function bindingOf(entry: PolicyEntry, subjects: readonly Subject[]): PolicyObject {
  const isClusterWide = entry.namespace === undefined;
  const kind = isClusterWide ? "ClusterRole" : "Role";
  return policyObject(
    { ...entry, feeds: [] },
    {
      resource: isClusterWide ? "clusterrolebindings" : "rolebindings",
      kind: `${kind}Binding`,
      content: {
        ...(subjects.length > 0 && { subjects: [...subjects] }),
        roleRef: { apiGroup: RBAC_GROUP, kind, name: entry.name },
      },
    },
  );
}

interface Shape {
  readonly resource: RbacResource;
  readonly kind: string;
  readonly content: object;
}

function policyObject(entry: PolicyEntry, { resource, kind, content }: Shape): PolicyObject {
  const { name, namespace, feeds = [] } = entry;
  const metadata: ObjectMeta = {
    name,
    ...(namespace !== undefined && { namespace }),
    labels: {
      "kubernetes.io/bootstrapping": "rbac-defaults",
      ...Object.fromEntries(feeds.map((label) => [label, "true"])),
    },
    annotations: { [AUTO_UPDATE]: "true" },
  };
  return {
    resource,
    key: objectKey({ namespaced: namespace !== undefined }, namespace ?? "", name),
    object: {
      kind,
      apiVersion: apiVersionOf({ group: RBAC_GROUP, version: "v1" }),
      metadata,
      ...content,
    },
  };
}

function words(text: string): string[] {
  return text.split(/\s+/).sort();
}
