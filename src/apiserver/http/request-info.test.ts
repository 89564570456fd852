import { deepEqual, equal } from "node:assert/strict";
import { describe, it } from "node:test";
import { type RequestInfo, requestInfo } from "./request-info.ts";

function told(path: string): string {
  const info: RequestInfo | undefined = requestInfo(path);
  if (info === undefined) return "malformed";
  if (info.is === "other") return `other ${info.path}`;
  const { group, version, namespace, resource, name, subresource, isWatchPath } = info;
  const where = [
    group || "core",
    version,
    namespace || "-",
    resource,
    name || "-",
    subresource || "-",
  ];
  return `${where.join(" ")}${isWatchPath ? " watch" : ""}`;
}

const cases: readonly (readonly [string, string])[] = [
  ["/api/v1/configmaps", "core v1 - configmaps - -"],
  ["/api/v1/namespaces/n/configmaps", "core v1 n configmaps - -"],
  ["/api/v1/namespaces/n/configmaps/a", "core v1 n configmaps a -"],
  ["/api/v1/namespaces/n/pods/a/status", "core v1 n pods a status"],
  ["/apis/apps/v1/namespaces/n/deployments/d/scale", "apps v1 n deployments d scale"],
  ["/api/v1/namespaces", "core v1 - namespaces - -"],
  ["/api/v1/namespaces/n", "core v1 n namespaces n -"],
  ["/api/v1/namespaces/n/status", "core v1 n namespaces n status"],
  ["/api/v1/namespaces/n/finalize", "core v1 n namespaces n finalize"],
  ["/api/v1/nodes/a", "core v1 - nodes a -"],
  ["/api/v1/watch/namespaces/n/configmaps/a", "core v1 n configmaps a - watch"],
  ["/api/v1/watch/nodes", "core v1 - nodes - - watch"],
  [
    "/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode",
    "rbac.authorization.k8s.io v1 - clusterroles system:node -",
  ],
  ["/api/v1/namespaces/n/configmaps/", "core v1 n configmaps - -"],
  ["/api", "other /api"],
  ["/api/v1", "other /api/v1"],
  ["/apis/apps/v1/", "other /apis/apps/v1"],
  ["/healthz", "other /healthz"],
  ["/", "other /"],
  ["/api/v1/namespaces/%zz/configmaps", "malformed"],
];

describe("requestInfo", () => {
  for (const [path, expected] of cases) {
    it(`reads ${path}`, () => equal(told(path), expected));
  }

  it("does not let an encoded slash become a separator", () => {
    deepEqual(
      told("/api/v1/namespaces/n/configmaps/a%2Fstatus"),
      "core v1 n configmaps a/status -",
    );
  });
});
