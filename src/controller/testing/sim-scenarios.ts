// What controllers do to an API server, as short scripts that run against any. The simulated cluster answers as a real one does: both are
// asked the same, and what they say is compared.

import { isJsonObject, type JsonObject, type JsonValue } from "../../api/json.ts";
import type { Method } from "../../client/transport.ts";

export interface Asked {
  readonly method: Method;
  readonly path: string;
  readonly body?: JsonValue;
  /** Of a patch. */
  readonly patch?: "json" | "merge" | "strategic";
}

export interface Said {
  readonly code: number;
  readonly body: JsonObject;
}

export type Ask = (asked: Asked) => Promise<Said>;

export interface Scenario {
  readonly name: string;
  /** What the server answers, request by request. */
  readonly codes: readonly number[];
  readonly run: (ask: Ask) => Promise<void>;
}

const core = "/api/v1/namespaces/default";
const apps = "/apis/apps/v1/namespaces/default";
const labels = { app: "web" };
const template = {
  metadata: { labels },
  spec: {
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 5,
    containers: [{ name: "c", image: "i:1" }],
  },
};
const pod = { metadata: { name: "p", labels }, spec: template.spec };
const set = {
  metadata: { name: "s" },
  spec: { replicas: 2, selector: { matchLabels: labels }, template },
};
const owner = {
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  name: "s",
  uid: "u-1",
  controller: true,
};

const post = (path: string, body: JsonValue): Asked => ({ method: "POST", path, body });
const put = (path: string, body: JsonValue): Asked => ({ method: "PUT", path, body });
const get = (path: string): Asked => ({ method: "GET", path });
const remove = (path: string, body?: JsonObject): Asked => ({
  method: "DELETE",
  path,
  ...(body !== undefined && { body: { kind: "DeleteOptions", apiVersion: "v1", ...body } }),
});
const patch = (path: string, how: "json" | "merge" | "strategic", body: JsonValue): Asked => ({
  method: "PATCH",
  path,
  body,
  patch: how,
});
const bind = (name: string, node: string): Asked =>
  post(`${core}/pods/${name}/binding`, {
    apiVersion: "v1",
    kind: "Binding",
    metadata: { name },
    target: { apiVersion: "v1", kind: "Node", name: node },
  });

/** Requests that do not depend on each other's answers. */
function script(...asked: readonly Asked[]): Scenario["run"] {
  return async (ask) => {
    for (const one of asked) await ask(one);
  };
}

export const scenarios: readonly Scenario[] = [
  {
    name: "a pod is made once, changed and deleted",
    codes: [201, 409, 200, 200, 200, 404, 404],
    run: script(
      post(`${core}/pods`, pod),
      post(`${core}/pods`, pod),
      patch(`${core}/pods/p`, "strategic", { metadata: { labels: { more: "yes" } } }),
      get(`${core}/pods?labelSelector=more%3Dyes&fieldSelector=status.phase%3DPending`),
      remove(`${core}/pods/p`),
      get(`${core}/pods/p`),
      remove(`${core}/pods/p`),
    ),
  },
  {
    name: "a pod on a node goes when its node lets go of it",
    codes: [201, 201, 409, 200, 200, 200, 200, 404],
    run: script(
      post(`${core}/pods`, pod),
      bind("p", "n"),
      bind("p", "other"),
      remove(`${core}/pods/p`),
      remove(`${core}/pods/p`),
      get(`${core}/pods/p`),
      remove(`${core}/pods/p`, { gracePeriodSeconds: 0 }),
      get(`${core}/pods/p`),
    ),
  },
  {
    name: "a pod that is going cannot be bound, and one that is over goes at once",
    codes: [201, 201, 200, 200, 404],
    run: script(
      post(`${core}/pods`, pod),
      bind("p", "n"),
      patch(`${core}/pods/p/status`, "merge", { status: { phase: "Succeeded" } }),
      remove(`${core}/pods/p`),
      get(`${core}/pods/p`),
    ),
  },
  {
    name: "adoption and release are bound to the uid",
    codes: [201, 200, 200, 422, 409],
    run: async (ask) => {
      const made = await ask(post(`${core}/pods`, pod));
      const { uid } = made.body["metadata"] as JsonObject;
      const owned = { metadata: { uid, ownerReferences: [owner] } };
      await ask(patch(`${core}/pods/p`, "strategic", owned));
      const released = { metadata: { uid, ownerReferences: [{ $patch: "delete", uid: "u-1" }] } };
      await ask(patch(`${core}/pods/p`, "strategic", released));
      await ask(patch(`${core}/pods/p`, "strategic", { metadata: { uid: "another" } }));
      await ask(remove(`${core}/pods/p`, { preconditions: { uid: "another" } }));
    },
  },
  {
    name: "a status is written through its own endpoint only",
    codes: [201, 200, 200, 200],
    run: async (ask) => {
      const { body } = await ask(post(`${apps}/replicasets`, set));
      const status = { replicas: 2, readyReplicas: 1, observedGeneration: 1 };
      await ask(put(`${apps}/replicasets/s`, { ...body, status }));
      await ask(
        put(`${apps}/replicasets/s/status`, {
          ...body,
          status,
          spec: { ...(body["spec"] as JsonObject), replicas: 9 },
        }),
      );
      await ask(get(`${apps}/replicasets/s`));
    },
  },
  {
    name: "who writes an old version is refused",
    codes: [201, 200, 409, 200, 200],
    run: async (ask) => {
      const { body } = await ask(post(`${apps}/replicasets`, set));
      const spec = { ...(body["spec"] as JsonObject), replicas: 3 };
      await ask(put(`${apps}/replicasets/s`, { ...body, spec }));
      const again = { ...spec, replicas: 4 };
      await ask(put(`${apps}/replicasets/s`, { ...body, spec: again }));
      await ask(
        patch(`${apps}/replicasets/s`, "json", [
          { op: "replace", path: "/spec/replicas", value: 5 },
        ]),
      );
      await ask(get(`${apps}/replicasets/s`));
    },
  },
  {
    name: "generations count changes of the spec, and of a deployment's annotations",
    codes: [201, 200, 200, 200, 200, 200],
    run: script(
      post(`${apps}/deployments`, { ...set, metadata: { name: "d" } }),
      patch(`${apps}/deployments/d`, "merge", { metadata: { labels: { a: "b" } } }),
      patch(`${apps}/deployments/d`, "merge", { metadata: { annotations: { a: "b" } } }),
      patch(`${apps}/deployments/d`, "merge", { spec: { replicas: 7 } }),
      patch(`${apps}/deployments/d`, "merge", { spec: { replicas: 7 } }),
      patch(`${apps}/deployments/d/status`, "merge", { status: { observedGeneration: 2 } }),
    ),
  },
  {
    name: "a daemon set counts its templates",
    codes: [201, 200, 200],
    run: script(
      post(`${apps}/daemonsets`, {
        metadata: { name: "ds" },
        spec: { selector: { matchLabels: labels }, template },
      }),
      patch(`${apps}/daemonsets/ds`, "merge", { spec: { minReadySeconds: 3 } }),
      patch(`${apps}/daemonsets/ds`, "strategic", {
        spec: { template: { spec: { containers: [{ name: "c", image: "i:2" }] } } },
      }),
    ),
  },
  {
    name: "a scale is the number of replicas",
    codes: [201, 200, 200, 200],
    run: script(
      post(`${apps}/replicasets`, set),
      get(`${apps}/replicasets/s/scale`),
      patch(`${apps}/replicasets/s/scale`, "merge", { spec: { replicas: 4 } }),
      get(`${apps}/replicasets/s`),
    ),
  },
  {
    name: "the garbage collector's finalizers hold what is deleted",
    codes: [201, 200, 200, 200, 404],
    run: script(
      post(`${apps}/replicasets`, set),
      remove(`${apps}/replicasets/s`, { propagationPolicy: "Orphan" }),
      remove(`${apps}/replicasets/s`, { propagationPolicy: "Foreground" }),
      patch(`${apps}/replicasets/s`, "merge", { metadata: { finalizers: null } }),
      get(`${apps}/replicasets/s`),
    ),
  },
  {
    name: "what is wrong is refused as invalid",
    codes: [422, 422, 404, 404],
    run: script(
      post(`${apps}/replicasets`, {
        metadata: { name: "s" },
        spec: { selector: { matchLabels: { other: "x" } }, template },
      }),
      post(`${core}/pods`, { metadata: { name: "Bad_Name" }, spec: {} }),
      post("/api/v1/namespaces/nowhere/pods", pod),
      patch(`${core}/pods/nobody`, "merge", { metadata: { labels } }),
    ),
  },
  {
    name: "a namespace goes when it was let go of",
    codes: [201, 403, 201, 200, 403, 200, 404],
    run: async (ask) => {
      const one = "/api/v1/namespaces/one";
      const { body } = await ask(post("/api/v1/namespaces", { metadata: { name: "one" } }));
      await ask(remove("/api/v1/namespaces/default"));
      await ask(post(`${one}/configmaps`, { metadata: { name: "c" } }));
      await ask(remove(one));
      await ask(post(`${one}/configmaps`, { metadata: { name: "late" } }));
      const { resourceVersion: _, ...metadata } = body["metadata"] as JsonObject;
      await ask(put(`${one}/finalize`, { ...body, metadata, spec: { finalizers: [] } }));
      await ask(get(one));
    },
  },
  {
    name: "a new node is tainted, and says itself how it is",
    codes: [201, 200, 200],
    run: script(
      post("/api/v1/nodes", {
        metadata: { name: "n" },
        status: { capacity: { cpu: "2", memory: "1Gi", pods: "10" } },
      }),
      patch("/api/v1/nodes/n", "merge", { spec: { unschedulable: true } }),
      patch("/api/v1/nodes/n/status", "strategic", {
        status: { conditions: [{ type: "Ready", status: "True" }] },
      }),
    ),
  },
  {
    name: "a lease is written by its version, or made",
    codes: [201, 422, 200, 409],
    run: async (ask) => {
      const path = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
      const { body } = await ask(
        post(path, { metadata: { name: "l" }, spec: { holderIdentity: "a" } }),
      );
      const { resourceVersion: _, ...metadata } = body["metadata"] as JsonObject;
      await ask(put(`${path}/l`, { ...body, metadata }));
      await ask(put(`${path}/l`, { ...body, spec: { holderIdentity: "b" } }));
      await ask(put(`${path}/l`, { ...body, spec: { holderIdentity: "c" } }));
    },
  },
  {
    name: "all that a selector selects is deleted, and a pod is evicted",
    codes: [201, 201, 200, 200, 201, 404],
    run: script(
      post(`${core}/pods`, { ...pod, metadata: { name: "q", labels: { app: "other" } } }),
      post(`${core}/pods`, pod),
      remove(`${core}/pods?labelSelector=app%3Dother`),
      get(`${core}/pods`),
      post(`${core}/pods/p/eviction`, {
        apiVersion: "policy/v1",
        kind: "Eviction",
        metadata: { name: "p" },
      }),
      get(`${core}/pods/p`),
    ),
  },
];

/** Answers in a form in which two servers can be compared: without what is theirs alone. */
export class Recording {
  readonly lines: { readonly asked: string; readonly code: number; readonly body: JsonValue }[] =
    [];
  readonly #uids = new Map<string, string>();
  readonly #versions = new Map<string, string>();

  add({ method, path }: Asked, { code, body }: Said): void {
    const isList = Array.isArray(body["items"]);
    const shown = isList ? { items: body["items"] } : body;
    const version = isList ? {} : { changed: this.#hasChanged(body) };
    this.lines.push({
      asked: `${method} ${path}`,
      code,
      body: this.#plain({ ...version, ...shown }),
    });
  }

  /** Versions differ; whether one has changed does not. */
  #hasChanged(body: JsonObject): boolean {
    const { uid, resourceVersion } = (body["metadata"] ?? {}) as {
      uid?: string;
      resourceVersion?: string;
    };
    if (uid === undefined || resourceVersion === undefined) return false;
    const before = this.#versions.get(uid);
    this.#versions.set(uid, resourceVersion);
    return before !== resourceVersion;
  }

  #plain(value: JsonValue | undefined): JsonValue {
    if (Array.isArray(value)) return value.map((item) => this.#plain(item));
    if (typeof value === "string") return this.#plainText(value);
    if (!isJsonObject(value)) return value ?? null;
    const kept = Object.entries(value).filter(
      ([name, one]) => one !== undefined && !FOREIGN.has(name),
    );
    kept.sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(kept.map(([name, one]) => [name, this.#plain(one)]));
  }

  #plainText(text: string): string {
    return text
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "TIME")
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (uid) => {
        const name = this.#uids.get(uid) ?? `UID-${this.#uids.size + 1}`;
        this.#uids.set(uid, name);
        return name;
      });
  }
}

/** Who owns which field, and accounts that admission gives to pods: not simulated. */
const FOREIGN: ReadonlySet<string> = new Set([
  "managedFields",
  "resourceVersion",
  "serviceAccount",
  "serviceAccountName",
]);
