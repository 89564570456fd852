import { deepEqual, doesNotThrow, equal, ok } from "node:assert/strict";
import { describe, it } from "node:test";
import type { ApiObject } from "../../api/object.ts";
import { StatusError } from "../../api/status-error.ts";
import type { AdmissionRequest } from "../admission/admission.ts";
import type { UserInfo } from "../user.ts";
import { can, canCall, group, user } from "./policy-entry.ts";
import { RbacAuthorizer } from "./rbac-authorizer.ts";
import { RbacEscalation } from "./rbac-escalation.ts";
import { RuleResolver } from "./rule-resolver.ts";
import { binding, type RbacWorld, rbacWorld, role } from "./testing/rbac-world.ts";

const alice: UserInfo = { name: "alice", groups: ["devs", "system:authenticated"] };
const master: UserInfo = { name: "root", groups: ["system:masters"] };

interface Asked {
  readonly object: ApiObject;
  readonly old?: ApiObject;
  readonly user?: UserInfo;
}

class Judge {
  readonly world: RbacWorld;
  readonly #plugin: RbacEscalation;

  constructor(world: RbacWorld) {
    this.world = world;
    const { resources } = world;
    const resolver = new RuleResolver(resources);
    const authorizer = new RbacAuthorizer(resolver);
    this.#plugin = new RbacEscalation({ resources, resolver, authorizer });
  }

  /** What the plug-in throws. */
  refusal(asked: Asked): StatusError | undefined {
    try {
      this.#plugin.judge(this.#request(asked));
      return undefined;
    } catch (err) {
      ok(err instanceof StatusError);
      return err;
    }
  }

  message(asked: Asked): string | undefined {
    return this.refusal(asked)?.message;
  }

  #request({ object, old, user: who = alice }: Asked): AdmissionRequest {
    const resource = Object.values(this.world.resources).find(
      ({ kind }) => kind.kind === object.kind,
    );
    ok(resource);
    const { name = "", namespace = "" } = object.metadata;
    return {
      operation: old === undefined ? "CREATE" : "UPDATE",
      kind: resource.kind,
      subresource: "",
      namespace,
      name,
      object,
      old,
      user: who,
      isDryRun: false,
      nowMs: 0,
      warnings: [],
      annotations: new Map(),
    };
  }
}

/** Alice may get and list pods everywhere, and has more in the namespace "ns". */
async function judging(...more: readonly ApiObject[]): Promise<Judge> {
  const world = await rbacWorld();
  await world.put(role("reader", [can("get list", "core", "pods")]));
  await world.put(binding("reader", { to: "ClusterRole/reader", subjects: [user("alice")] }));
  await world.put(role("local", [can("get", "core", "secrets")], { namespace: "ns" }));
  await world.put(
    binding("local", { namespace: "ns", to: "Role/local", subjects: [group("devs")] }),
  );
  for (const object of more) await world.put(object);
  return new Judge(world);
}

/** A cluster-wide right of alice's. */
const right = (...rules: Parameters<typeof can>): readonly ApiObject[] => [
  role("right", [can(...rules)]),
  binding("right", { to: "ClusterRole/right", subjects: [user("alice")] }),
];

const rbac = "rbac.authorization.k8s.io";
const attempt =
  'user "alice" (groups=["devs" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:';

describe("RbacEscalation, for roles", () => {
  it("lets somebody write a role with what they hold", async () => {
    const judge = await judging();
    await using _ = judge.world;
    equal(judge.message({ object: role("x", [can("get", "core", "pods")]) }), undefined);
    const local = role("x", [can("get", "core", "pods secrets")], { namespace: "ns" });
    equal(judge.message({ object: local }), undefined);
  });

  it("refuses a role with what they do not hold, and names it with the verbs together", async () => {
    const judge = await judging();
    await using _ = judge.world;
    const object = role("x", [
      can("get list", "core", "secrets pods"),
      can("get", "core", "nodes", "a"),
      canCall("get", "/metrics"),
    ]);
    const refusal = judge.refusal({ object });
    equal(
      refusal?.message,
      `clusterroles.rbac.authorization.k8s.io "x" is forbidden: ${attempt}\n` +
        '{APIGroups:[""], Resources:["nodes"], ResourceNames:["a"], Verbs:["get"]}\n' +
        '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}\n' +
        '{NonResourceURLs:["/metrics"], Verbs:["get"]}',
    );
    deepEqual([refusal?.code, refusal?.reason], [403, "Forbidden"]);
    deepEqual(refusal?.details, { name: "x", group: rbac, kind: "clusterroles" });
  });

  it("says which roles of theirs it could not find", async () => {
    const gone = binding("gone", { to: "ClusterRole/gone", subjects: [user("alice")] });
    const lost = binding("lost", { namespace: "ns", to: "Role/lost", subjects: [user("alice")] });
    const judge = await judging(gone, lost);
    await using _ = judge.world;
    const rules = [can("get", "core", "nodes")];
    const missing = '{APIGroups:[""], Resources:["nodes"], Verbs:["get"]}';
    const first = 'clusterroles.rbac.authorization.k8s.io "gone" not found';
    equal(
      judge.message({ object: role("x", rules) }),
      `clusterroles.rbac.authorization.k8s.io "x" is forbidden: ${attempt}\n${missing}; resolution errors: [${first}]`,
    );
    equal(
      judge.message({ object: role("x", rules, { namespace: "ns" }) }),
      `roles.rbac.authorization.k8s.io "x" is forbidden: ${attempt}\n${missing}; resolution errors: ` +
        `[[${first}, roles.rbac.authorization.k8s.io "lost" not found]]`,
    );
  });

  it("does not count what is held in a namespace outside of it", async () => {
    const judge = await judging();
    await using _ = judge.world;
    const rules = [can("get", "core", "secrets")];
    ok(judge.message({ object: role("x", rules) }));
    ok(judge.message({ object: role("x", rules, { namespace: "other" }) }));
  });

  it("lets through who may escalate, for the role that they may", async () => {
    const judge = await judging(...right("escalate", rbac, "clusterroles", "x"));
    await using _ = judge.world;
    const rules = [can("*", "*", "*")];
    const update = (name: string): Asked => ({ object: role(name, rules), old: role(name, []) });
    equal(judge.message(update("x")), undefined);
    ok(judge.message(update("y")));
    ok(judge.message({ object: role("x", rules) }), "a creation is under no name");
    ok(judge.message({ object: role("x", rules, { namespace: "ns" }) }));
  });

  it("lets masters do everything", async () => {
    const judge = await judging();
    await using _ = judge.world;
    const object = role("x", [can("*", "*", "*")], { collects: ["x"] });
    equal(judge.message({ object, user: master }), undefined);
  });

  it("judges a role as a whole, also the part that was there before", async () => {
    const judge = await judging();
    await using _ = judge.world;
    const old = role("x", [can("get", "core", "secrets")]);
    ok(judge.message({ old, object: { ...old, metadata: { name: "x", labels: { a: "b" } } } }));
  });

  it("lets owners and finalizers be changed by whoever may write the role", async () => {
    const judge = await judging();
    await using _ = judge.world;
    const old = role("x", [can("*", "*", "*")]);
    const metadata = { name: "x", resourceVersion: "7", finalizers: ["a/b"], ownerReferences: [] };
    equal(judge.message({ old, object: { ...old, metadata } }), undefined);
  });

  it("demands everything of who sets or changes an aggregation rule", async () => {
    const judge = await judging();
    await using _ = judge.world;
    const text =
      'clusterroles.rbac.authorization.k8s.io "x" is forbidden: must have cluster-admin privileges to use the aggregationRule';
    equal(judge.message({ object: role("x", [], { collects: ["x"] }) }), text);
    equal(judge.message({ old: role("x", [], { collects: ["x"] }), object: role("x", []) }), text);
  });

  it("lets who holds everything aggregate", async () => {
    const judge = await judging(
      role("root", [can("*", "*", "*"), canCall("*", "*")]),
      binding("root", { to: "ClusterRole/root", subjects: [user("alice")] }),
    );
    await using _ = judge.world;
    equal(judge.message({ object: role("x", [], { collects: ["x"] }) }), undefined);
  });
});

describe("RbacEscalation, for bindings", () => {
  const bind = (to: string, namespace?: string): ApiObject =>
    binding("b", { to, subjects: [user("bob")], ...(namespace !== undefined && { namespace }) });

  it("lets somebody bind a role of which they hold every rule", async () => {
    const judge = await judging();
    await using _ = judge.world;
    equal(judge.message({ object: bind("ClusterRole/reader") }), undefined);
    equal(judge.message({ object: bind("Role/local", "ns") }), undefined);
  });

  it("refuses to bind a role with more", async () => {
    const judge = await judging(role("secrets", [can("get", "core", "secrets")]));
    await using _ = judge.world;
    equal(
      judge.message({ object: bind("ClusterRole/secrets") }),
      `clusterrolebindings.rbac.authorization.k8s.io "b" is forbidden: ${attempt}\n` +
        '{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}',
    );
    equal(judge.message({ object: bind("ClusterRole/secrets", "ns") }), undefined);
  });

  it("cannot find out what a role allows that is not there", async () => {
    const judge = await judging();
    await using _ = judge.world;
    const refusal = judge.refusal({ object: bind("Role/gone", "ns") });
    equal(refusal?.message, 'roles.rbac.authorization.k8s.io "gone" not found');
    equal(refusal.code, 404);
  });

  it("lets through who may bind that role, there or not", async () => {
    const judge = await judging(
      ...right("bind", rbac, "clusterroles", "big gone"),
      role("big", [can("*", "*", "*")]),
    );
    await using _ = judge.world;
    equal(judge.message({ object: bind("ClusterRole/big") }), undefined);
    equal(judge.message({ object: bind("ClusterRole/gone", "ns") }), undefined);
    equal(judge.refusal({ object: bind("ClusterRole/other") })?.code, 404);
  });

  it("judges a new subject of an old binding", async () => {
    const judge = await judging(role("big", [can("*", "*", "*")]));
    await using _ = judge.world;
    const old = bind("ClusterRole/big");
    ok(judge.message({ old, object: { ...old, subjects: [user("alice")] } }));
  });
});

describe("RbacEscalation", () => {
  it("has nothing to say about other kinds and about deletions", async () => {
    const judge = await judging();
    await using _ = judge.world;
    const { kind } = judge.world.resources.roles;
    const { resources } = judge.world;
    const resolver = new RuleResolver(resources);
    const plugin = new RbacEscalation({
      resources,
      resolver,
      authorizer: new RbacAuthorizer(resolver),
    });
    const request = {
      subresource: "",
      namespace: "ns",
      name: "x",
      old: undefined,
      user: alice,
      isDryRun: false,
      nowMs: 0,
      warnings: [],
      annotations: new Map<string, string>(),
    };
    const object = role("x", [can("*", "*", "*")]);
    doesNotThrow(() => plugin.judge({ ...request, kind, operation: "DELETE", object: undefined }));
    doesNotThrow(() =>
      plugin.judge({ ...request, kind: { ...kind, group: "" }, operation: "CREATE", object }),
    );
  });
});
