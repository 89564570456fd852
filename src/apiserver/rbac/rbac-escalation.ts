// Nobody can give what they do not have. Whoever writes a role must hold its rules, or may "escalate"; whoever binds
// one must hold the rules of the role that it refers to, or may "bind" it.

import type { ApiObject } from "../../api/object.ts";
import { forbidden, notFound } from "../../api/status-error.ts";
import type { ClusterRole, PolicyRule, RoleBinding } from "../../api/types.ts";
import { goQuote } from "../../api/validation/go-text.ts";
import { semanticEqual } from "../../api/validation/semantic-equal.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../admission/admission.ts";
import { type Action, nowhere } from "../authorization.ts";
import { MASTERS, type UserInfo } from "../user.ts";
import type { RbacAuthorizer } from "./rbac-authorizer.ts";
import { RBAC_GROUP, type RbacResources } from "./rbac-resources.ts";
import { uncovered } from "./rule-cover.ts";
import type { RuleResolver } from "./rule-resolver.ts";
import { errorsText, quotedList, rulesText } from "./rule-text.ts";

export interface RbacEscalationOptions {
  readonly resources: RbacResources;
  readonly resolver: RuleResolver;
  /** Asked for the verbs "escalate" and "bind". */
  readonly authorizer: Pick<RbacAuthorizer, "decide">;
}

/** A write of a role or a binding, and what it would store. */
type RbacWrite = AdmissionRequest & { readonly object: ApiObject };

const everything: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

export class RbacEscalation implements AdmissionPlugin {
  readonly name = "RBACEscalation";
  readonly #options: RbacEscalationOptions;

  constructor(options: RbacEscalationOptions) {
    this.#options = options;
  }

  /** Judges what is stored in the end: a change by another plug-in counts as the user's. */
  judge(request: AdmissionRequest): void {
    const { kind, object, old, user } = request;
    if (kind.group !== RBAC_GROUP || object === undefined || user.groups.includes(MASTERS)) return;
    if (old !== undefined && changesOwnersOnly(object, old)) return;
    const write: RbacWrite = { ...request, object };
    if (kind.resource.endsWith("bindings")) this.#judgeBinding(write);
    else this.#judgeRole(write);
  }

  #judgeRole(write: RbacWrite): void {
    const { kind, operation, namespace, user } = write;
    // A creation is asked for under no name: a rule for certain names does not allow it.
    const name = operation === "CREATE" ? "" : write.name;
    if (this.#may({ user, verb: "escalate", namespace, resource: kind.resource, name })) return;
    const role = write.object as ClusterRole;
    this.#refuseMissing(write, role.rules ?? []);
    const old = write.old as ClusterRole | undefined;
    if (!isAggregated(role) && !(old && isAggregated(old))) return;
    if (uncovered(this.#held(write).rules, everything).length === 0) return;
    throw forbidden(
      kind,
      role.metadata.name ?? "",
      "must have cluster-admin privileges to use the aggregationRule",
    );
  }

  #judgeBinding(write: RbacWrite): void {
    const { namespace, user } = write;
    const { roleRef } = write.object as unknown as RoleBinding;
    const { resources, resolver } = this.#options;
    const role = roleRef.kind === "ClusterRole" ? resources.clusterroles : resources.roles;
    const { name } = roleRef;
    if (this.#may({ user, verb: "bind", namespace, resource: role.kind.resource, name })) return;
    const rules = resolver.rulesOf(roleRef, namespace);
    if (rules === undefined) throw notFound(role.kind, name);
    this.#refuseMissing(write, rules);
  }

  #may(asked: Pick<Action, "user" | "verb" | "namespace" | "resource" | "name">): boolean {
    const action = { ...nowhere, group: RBAC_GROUP, version: "*", path: "", isResource: true };
    return this.#options.authorizer.decide({ ...action, ...asked }).verdict === "allow";
  }

  #refuseMissing(write: RbacWrite, rules: readonly PolicyRule[]): void {
    const held = this.#held(write);
    const missing = uncovered(held.rules, rules);
    if (missing.length === 0) return;
    const { user, kind, object } = write;
    const who = `user ${goQuote(user.name)} (groups=${quotedList(user.groups)})`;
    const text = `${who} is attempting to grant RBAC permissions not currently held:\n${rulesText(missing)}`;
    const unresolved = held.errors === "" ? "" : `; resolution errors: [${held.errors}]`;
    throw forbidden(kind, object.metadata.name ?? "", text + unresolved);
  }

  #held({ user, namespace }: { readonly user: UserInfo; readonly namespace: string }): {
    readonly rules: readonly PolicyRule[];
    readonly errors: string;
  } {
    const { resources, resolver } = this.#options;
    const grants = [...resolver.grantsFor(user, namespace)];
    const dangling = grants.filter(({ rules }) => rules === undefined);
    return {
      rules: grants.flatMap(({ rules }) => rules ?? []),
      errors: errorsText(
        dangling.map(({ binding: { roleRef } }) => {
          const { kind } =
            roleRef.kind === "ClusterRole" ? resources.clusterroles : resources.roles;
          return notFound(kind, roleRef.name).message;
        }),
      ),
    };
  }
}

function isAggregated({ aggregationRule }: ClusterRole): boolean {
  return (aggregationRule?.clusterRoleSelectors ?? []).length > 0;
}

/** What the garbage collector writes to let an object go: it holds no rules, and grants none. */
function changesOwnersOnly(object: ApiObject, old: ApiObject): boolean {
  const { metadata } = object;
  const { ownerReferences, finalizers, managedFields, selfLink, resourceVersion } = old.metadata;
  const kept = { ownerReferences, finalizers, managedFields, selfLink, resourceVersion };
  return semanticEqual({ ...object, metadata: { ...metadata, ...kept } }, old);
}
