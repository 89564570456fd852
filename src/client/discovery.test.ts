import { deepEqual, equal, rejects } from "node:assert/strict";
import { describe, it } from "node:test";
import {
  apiGroupListDocument,
  apiResourceListDocument,
  apiVersionsDocument,
  groupDiscoveryDocument,
} from "../api/discovery.ts";
import { kinds } from "../api/kinds.ts";
import { forbidden, type StatusError } from "../api/status-error.ts";
import { FakeClock } from "../base/testing/fake-clock.ts";
import { ApiClient } from "./api-client.ts";
import { type Discovered, discover } from "./discovery.ts";
import type { Transport } from "./transport.ts";

describe("discover", () => {
  it("finds the same in two documents as in many", async () => {
    const legacy = await discover(clientOf(legacyDocuments));
    const aggregated = await discover(
      clientOf({
        "/api": groupDiscoveryDocument(kinds, { path: "/api", format: "v2" }),
        "/apis": groupDiscoveryDocument(kinds, { path: "/apis", format: "v2" }),
      }),
    );
    deepEqual(aggregated.resources, legacy.resources);
    equal(legacy.resources.length, kinds.length);
    const { verbs = [], ...pods } =
      legacy.resources.find(({ resource: name }) => name === "pods") ?? {};
    deepEqual(pods, {
      ...{ group: "", version: "v1", kind: "Pod", resource: "pods", namespaced: true },
      ...{ singular: "pod", shortNames: ["po"], categories: ["all"], isPreferred: true },
    });
    equal(verbs.includes("watch"), true);
  });

  it("prefers the version that the server prefers, and takes what only another one has", async () => {
    const found = await discover(clientOf(twoVersions));
    deepEqual(preferred(found), ["x/v1 both", "x/v1beta1 old"]);
    equal(found.resources.length, 3);
  });

  it("says what could not be told, and tells the rest", async () => {
    const refusal = forbidden({ group: "", resource: "x", kind: "X" }, "", "not you");
    const found = await discover(clientOf({ ...twoVersions, "/apis/x/v1": refusal }));
    deepEqual([...found.failures], [["x/v1", refusal.message]]);
    deepEqual(preferred(found), ["x/v1beta1 both", "x/v1beta1 old"]);
  });

  it("does not take a stale group for an empty one", async () => {
    const versions = [{ version: "v1", freshness: "Stale", resources: [] }];
    const items = [{ metadata: { name: "x" }, versions }];
    const found = await discover(
      clientOf({ "/api": NOTHING, "/apis": { kind: "APIGroupDiscoveryList", items } }),
    );
    deepEqual([...found.failures], [["x/v1", "stale GroupVersion discovery: x/v1"]]);
  });

  it("tells of names that are no group and version", async () => {
    const found = await discover(
      clientOf({ ...twoVersions, "/apis/x/v1": { groupVersion: "a/b/c", resources: [] } }),
    );
    deepEqual(found.misnamed, ["a/b/c"]);
  });

  it("fails if the server does not tell its groups", async () => {
    const refusal = forbidden({ group: "", resource: "x", kind: "X" }, "", "not you");
    await rejects(discover(clientOf({ ...twoVersions, "/apis": refusal })), /not you/);
  });
});

type Documents = Readonly<Record<string, object>>;

const NOTHING = { kind: "APIVersions", versions: [] };

const legacyDocuments: Documents = {
  "/api": apiVersionsDocument(kinds, ""),
  "/apis": apiGroupListDocument(kinds),
  ...Object.fromEntries(
    kinds.map(({ group, version }) => [
      group === "" ? `/api/${version}` : `/apis/${group}/${version}`,
      apiResourceListDocument(kinds, group, version),
    ]),
  ),
};

const resource = { singularName: "", namespaced: true, kind: "K", verbs: ["get"] };
const twoVersions: Documents = {
  "/api": NOTHING,
  "/apis": {
    groups: [
      {
        name: "x",
        versions: [{ version: "v1beta1" }, { version: "v1" }],
        preferredVersion: { version: "v1" },
      },
    ],
  },
  "/apis/x/v1": {
    groupVersion: "x/v1",
    resources: [
      { ...resource, name: "both" },
      { ...resource, name: "both/status" },
    ],
  },
  "/apis/x/v1beta1": {
    groupVersion: "x/v1beta1",
    resources: [
      { ...resource, name: "both" },
      { ...resource, name: "old" },
    ],
  },
};

function preferred({ resources }: Discovered): string[] {
  return resources
    .filter(({ isPreferred }) => isPreferred)
    .map(({ group, version, resource: name }) => `${group}/${version} ${name}`);
}

function clientOf(documents: Documents): ApiClient {
  const connection = { server: "https://fake", isInsecure: false, namespace: "default" };
  const transport: Transport = {
    isConnected: true,
    connections: 1,
    answers: () => Promise.resolve(true),
    send: ({ path }) => {
      const document = documents[path] ?? {};
      const refusal = document instanceof Error ? (document as StatusError) : undefined;
      const text = JSON.stringify(refusal?.toStatus() ?? document);
      const body = once(Buffer.from(text));
      return Promise.resolve({ code: refusal?.code ?? 200, retryAfter: undefined, body });
    },
    close: () => Promise.resolve(),
    [Symbol.dispose]() {},
  };
  return new ApiClient({ connection, clock: new FakeClock(), timeoutMs: 1000, transport });
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}
