import { deepEqual, equal, ok } from "node:assert/strict";
import { describe, it } from "node:test";
import { kinds } from "../../api/kinds.ts";
import type { PolicyRule } from "../../api/types.ts";
import { seededRandom } from "../../base/testing/seeded-random.ts";
import { CONTROLLERS_USER } from "../pki/credentials.ts";
import { anonymous, type UserInfo } from "../user.ts";
import { builtInPolicy } from "./built-in-policy.ts";
import { RbacAuthorizer } from "./rbac-authorizer.ts";
import { reconcilePolicy } from "./reconcile-policy.ts";
import { RoleAggregation } from "./role-aggregation.ts";
import { RuleResolver } from "./rule-resolver.ts";
import { action, binding, type RbacWorld, rbacWorld } from "./testing/rbac-world.ts";

/** A world with the policy in it, and people who have a role in the namespace "ns". */
async function governed(): Promise<{ world: RbacWorld; authorizer: RbacAuthorizer }> {
  const world = await rbacWorld();
  await reconcilePolicy(world.parts, builtInPolicy);
  const clusterRoles = world.resources.clusterroles;
  await new RoleAggregation({ ...world.parts, clusterRoles, random: seededRandom(1) }).settle();
  for (const name of ["admin", "edit", "view"]) {
    const subjects = [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name }];
    await world.put(binding(name, { namespace: "ns", to: `ClusterRole/${name}`, subjects }));
  }
  return { world, authorizer: new RbacAuthorizer(new RuleResolver(world.resources)) };
}

const known = (name: string, ...groups: readonly string[]): UserInfo => ({
  name,
  groups: [...groups, "system:authenticated"],
});

const account = (name: string): UserInfo =>
  known(`system:serviceaccount:kube-system:${name}`, "system:serviceaccounts");

type Question = readonly [UserInfo, verb: string, what: string, allowed: boolean];

const view = known("view");
const edit = known("edit");
const admin = known("admin");

const questions: readonly Question[] = [
  [view, "list", "configmaps", true],
  [view, "get", "apps/deployments/scale", true],
  [view, "watch", "driftless.dev/configviews", true],
  [view, "get", "driftless.dev/deliverypolicies", true],
  [view, "get", "secrets", false],
  [view, "list", "driftless.dev/configrevisions", false],
  [view, "create", "pods/exec", false],
  [view, "update", "configmaps", false],
  [view, "create", "serviceaccounts/token", false],
  [view, "get", "rbac.authorization.k8s.io/roles", false],
  [edit, "get", "configmaps", true],
  [edit, "get", "secrets", true],
  [edit, "update", "configmaps", true],
  [edit, "list", "driftless.dev/configrevisions", true],
  [edit, "create", "driftless.dev/deliverypolicies", true],
  [edit, "update", "driftless.dev/deliverypolicies/status", false],
  [edit, "delete", "driftless.dev/configrevisions", false],
  [admin, "create", "driftless.dev/configrevisions", false],
  [edit, "update", "driftless.dev/configviews", false],
  [edit, "get", "rbac.authorization.k8s.io/rolebindings", false],
  [edit, "create", "rbac.authorization.k8s.io/rolebindings", false],
  [edit, "update", "resourcequotas", false],
  [admin, "get", "driftless.dev/configrevisions", true],
  [admin, "create", "rbac.authorization.k8s.io/rolebindings", true],
  [admin, "create", "authorization.k8s.io/localsubjectaccessreviews", true],
  [admin, "escalate", "rbac.authorization.k8s.io/roles", false],
  [admin, "bind", "rbac.authorization.k8s.io/roles", false],
  [admin, "update", "resourcequotas", false],
  [anonymous, "get", "/readyz", true],
  [anonymous, "get", "/version", true],
  [anonymous, "get", "/api", false],
  [anonymous, "get", "/metrics", false],
  [known("bob"), "get", "/apis/apps/v1", true],
  [known("bob"), "create", "authorization.k8s.io/selfsubjectaccessreviews", true],
  [known("bob"), "get", "/metrics", false],
  [known("bob"), "get", "configmaps", false],
  [known("prometheus", "system:monitoring"), "get", "/metrics", true],
  [known("system:node:a", "system:nodes"), "get", "secrets", false],
  [known("system:node:a", "system:nodes"), "post", "/driftless/v1/renew", true],
  [known("system:node:a", "system:nodes"), "post", "/driftless/v1/join", false],
  [known("system:bootstrap:abcdef", "system:bootstrappers"), "post", "/driftless/v1/join", true],
  [known("system:bootstrap:abcdef", "system:bootstrappers"), "get", "nodes", false],
  [account("anything"), "get", "/openid/v1/jwks", true],
  [known("system:kube-scheduler"), "create", "pods/binding", true],
  [known("system:kube-scheduler"), "get", "secrets", false],
  [account("deployment-controller"), "create", "apps/replicasets", true],
  [account("deployment-controller"), "create", "pods", false],
  [account("replicaset-controller"), "create", "pods", true],
  [account("reload-controller"), "patch", "apps/deployments", true],
  [account("reload-controller"), "get", "secrets", false],
  [known(CONTROLLERS_USER), "create", "apps/replicasets", true],
  [known(CONTROLLERS_USER), "create", "driftless.dev/configrevisions", false],
  [known(CONTROLLERS_USER), "delete", "driftless.dev/configrevisions", true],
  [known(CONTROLLERS_USER), "create", "serviceaccounts/token", true],
  [known(CONTROLLERS_USER), "update", "secrets", true],
  [known(CONTROLLERS_USER), "create", "secrets", false],
  [known(CONTROLLERS_USER), "create", "pods/binding", true],
  [known(CONTROLLERS_USER), "create", "pods/exec", false],
  [known(CONTROLLERS_USER), "create", "rbac.authorization.k8s.io/clusterrolebindings", false],
  [known("driftless:controllers"), "create", "apps/replicasets", false],
  [known("anybody", "system:masters"), "anything", "any.group/things", true],
];

describe("builtInPolicy", () => {
  it("gives people and parts what they need, and nothing beyond", async () => {
    const { world, authorizer } = await governed();
    await using _ = world;
    const wrong = questions.filter(([who, verb, what, allowed]) => {
      const { verdict } = authorizer.decide(action(who, verb, what, { namespace: "ns" }));
      return (verdict === "allow") !== allowed;
    });
    deepEqual(
      wrong.map(([who, verb, what]) => `${who.name} ${verb} ${what}`),
      [],
    );
  });

  it("lets the scheduler take its own leader lease only, outside of kube-system", async () => {
    const { world, authorizer } = await governed();
    await using _ = world;
    const ask = (name: string, namespace: string): string =>
      authorizer.decide(
        action(known("system:kube-scheduler"), "update", "coordination.k8s.io/leases", {
          name,
          namespace,
        }),
      ).verdict;
    deepEqual(
      [ask("kube-scheduler", "ns"), ask("other", "ns"), ask("any", "kube-system")],
      ["allow", "none", "allow"],
    );
  });

  it("does not grant escalate, bind or impersonate to a role other than cluster-admin and edit", () => {
    const granting = builtInPolicy.filter(({ object }) =>
      ((object["rules"] ?? []) as PolicyRule[]).some(({ verbs }) =>
        verbs?.some((verb) => ["*", "escalate", "bind", "impersonate"].includes(verb)),
      ),
    );
    deepEqual(
      granting.map(({ key }) => key),
      ["cluster-admin", "system:aggregate-to-edit"],
    );
  });

  it("names every object once", () => {
    const names = builtInPolicy.map(({ resource, key }) => `${resource} ${key}`);
    equal(new Set(names).size, names.length);
  });

  it("labels and annotates every object as one that the server keeps up to date", () => {
    for (const { object } of builtInPolicy) {
      equal(object.metadata.labels?.["kubernetes.io/bootstrapping"], "rbac-defaults");
      equal(object.metadata.annotations?.["rbac.authorization.kubernetes.io/autoupdate"], "true");
    }
  });

  it("speaks, for our own parts, of resources that are served", () => {
    const served = new Set(
      kinds.flatMap(({ group, resource, subresources }) => [
        `${group}/${resource}`,
        ...subresources.map(({ name }) => `${group}/${resource}/${name}`),
      ]),
    );
    // Of the roles of people, only what is ours; these name what others serve. Finalizers are asked about by the
    // server, and never served.
    const asked = builtInPolicy
      .filter(({ key }) => !key.startsWith("system:aggregate-to-") && key !== "system:monitoring")
      .flatMap(({ object }) => (object["rules"] ?? []) as PolicyRule[])
      .flatMap(({ apiGroups = [], resources = [] }) =>
        apiGroups.flatMap((group) => resources.map((resource) => `${group}/${resource}`)),
      )
      .filter((name) => !name.includes("*") && !name.endsWith("/finalizers"));
    const unknown = asked.filter((name) => !served.has(name));
    ok(asked.length > 100);
    deepEqual(unknown, []);
  });
});
