import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  apiGroupDocument,
  apiGroupListDocument,
  apiResourceListDocument,
  apiVersionsDocument,
  groupDiscoveryDocument,
} from "./discovery.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts";
import { kinds } from "./kinds.ts";

/** Order of keys counts: the documents are compared as text. */
function assertSameText(actual: JsonValue | undefined, expected: JsonValue): void {
  assert.equal(JSON.stringify(actual), JSON.stringify(expected));
}

function objectsOf(value: JsonValue | undefined): JsonObject[] {
  assert.ok(Array.isArray(value));
  return value.filter(isJsonObject);
}

function resourcesOf(group: string): JsonObject[] {
  return objectsOf(apiResourceListDocument(kinds, group, "v1")?.["resources"]);
}

function resourceOf(group: string, name: string): JsonObject | undefined {
  return resourcesOf(group).find((resource) => resource["name"] === name);
}

const everyVerb = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch",
];

describe("the legacy documents", () => {
  test("/api names the core version and where the server is", () => {
    assertSameText(apiVersionsDocument(kinds, "127.0.0.1:16443"), {
      kind: "APIVersions",
      versions: ["v1"],
      serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: "127.0.0.1:16443" }],
    });
  });

  test("/apis lists every group but the core group, once", () => {
    const names = objectsOf(apiGroupListDocument(kinds)["groups"]).map((group) => group["name"]);

    assert.deepEqual(names, [
      "apps",
      "events.k8s.io",
      "authentication.k8s.io",
      "authorization.k8s.io",
      "batch",
      "networking.k8s.io",
      "policy",
      "rbac.authorization.k8s.io",
      "coordination.k8s.io",
      "discovery.k8s.io",
      "driftless.dev",
    ]);
  });

  test("/apis/apps names its versions and the preferred one", () => {
    assertSameText(apiGroupDocument(kinds, "apps"), {
      kind: "APIGroup",
      apiVersion: "v1",
      name: "apps",
      versions: [{ groupVersion: "apps/v1", version: "v1" }],
      preferredVersion: { groupVersion: "apps/v1", version: "v1" },
    });
  });

  test("a group or version that is not served has no document", () => {
    assert.equal(apiGroupDocument(kinds, "project.openshift.io"), undefined);
    assert.equal(apiGroupDocument(kinds, ""), undefined);
    assert.equal(apiResourceListDocument(kinds, "apps", "v9"), undefined);
  });

  test("/apis/coordination.k8s.io/v1 lists its resources", () => {
    assertSameText(apiResourceListDocument(kinds, "coordination.k8s.io", "v1"), {
      kind: "APIResourceList",
      apiVersion: "v1",
      groupVersion: "coordination.k8s.io/v1",
      resources: [
        {
          name: "leases",
          singularName: "lease",
          namespaced: true,
          kind: "Lease",
          verbs: everyVerb,
        },
      ],
    });
  });

  test("/api/v1 has no apiVersion, as old clients know it", () => {
    const document = apiResourceListDocument(kinds, "", "v1");

    assert.deepEqual(Object.keys(document ?? {}), ["kind", "groupVersion", "resources"]);
  });

  test("short names come before categories", () => {
    assertSameText(resourceOf("", "pods"), {
      name: "pods",
      singularName: "pod",
      namespaced: true,
      kind: "Pod",
      verbs: everyVerb,
      shortNames: ["po"],
      categories: ["all"],
    });
  });

  test("a subresource is an entry of its own, and names group and version only if they are others", () => {
    assertSameText(resourceOf("", "namespaces/finalize"), {
      name: "namespaces/finalize",
      singularName: "",
      namespaced: false,
      kind: "Namespace",
      verbs: ["update"],
    });
    assertSameText(resourceOf("", "pods/eviction"), {
      name: "pods/eviction",
      singularName: "",
      namespaced: true,
      group: "policy",
      version: "v1",
      kind: "Eviction",
      verbs: ["create"],
    });
    assertSameText(resourceOf("", "pods/binding"), {
      name: "pods/binding",
      singularName: "",
      namespaced: true,
      kind: "Binding",
      verbs: ["create"],
    });
  });

  test("every list of resources is sorted, so that each subresource follows its resource", () => {
    for (const group of new Set(kinds.map((kind) => kind.group))) {
      const names = resourcesOf(group).map((resource) => JSON.stringify(resource["name"]));
      assert.deepEqual(names, names.toSorted());
    }
  });
});

describe("the aggregated documents", () => {
  function groupIn(path: "/api" | "/apis", name: string | undefined): JsonObject | undefined {
    const document = groupDiscoveryDocument(kinds, { path, format: "v2" });
    return objectsOf(document["items"]).find(
      ({ metadata }) => isJsonObject(metadata) && metadata["name"] === name,
    );
  }

  test("a document says in which format it is written", () => {
    for (const format of ["v2", "v2beta1"] as const) {
      const { items: _, ...rest } = groupDiscoveryDocument(kinds, { path: "/apis", format });
      assertSameText(rest, {
        kind: "APIGroupDiscoveryList",
        apiVersion: `apidiscovery.k8s.io/${format}`,
        metadata: {},
      });
    }
  });

  test("/api holds the core group alone, without a name", () => {
    const document = groupDiscoveryDocument(kinds, { path: "/api", format: "v2" });

    assert.deepEqual(
      objectsOf(document["items"]).map((group) => group["metadata"]),
      [{}],
    );
  });

  test("/apis does not hold the core group", () => {
    assert.equal(groupIn("/apis", undefined), undefined);
  });

  test("a group shows its resources with their subresources inside", () => {
    const [version] = objectsOf(groupIn("/apis", "apps")?.["versions"]);
    const { resources, ...rest } = version ?? {};
    const deployments = objectsOf(resources).find(
      (resource) => resource["resource"] === "deployments",
    );

    assertSameText(rest, { version: "v1", freshness: "Current" });
    assertSameText(deployments, {
      resource: "deployments",
      responseKind: { group: "", version: "", kind: "Deployment" },
      scope: "Namespaced",
      singularResource: "deployment",
      verbs: everyVerb,
      shortNames: ["deploy"],
      categories: ["all"],
      subresources: [
        {
          subresource: "scale",
          responseKind: { group: "autoscaling", version: "v1", kind: "Scale" },
          verbs: ["get", "patch", "update"],
        },
        {
          subresource: "status",
          responseKind: { group: "", version: "", kind: "Deployment" },
          verbs: ["get", "patch", "update"],
        },
      ],
    });
  });

  test("a resource without subresources does not mention them", () => {
    const [version] = objectsOf(groupIn("/apis", "coordination.k8s.io")?.["versions"]);

    assertSameText(version, {
      version: "v1",
      resources: [
        {
          resource: "leases",
          responseKind: { group: "", version: "", kind: "Lease" },
          scope: "Namespaced",
          singularResource: "lease",
          verbs: everyVerb,
        },
      ],
      freshness: "Current",
    });
  });
});
