import { deepEqual, equal } from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { ApiObject } from "../../api/object.ts";
import type { PolicyRule, Role, RoleBinding, Subject } from "../../api/types.ts";
import type { Action } from "../authorization.ts";
import { CachedObject, encodeForStore, ObjectHead } from "../cache/cached-object.ts";
import { KindCache } from "../cache/kind-cache.ts";
import { objectKey, storePrefix } from "../registry/resource.ts";
import { servedKind } from "../registry/served-kind.ts";
import type { UserInfo } from "../user.ts";
import { can, canCall, group, systemAccount, user } from "./policy-entry.ts";
import { RbacAuthorizer } from "./rbac-authorizer.ts";
import { RBAC_GROUP, type RbacResources } from "./rbac-resources.ts";
import { ruleAllows } from "./rule-match.ts";
import { RuleResolver } from "./rule-resolver.ts";
import { anyAction, anyRules } from "./testing/random-rules.ts";
import { action, binding, role } from "./testing/rbac-world.ts";

const alice: UserInfo = { name: "alice", groups: ["devs", "system:authenticated"] };

/** Caches without a store, which a test fills by hand. */
class Caches {
  readonly resources: RbacResources = {
    clusterroles: resource("ClusterRole"),
    clusterrolebindings: resource("ClusterRoleBinding"),
    roles: resource("Role"),
    rolebindings: resource("RoleBinding"),
  };
  #revision = 0n;

  put(...objects: readonly ApiObject[]): void {
    for (const object of objects) {
      const { cache, kind, storage } = this.#of(object);
      this.#revision++;
      cache.put(
        CachedObject.fromStored({
          key: keyOf(object),
          value: encodeForStore(kind, object),
          revision: this.#revision,
          head: storage.head,
        }),
      );
    }
  }

  delete(object: ApiObject): void {
    this.#revision++;
    this.#of(object).cache.delete(keyOf(object), this.#revision);
  }

  authorizer(): RbacAuthorizer {
    return new RbacAuthorizer(new RuleResolver(this.resources));
  }

  #of(object: ApiObject): RbacResources["roles"] {
    const found = Object.values(this.resources).find(({ kind }) => kind.kind === object.kind);
    if (found === undefined) throw new Error(`Cannot put a ${object.kind}`);
    return found;
  }
}

function resource(name: string): RbacResources["roles"] {
  const kind = servedKind(`${RBAC_GROUP}/v1`, name);
  return {
    kind,
    storedKind: kind,
    strategy: { kind, validate: () => [], validateUpdate: () => [] },
    storage: { prefix: storePrefix(kind), head: new ObjectHead(kind) },
    cache: new KindCache(),
    view: undefined,
  };
}

function keyOf({ metadata: { name = "", namespace } }: ApiObject): string {
  return objectKey({ namespaced: namespace !== undefined }, namespace ?? "", name);
}

function caches(...objects: readonly ApiObject[]): Caches {
  const made = new Caches();
  made.put(...objects);
  return made;
}

const reader = role("reader", [can("get", "core", "pods"), canCall("get", "/metrics")]);

describe("RbacAuthorizer", () => {
  const reasons: readonly (readonly [string, ApiObject, UserInfo, namespace: string])[] = [
    [
      'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "reader" to User "alice"',
      binding("b", { to: "ClusterRole/reader", subjects: [group("others"), user("alice")] }),
      alice,
      "",
    ],
    [
      'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "reader" to Group "devs"',
      binding("b", { to: "ClusterRole/reader", subjects: [group("devs"), user("alice")] }),
      alice,
      "ns",
    ],
    [
      'RBAC: allowed by RoleBinding "b/ns" of ClusterRole "reader" to User "alice"',
      binding("b", { namespace: "ns", to: "ClusterRole/reader", subjects: [user("alice")] }),
      alice,
      "ns",
    ],
    [
      'RBAC: allowed by RoleBinding "b/ns" of ClusterRole "reader" to ServiceAccount "app/ns"',
      binding("b", {
        namespace: "ns",
        to: "ClusterRole/reader",
        subjects: [{ kind: "ServiceAccount", name: "app" }],
      }),
      { name: "system:serviceaccount:ns:app", groups: [] },
      "ns",
    ],
    [
      'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "reader" to ServiceAccount "app/kube-system"',
      binding("b", { to: "ClusterRole/reader", subjects: [systemAccount("app")] }),
      { name: "system:serviceaccount:kube-system:app", groups: [] },
      "ns",
    ],
  ];
  for (const [reason, bound, who, namespace] of reasons) {
    it(`says: ${reason}`, async () => {
      const authorizer = caches(reader, bound).authorizer();
      const decision = await authorizer.authorize(action(who, "get", "pods", { namespace }));
      deepEqual(decision, { verdict: "allow", reason });
    });
  }

  it("has no opinion on what no rule allows", () => {
    const bound = binding("b", { to: "ClusterRole/reader", subjects: [user("alice")] });
    const decision = caches(reader, bound)
      .authorizer()
      .decide(action(alice, "delete", "pods"));
    deepEqual(decision, { verdict: "none", reason: "" });
  });

  it("keeps what is bound in a namespace in that namespace", () => {
    const bound = binding("b", {
      namespace: "ns",
      to: "ClusterRole/reader",
      subjects: [user("alice")],
    });
    const authorizer = caches(reader, bound).authorizer();
    const ask = (what: string, namespace: string): string =>
      authorizer.decide(action(alice, "get", what, { namespace })).verdict;
    deepEqual(
      [ask("pods", "ns"), ask("pods", "other"), ask("pods", ""), ask("/metrics", "ns")],
      ["allow", "none", "none", "none"],
    );
  });

  it("does not find a service account without a namespace in a cluster-wide binding", () => {
    const bound = binding("b", {
      to: "ClusterRole/reader",
      subjects: [{ kind: "ServiceAccount", name: "app" }],
    });
    const app = { name: "system:serviceaccount:ns:app", groups: [] };
    const decision = caches(reader, bound)
      .authorizer()
      .decide(action(app, "get", "pods", { namespace: "ns" }));
    equal(decision.verdict, "none");
  });

  it("names the role that a binding refers to in vain", () => {
    const bound = binding("b", { to: "ClusterRole/gone", subjects: [user("alice")] });
    equal(
      caches(bound)
        .authorizer()
        .decide(action(alice, "get", "pods")).reason,
      'RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found',
    );
  });

  it("names each of several missing roles once", () => {
    const inNamespace = (name: string, to: string): ApiObject =>
      binding(name, { namespace: "ns", to, subjects: [user("alice")] });
    const found = caches(
      inNamespace("a", "Role/x"),
      inNamespace("b", "Role/x"),
      inNamespace("c", "ClusterRole/y"),
    );
    equal(
      found.authorizer().decide(action(alice, "get", "pods", { namespace: "ns" })).reason,
      'RBAC: [role.rbac.authorization.k8s.io "x" not found, clusterrole.rbac.authorization.k8s.io "y" not found]',
    );
  });

  it("allows by another rule in spite of a missing role", () => {
    const missing = binding("a", { to: "ClusterRole/gone", subjects: [user("alice")] });
    const bound = binding("b", { to: "ClusterRole/reader", subjects: [user("alice")] });
    equal(
      caches(missing, reader, bound)
        .authorizer()
        .decide(action(alice, "get", "pods")).verdict,
      "allow",
    );
  });

  it("lists the rules of a user by resources and paths, and says what it could not find", async () => {
    const found = caches(
      reader,
      binding("a", { to: "ClusterRole/gone", subjects: [user("alice")] }),
      binding("b", { to: "ClusterRole/reader", subjects: [user("alice")] }),
      role("local", [can("get", "core", "secrets", "one")], { namespace: "ns" }),
      binding("c", { namespace: "ns", to: "Role/local", subjects: [group("devs")] }),
    );
    deepEqual(await found.authorizer().rulesFor(alice, "ns"), {
      resourceRules: [can("get", "core", "pods"), can("get", "core", "secrets", "one")],
      nonResourceRules: [canCall("get", "/metrics")],
      errors: 'clusterrole.rbac.authorization.k8s.io "gone" not found',
    });
  });
});

const namespaces = ["", "n1", "n2"];
const people = ["alice", "system:serviceaccount:n1:app", "system:serviceaccount:n2:app"];
const groups = ["devs", "ops"];

const anySubject: fc.Arbitrary<Subject> = fc.oneof(
  fc.constantFrom(...people).map(user),
  fc.constantFrom(...groups).map(group),
  fc.record({
    kind: fc.constant("ServiceAccount"),
    name: fc.constant("app"),
    namespace: fc.constantFrom(undefined, "n1", "n2"),
  }),
);

const anyRole: fc.Arbitrary<ApiObject> = fc
  .tuple(fc.constantFrom("x", "y"), anyRules, fc.constantFrom(...namespaces))
  .map(([name, rules, namespace]) => role(name, rules, namespace === "" ? {} : { namespace }));

const anyBinding: fc.Arbitrary<ApiObject> = fc
  .record({
    name: fc.constantFrom("a", "b", "c"),
    namespace: fc.constantFrom(...namespaces),
    kind: fc.constantFrom("Role", "ClusterRole"),
    roleName: fc.constantFrom("x", "y", "gone"),
    subjects: fc.array(anySubject, { maxLength: 4 }),
  })
  .map(({ name, namespace, kind, roleName, subjects }) =>
    namespace === ""
      ? binding(name, { to: `ClusterRole/${roleName}`, subjects })
      : binding(name, { namespace, to: `${kind}/${roleName}`, subjects }),
  );

const anyUser: fc.Arbitrary<UserInfo> = fc.record({
  name: fc.constantFrom(...people, "bob"),
  groups: fc.subarray(groups),
});

/** The same question, answered by looking at everything there is. */
function allowsNaively(objects: Iterable<ApiObject>, asked: Action): boolean {
  const all = [...objects];
  const rulesOf = ({ roleRef, metadata }: RoleBinding): readonly PolicyRule[] => {
    const found = all.find(
      ({ kind, metadata: { name, namespace } }) =>
        kind === roleRef.kind &&
        name === roleRef.name &&
        (kind === "ClusterRole" || namespace === metadata.namespace),
    );
    return (found as Role | undefined)?.rules ?? [];
  };
  return all
    .filter(
      ({ kind, metadata }) =>
        kind === "ClusterRoleBinding" ||
        (kind === "RoleBinding" && metadata.namespace === asked.namespace),
    )
    .map((object) => object as unknown as RoleBinding)
    .filter(({ subjects = [], metadata }) =>
      subjects.some((subject) => isOneOf(subject, metadata.namespace, asked.user)),
    )
    .some((bound) => rulesOf(bound).some((rule) => ruleAllows(rule, asked)));
}

function isOneOf(subject: Subject, bindingNamespace: string | undefined, who: UserInfo): boolean {
  if (subject.kind === "Group") return who.groups.includes(subject.name);
  if (subject.kind === "User") return who.name === subject.name;
  const namespace = subject.namespace ?? bindingNamespace;
  return (
    namespace !== undefined && who.name === `system:serviceaccount:${namespace}:${subject.name}`
  );
}

type Step = { readonly put: ApiObject } | { readonly delete: ApiObject };

const anyObject = fc.oneof(anyRole, anyBinding);
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: anyObject.map((object) => ({ put: object })), weight: 4 },
  { arbitrary: anyObject.map((object) => ({ delete: object })), weight: 1 },
);

describe("RbacAuthorizer and its index", () => {
  it("answer as a look at everything would, after any changes", () => {
    fc.assert(
      fc.property(
        fc.array(anyStep, { maxLength: 25 }),
        fc.nat(25),
        fc.array(anyAction(anyUser, fc.constantFrom(...namespaces)), { minLength: 5 }),
        (steps, joined, actions) => {
          const world = new Caches();
          const model = new Map<string, ApiObject>();
          let authorizer = world.authorizer();
          for (const [i, step] of steps.entries()) {
            // One that comes later must find what was there before.
            if (i === joined) authorizer = world.authorizer();
            const object = "put" in step ? step.put : step.delete;
            const key = `${object.kind} ${keyOf(object)}`;
            if ("put" in step) {
              world.put(object);
              model.set(key, object);
            } else {
              world.delete(object);
              model.delete(key);
            }
          }
          for (const asked of actions) {
            const expected = allowsNaively(model.values(), asked) ? "allow" : "none";
            equal(authorizer.decide(asked).verdict, expected);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
