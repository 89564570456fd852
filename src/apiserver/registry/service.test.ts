import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../api/json.ts";
import { itAccepts, itJudgesUpdates, itRefuses } from "./testing/refusals.ts";
import { created, merged, strategyFor, updated, withStatus } from "./testing/writes.ts";

const good = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "x" },
  spec: { ports: [{ port: 80 }], selector: { app: "x" } },
};
const balanced = merged(good, { spec: { type: "LoadBalancer" } });
const addressed = merged(good, { spec: { clusterIP: "10.0.0.1" } });

describe("Service", () => {
  itAccepts(good);
  itAccepts(balanced);
  itAccepts(addressed);
  itAccepts(merged(good, { spec: { clusterIP: "None", ports: null } }));

  itRefuses(good, [
    ["no ports", { spec: { ports: null } }, "spec.ports: Required value"],
    [
      "ports that are wrong",
      { spec: { ports: [{ port: 0, targetPort: "UP", protocol: "x" }, { port: 1 }] } },
      "spec.ports[0].name: Required value",
      "spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive",
      'spec.ports[0].protocol: Unsupported value: "x": supported values: "SCTP", "TCP", "UDP"',
      `spec.ports[0].targetPort: Invalid value: "UP": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)`,
      `spec.ports[0].targetPort: Invalid value: "UP": must contain at least one letter (a-z)`,
      "spec.ports[1].name: Required value",
    ],
    [
      "a port twice",
      {
        spec: {
          ports: [
            { name: "a", port: 80 },
            { name: "a", port: 80 },
          ],
        },
      },
      'spec.ports[1].name: Duplicate value: "a"',
      'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}',
    ],
    [
      "a node port inside the cluster",
      { spec: { ports: [{ port: 80, nodePort: 30_000 }] } },
      "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'",
    ],
    [
      "an unknown type",
      { spec: { type: "x" } },
      'spec.type: Unsupported value: "x": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
    ],
    [
      "an unknown affinity",
      { spec: { sessionAffinity: "x" } },
      'spec.sessionAffinity: Unsupported value: "x": supported values: "ClientIP", "None"',
    ],
    [
      "an affinity that lasts too long",
      {
        spec: {
          sessionAffinity: "ClientIP",
          sessionAffinityConfig: { clientIP: { timeoutSeconds: 86_401 } },
        },
      },
      "spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 86401: must be greater than 0 and less than 86400",
    ],
    [
      "an address that is none",
      { spec: { clusterIP: "10.0.0" } },
      'spec.clusterIPs[0]: Invalid value: "10.0.0": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ],
    [
      "addresses that contradict each other",
      { spec: { clusterIP: "10.0.0.1", clusterIPs: ["10.0.0.2", "10.0.0.3"] } },
      'spec.clusterIPs: Invalid value: ["10.0.0.2","10.0.0.3"]: first value must match `clusterIP`',
      'spec.clusterIPs: Invalid value: ["10.0.0.2","10.0.0.3"]: may specify no more than one IP for each IP family',
    ],
    [
      "an address of another family",
      { spec: { clusterIP: "10.0.0.1", ipFamilies: ["IPv6"] } },
      'spec.clusterIPs[0]: Invalid value: "10.0.0.1": expected an IPv6 value as indicated by `ipFamilies[0]`',
    ],
    [
      "an external address that is local",
      { spec: { externalIPs: ["127.0.0.1"] } },
      'spec.externalIPs[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
    ],
    [
      "what belongs to load balancers",
      {
        spec: {
          loadBalancerSourceRanges: ["10.0.0.0/8"],
          loadBalancerClass: "a.b/c",
          allocateLoadBalancerNodePorts: true,
          externalTrafficPolicy: "Local",
          healthCheckNodePort: 30_000,
        },
      },
      "spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'",
      "spec.allocateLoadBalancerNodePorts: Forbidden: may only be used when `type` is 'LoadBalancer'",
      "spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'",
      'spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services',
      "spec.healthCheckNodePort: Invalid value: 30000: may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
    ],
    [
      "an external name that is missing",
      { spec: { type: "ExternalName", clusterIP: "10.0.0.1" } },
      "spec.clusterIPs: Forbidden: may not be set for ExternalName services",
      "spec.externalName: Required value",
    ],
    [
      "unknown policies of traffic",
      { spec: { internalTrafficPolicy: "x", trafficDistribution: "y" } },
      'spec.internalTrafficPolicy: Unsupported value: "x": supported values: "Cluster", "Local"',
      'spec.trafficDistribution: Unsupported value: "y": supported values: "PreferClose", "PreferSameZone", "PreferSameNode"',
    ],
  ]);

  itRefuses(balanced, [
    [
      "a load balancer without an address",
      { spec: { clusterIP: "None" } },
      `spec.clusterIPs[0]: Invalid value: "None": may not be set to 'None' for LoadBalancer services`,
    ],
    [
      "ranges that are none",
      { spec: { loadBalancerSourceRanges: ["10.0.0.1/8"] } },
      'spec.LoadBalancerSourceRanges[0]: Invalid value: "10.0.0.1/8": must not have bits set beyond the prefix length',
    ],
  ]);

  itJudgesUpdates(addressed, [
    [
      "changes the address",
      { spec: { clusterIP: "10.0.0.2" } },
      'spec.clusterIPs[0]: Invalid value: ["10.0.0.2"]: may not change once set',
    ],
    ["leave out the address, which stays", { spec: { clusterIP: null } }],
    ["become a name", { spec: { type: "ExternalName", externalName: "example.com" } }],
  ]);

  it("speaks TCP to the same port when nothing else is said, and is given no address", () => {
    const { spec, status } = created(good).object;
    assert.deepEqual(spec, {
      ports: [{ protocol: "TCP", port: 80, targetPort: 80 }],
      selector: { app: "x" },
      type: "ClusterIP",
      sessionAffinity: "None",
      internalTrafficPolicy: "Cluster",
    });
    assert.deepEqual(status, { loadBalancer: {} });
  });

  it("lists a single address as the first of its addresses", () => {
    assert.deepEqual((created(addressed).object["spec"] as JsonObject)["clusterIPs"], ["10.0.0.1"]);
  });

  it("keeps addresses and node ports that an update leaves out", () => {
    const nodes = merged(addressed, {
      spec: { type: "NodePort", ports: [{ port: 80, nodePort: 30_000 }] },
    });
    const sparse = merged(good, { spec: { type: "NodePort", ports: [{ port: 81 }] } });
    const { object, errors } = updated(nodes, sparse);
    assert.deepEqual(errors, []);
    const { clusterIP, clusterIPs, ports } = object["spec"] as JsonObject;
    assert.deepEqual([clusterIP, clusterIPs], ["10.0.0.1", ["10.0.0.1"]]);
    assert.deepEqual(ports, [{ protocol: "TCP", port: 81, targetPort: 81, nodePort: 30_000 }]);
  });

  it("loses what belonged to its type when the type changes", () => {
    const nodes = merged(good, {
      spec: { type: "NodePort", ports: [{ port: 80, nodePort: 30_000 }] },
    });
    const inside = merged(nodes, { spec: { type: "ClusterIP", externalTrafficPolicy: "Cluster" } });
    const { object, errors } = updated(nodes, inside);
    assert.deepEqual(errors, []);
    const { ports, externalTrafficPolicy } = object["spec"] as JsonObject;
    assert.deepEqual(ports, [{ protocol: "TCP", port: 80, targetPort: 80 }]);
    assert.equal(externalTrafficPolicy, undefined);
  });

  it("refuses entries of a load balancer that it does not have", () => {
    const status = { loadBalancer: { ingress: [{ ip: "10.0.0.1" }] } };
    assert.deepEqual(withStatus(good, {}, status).errors, [
      "status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'",
    ]);
    const wrong = { loadBalancer: { ingress: [{ hostname: "10.0.0.1", ipMode: "VIP" }] } };
    assert.deepEqual(withStatus(balanced, {}, wrong).errors, [
      "status.loadBalancer.ingress[0].ipMode: Forbidden: may not be specified when `ip` is not set",
      'status.loadBalancer.ingress[0].hostname: Invalid value: "10.0.0.1": must be a DNS name, not an IP address',
    ]);
    assert.deepEqual(withStatus(balanced, {}, status).errors, []);
  });

  it("warns of what is ignored or will go", () => {
    const strategy = strategyFor("v1", "Service");
    const headless = merged(good, {
      spec: { clusterIP: "None", sessionAffinity: "ClientIP", externalName: "a.b" },
    });
    assert.deepEqual(strategy.warnings?.(created(headless).object, undefined), [
      "spec.SessionAffinity is ignored for headless services",
      'spec.externalName is ignored when spec.type is not "ExternalName"',
    ]);
    const external = merged(good, { spec: { externalIPs: ["2001:DB8::1"] } });
    assert.deepEqual(strategy.warnings?.(created(external).object, undefined), [
      'spec.externalIPs[0]: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
      "spec.externalIPs is deprecated and may no longer be implemented in some clusters",
    ]);
  });
});
