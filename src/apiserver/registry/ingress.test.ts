import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../api/json.ts";
import { itAccepts, itRefuses } from "./testing/refusals.ts";
import { created, merged, strategyFor, withStatus } from "./testing/writes.ts";

const backend = { service: { name: "s", port: { number: 80 } } };
const good = {
  apiVersion: "networking.k8s.io/v1",
  kind: "Ingress",
  metadata: { name: "x" },
  spec: { rules: [rule({ path: "/", pathType: "Prefix", backend })] },
};

function rule(path: JsonObject, host = "example.com"): JsonObject {
  return { host, http: { paths: [path] } };
}

describe("Ingress", () => {
  itAccepts(good);

  itRefuses(good, [
    [
      "nothing to do",
      { spec: { rules: null } },
      "spec: Invalid value: null: either `defaultBackend` or `rules` must be specified",
    ],
    [
      "a path without a type",
      { spec: { rules: [rule({ path: "/", backend })] } },
      "spec.rules[0].http.paths[0].pathType: Required value: pathType must be specified",
    ],
    [
      "an unknown type of path",
      { spec: { rules: [rule({ path: "/", pathType: "x", backend })] } },
      'spec.rules[0].http.paths[0].pathType: Unsupported value: "x": supported values: "Exact", "ImplementationSpecific", "Prefix"',
    ],
    [
      "paths that could mean something else",
      { spec: { rules: [rule({ path: "a//b/..", pathType: "Exact", backend })] } },
      'spec.rules[0].http.paths[0].path: Invalid value: "a//b/..": must be an absolute path',
      `spec.rules[0].http.paths[0].path: Invalid value: "a//b/..": must not contain '//'`,
      `spec.rules[0].http.paths[0].path: Invalid value: "a//b/..": cannot end with '/..'`,
    ],
    [
      "an address instead of a host",
      { spec: { rules: [rule({ path: "/", pathType: "Exact", backend }, "10.0.0.1")] } },
      'spec.rules[0].host: Invalid value: "10.0.0.1": must be a DNS name, not an IP address',
    ],
    [
      "a backend without a port",
      { spec: { defaultBackend: { service: { name: "s" } } } },
      "spec.defaultBackend: Required value: port name or number is required",
    ],
    [
      "a backend that is two things",
      { spec: { defaultBackend: { ...backend, resource: { kind: "K", name: "n" } } } },
      'spec.defaultBackend: Invalid value: "": cannot set both resource and service backends',
    ],
    [
      "a backend that is nothing",
      { spec: { defaultBackend: {} } },
      'spec.defaultBackend: Invalid value: "": resource or service backend is required',
    ],
    [
      "rules without paths",
      { spec: { rules: [{ http: {} }] } },
      "spec.rules[0].http.paths: Required value",
    ],
    [
      "a class that the annotation contradicts",
      {
        metadata: { annotations: { "kubernetes.io/ingress.class": "a" } },
        spec: { ingressClassName: "b" },
      },
      'annotations.kubernetes.io/ingress.class: Invalid value: "a": must match `ingressClassName` when both are specified',
    ],
  ]);

  it("warns of a class in an annotation, once", () => {
    const strategy = strategyFor("networking.k8s.io/v1", "Ingress");
    const { object } = created(
      merged(good, { metadata: { annotations: { "kubernetes.io/ingress.class": "a" } } }),
    );
    assert.deepEqual(strategy.warnings?.(object, undefined), [
      `annotation "kubernetes.io/ingress.class" is deprecated, please use 'spec.ingressClassName' instead`,
    ]);
    assert.deepEqual(strategy.warnings?.(object, object), []);
  });

  it("refuses entries of a load balancer that are no addresses", () => {
    const status = { loadBalancer: { ingress: [{ ip: "x" }] } };
    assert.deepEqual(withStatus(good, {}, status).errors, [
      'status.loadBalancer.ingress[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ]);
  });
});
