// Those who try to reach beyond what is theirs: nodes, pods with a token, and people who would give themselves more.

import { deepEqual, equal, match, ok } from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { bearer, DriftlessServer, type HttpAnswer } from "../support/driftless-server.ts";

const SHOP = "/api/v1/namespaces/shop";
const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const merge = { "content-type": "application/merge-patch+json" };

let server: DriftlessServer;

before(async () => {
  server = await DriftlessServer.start({ flags: ["--store", "memory"] });
  await must("POST", "/api/v1/namespaces", { metadata: { name: "shop" } });
  for (const node of ["n1", "n2"]) {
    await must("POST", "/api/v1/nodes", { metadata: { name: node } });
    await must("POST", `${SHOP}/secrets`, { metadata: { name: `key-${node}` } });
    await must("POST", `${SHOP}/configmaps`, { metadata: { name: `settings-${node}` } });
    await must("POST", `${SHOP}/pods`, {
      metadata: { name: `pod-${node}` },
      spec: {
        nodeName: node,
        volumes: [{ name: "key", secret: { secretName: `key-${node}` } }],
        containers: [
          { name: "c", image: "i", envFrom: [{ configMapRef: { name: `settings-${node}` } }] },
        ],
      },
    });
  }
  await bind("ann", "admin");
  await bind("ed", "edit");
});

after(async () => server?.[Symbol.asyncDispose]());

async function must(method: string, path: string, body?: unknown): Promise<HttpAnswer> {
  const answer = await server.fetch(method, path, body);
  ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
  return answer;
}

async function bind(name: string, role: string): Promise<void> {
  await must("POST", `${RBAC}/namespaces/shop/rolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name }],
  });
}

type Ask = (method: string, path: string, body?: unknown, more?: object) => Promise<HttpAnswer>;

function as(user: string, group?: string): Ask {
  return (method, path, body, more = {}) =>
    server.fetch(method, path, body, {
      "impersonate-user": user,
      ...(group !== undefined && { "impersonate-group": group }),
      ...more,
    });
}

const n1 = as("system:node:n1", "system:nodes");

function messageOf({ text }: HttpAnswer): string {
  return (JSON.parse(text) as { message: string }).message;
}

async function refused(answer: Promise<HttpAnswer>, message: RegExp): Promise<void> {
  const { status, text, headers } = await answer;
  equal(status, 403, text);
  match(messageOf({ status, text, headers }), message);
}

describe("A node", () => {
  it("reads what its pods use", async () => {
    for (const path of ["secrets/key-n1", "configmaps/settings-n1", "pods/pod-n1"]) {
      equal((await n1("GET", `${SHOP}/${path}`)).status, 200, path);
    }
    const one = await n1("GET", `${SHOP}/secrets?fieldSelector=metadata.name%3Dkey-n1`);
    equal(one.status, 200);
    equal((await n1("GET", "/api/v1/pods?fieldSelector=spec.nodeName%3Dn1")).status, 200);
  });

  it("G9 cannot read what only another node's pods use", async () => {
    const unrelated = /: no relationship found between node 'n1' and this object$/;
    await refused(n1("GET", `${SHOP}/secrets/key-n2`), unrelated);
    await refused(n1("GET", `${SHOP}/configmaps/settings-n2`), unrelated);
    const watch = `${SHOP}/secrets?watch=true&fieldSelector=metadata.name%3Dkey-n2`;
    await refused(n1("GET", watch), unrelated);
    await refused(n1("GET", `${SHOP}/pods/pod-n2`), unrelated);
  });

  it("G9 cannot list secrets, nor all pods", async () => {
    await refused(n1("GET", `${SHOP}/secrets`), /cannot list resource "secrets"/);
    await refused(n1("GET", "/api/v1/secrets"), /cannot list resource "secrets"/);
    await refused(n1("GET", "/api/v1/pods"), /cannot list resource "pods"/);
    await refused(
      n1("GET", "/api/v1/pods?fieldSelector=spec.nodeName%3Dn2"),
      /cannot list resource "pods"/,
    );
  });

  it("cannot create pods, on another node or on its own", async () => {
    const pod = (nodeName: string, annotations: object): object => ({
      metadata: { name: "evil", annotations },
      spec: { nodeName, containers: [{ name: "c", image: "i" }] },
    });
    const mirror = { "kubernetes.io/config.mirror": "x" };
    const node = "n1";
    await refused(n1("POST", `${SHOP}/pods`, pod(node, {})), /can only create mirror pods$/);
    await refused(
      n1("POST", `${SHOP}/pods`, pod("n2", mirror)),
      /node "n1" can only create pods with spec.nodeName set to itself$/,
    );
  });

  it("cannot touch another node, its lease, or the status of its pods", async () => {
    await refused(
      n1("PATCH", "/api/v1/nodes/n2/status", { status: {} }, merge),
      /node "n1" is not allowed to modify node "n2"$/,
    );
    await refused(
      n1("PATCH", `${SHOP}/pods/pod-n2/status`, { status: { phase: "Failed" } }, merge),
      /node "n1" can only update pod status for pods with spec.nodeName set to itself$/,
    );
    await refused(n1("DELETE", `${SHOP}/pods/pod-n2`), /spec.nodeName set to itself$/);
    const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
    await refused(
      n1("POST", leases, { metadata: { name: "n2" } }),
      /can only access node lease with the same name as the requesting node$/,
    );
    equal((await n1("POST", leases, { metadata: { name: "n1" } })).status, 201);
  });

  it("cannot touch rights", async () => {
    for (const resource of ["clusterroles", "clusterrolebindings"]) {
      await refused(
        n1("POST", `${RBAC}/${resource}`, { metadata: { name: "x" } }),
        / cannot create /,
      );
      await refused(n1("GET", `${RBAC}/${resource}`), / cannot list /);
    }
    await refused(n1("GET", `${SHOP}/serviceaccounts`), / cannot list /);
  });

  it("gets tokens for its own pods only", async () => {
    const ask = (pod: string, uid: string): Promise<HttpAnswer> =>
      n1("POST", `${SHOP}/serviceaccounts/default/token`, {
        spec: { boundObjectRef: { apiVersion: "v1", kind: "Pod", name: pod, uid } },
      });
    equal((await ask("pod-n1", await uidOf("pod-n1"))).status, 201);
    await refused(
      ask("pod-n2", await uidOf("pod-n2")),
      /spec.nodeName|not running on|different node/,
    );
    await refused(
      n1("POST", `${SHOP}/serviceaccounts/default/token`, { spec: {} }),
      /node requested token not bound to a pod$/,
    );
  });
});

async function uidOf(pod: string): Promise<string> {
  const { text } = await must("GET", `${SHOP}/pods/${pod}`);
  return (JSON.parse(text) as { metadata: { uid: string } }).metadata.uid;
}

async function tokenOf(account: string, spec: object = {}): Promise<string> {
  const path = `${SHOP}/serviceaccounts/${account}/token`;
  const { text } = await must("POST", path, { spec });
  return (JSON.parse(text) as { status: { token: string } }).status.token;
}

describe("A pod's token", () => {
  it("can do what its account may, and no more, and ends with its pod", async () => {
    await must("POST", `${SHOP}/pods`, {
      metadata: { name: "caller" },
      spec: { containers: [{ name: "c", image: "i" }] },
    });
    const uid = await uidOf("caller");
    const token = await tokenOf("default", {
      boundObjectRef: { apiVersion: "v1", kind: "Pod", name: "caller", uid },
    });
    const ask = async (path: string): Promise<number> =>
      (await server.fetchBare("GET", path, undefined, bearer(token))).status;

    equal(await ask(`${SHOP}/configmaps`), 403);
    await must("POST", `${RBAC}/namespaces/shop/rolebindings`, {
      metadata: { name: "callers" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
      subjects: [{ kind: "ServiceAccount", name: "default", namespace: "shop" }],
    });
    deepEqual(
      [
        await ask(`${SHOP}/configmaps`),
        await ask(`${SHOP}/secrets`),
        await ask("/api/v1/namespaces/default/configmaps"),
        await ask("/api/v1/nodes"),
      ],
      [200, 403, 403, 403],
    );

    await must("DELETE", `${SHOP}/pods/caller?gracePeriodSeconds=0`);
    equal(await ask(`${SHOP}/configmaps`), 401);
  });

  it("ends with its account, also if one of the same name comes", async () => {
    await must("POST", `${SHOP}/serviceaccounts`, { metadata: { name: "robot" } });
    const token = await tokenOf("robot");
    const ask = async (): Promise<number> =>
      (await server.fetchBare("GET", "/api", undefined, bearer(token))).status;
    equal(await ask(), 200);
    await must("DELETE", `${SHOP}/serviceaccounts/robot`);
    equal(await ask(), 401);
    await must("POST", `${SHOP}/serviceaccounts`, { metadata: { name: "robot" } });
    equal(await ask(), 401);
  });

  it("for another audience does not open this door", async () => {
    const token = await tokenOf("default", { audiences: ["vault"] });
    equal((await server.fetchBare("GET", "/api", undefined, bearer(token))).status, 401);
  });

  it("that was changed by a letter is nobody's", async () => {
    const token = await tokenOf("default");
    for (const at of [5, Math.floor(token.length / 2), token.length - 10]) {
      const other = token[at] === "A" ? "B" : "A";
      const forged = `${token.slice(0, at)}${other}${token.slice(at + 1)}`;
      equal(
        (await server.fetchBare("GET", "/api", undefined, bearer(forged))).status,
        401,
        `at ${at}`,
      );
    }
  });
});

describe("Somebody who would have more", () => {
  it("cannot make a role with rights that they do not hold", async () => {
    const role = {
      metadata: { name: "more" },
      rules: [{ apiGroups: ["example.com"], resources: ["things"], verbs: ["get"] }],
    };
    await refused(
      as("ann")("POST", `${RBAC}/namespaces/shop/roles`, role),
      /^roles\.rbac\.authorization\.k8s\.io "more" is forbidden: user "ann" \(groups=\["system:authenticated"\]\) is attempting to grant RBAC permissions not currently held:\n\{APIGroups:\["example\.com"\], Resources:\["things"\], Verbs:\["get"\]\}$/,
    );
    await refused(
      as("ed")("POST", `${RBAC}/namespaces/shop/roles`, role),
      /User "ed" cannot create resource "roles"/,
    );
  });

  it("cannot bind a role that is more than they hold, and can bind what they hold", async () => {
    const binding = (name: string): object => ({
      metadata: { name: `bound-${name}` },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "ann" }],
    });
    const bindings = `${RBAC}/namespaces/shop/rolebindings`;
    await refused(
      as("ann")("POST", bindings, binding("cluster-admin")),
      /is attempting to grant RBAC permissions not currently held:\n\{APIGroups:\["\*"\], Resources:\["\*"\], Verbs:\["\*"\]\}/,
    );
    equal((await as("ann")("POST", bindings, binding("view"))).status, 201);
  });

  it("cannot reach what lives nowhere through the path of their namespace", async () => {
    await must("POST", `${RBAC}/namespaces/shop/roles`, {
      metadata: { name: "everything" },
      rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }],
    });
    await must("POST", `${RBAC}/namespaces/shop/rolebindings`, {
      metadata: { name: "everything" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "everything" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "zoe" }],
    });
    const zoe = as("zoe");
    const asked = [
      zoe("GET", `${SHOP}/namespaces`),
      zoe("GET", `${SHOP}/namespaces/kube-system`),
      zoe("POST", `${SHOP}/namespaces`, { metadata: { name: "mine" } }),
      zoe("PATCH", `${SHOP}/namespaces/kube-system`, { metadata: { labels: { a: "b" } } }, merge),
      zoe("DELETE", `${SHOP}/namespaces/kube-node-lease`),
      zoe("PUT", `${SHOP}/namespaces/kube-node-lease/finalize`, { spec: { finalizers: [] } }),
      zoe("GET", `${SHOP}/nodes`),
      zoe("GET", `${RBAC}/namespaces/shop/clusterroles`),
    ];
    for (const answer of await Promise.all(asked)) equal(answer.status, 404, answer.text);
    equal((await zoe("GET", SHOP)).status, 200, "their own they may see");
    await refused(
      zoe("GET", "/api/v1/namespaces/kube-system"),
      / cannot get resource "namespaces"/,
    );
  });

  it("needs the right to create for a PUT or an apply that creates", async () => {
    await must("POST", `${RBAC}/namespaces/shop/roles`, {
      metadata: { name: "changer" },
      rules: [
        { apiGroups: ["", "coordination.k8s.io"], resources: ["*"], verbs: ["patch", "update"] },
      ],
    });
    await must("POST", `${RBAC}/namespaces/shop/rolebindings`, {
      metadata: { name: "changer" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "changer" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "max" }],
    });
    const leases = "/apis/coordination.k8s.io/v1/namespaces/shop/leases";
    const lease = { metadata: { name: "l" }, spec: { leaseDurationSeconds: 1 } };
    const apply = { "content-type": "application/apply-patch+yaml" };
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "made" } };
    await refused(as("max")("PUT", `${leases}/l`, lease), / cannot create resource "leases"/);
    await refused(
      as("max")("PATCH", `${SHOP}/secrets/made?fieldManager=a`, secret, apply),
      / cannot create resource "secrets"/,
    );
  });

  it("learns nothing of other namespaces by a review in their own", async () => {
    const { status, text } = await as("ann")(
      "POST",
      "/apis/authorization.k8s.io/v1/namespaces/shop/localsubjectaccessreviews",
      {
        metadata: { namespace: "kube-system" },
        spec: {
          user: "eve",
          resourceAttributes: { namespace: "kube-system", verb: "get", resource: "secrets" },
        },
      },
    );
    equal(status, 400, text);
    match(
      text,
      /the namespace of the provided object does not match the namespace sent on the request/,
    );
  });

  it("cannot be somebody else", async () => {
    const token = await tokenOf("default");
    const asAnn = { "impersonate-user": "ann" };
    const answer = await server.fetchBare("GET", "/api", undefined, { ...bearer(token), ...asAnn });
    equal(answer.status, 403);
    equal(
      messageOf(answer),
      'users "ann" is forbidden: User "system:serviceaccount:shop:default" cannot impersonate resource "users" in API group "" at the cluster scope',
    );
  });
});
