import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { itAccepts, itJudgesUpdates, itRefuses } from "./testing/refusals.ts";
import { created, merged, strategyFor, updated } from "./testing/writes.ts";

const endpoints = {
  apiVersion: "v1",
  kind: "Endpoints",
  metadata: { name: "x" },
  subsets: [{ addresses: [{ ip: "10.0.0.1" }], ports: [{ port: 80 }] }],
};
const slice = {
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: { name: "x" },
  addressType: "IPv4",
  endpoints: [{ addresses: ["10.0.0.1"] }],
  ports: [{ port: 80 }],
};

describe("Endpoints", () => {
  itAccepts(endpoints);

  itRefuses(endpoints, [
    [
      "a subset without addresses",
      { subsets: [{ ports: [{ port: 80 }] }] },
      "subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`",
    ],
    [
      "addresses at which nothing can be",
      { subsets: [{ addresses: [{ ip: "x" }], notReadyAddresses: [{ ip: "169.254.0.1" }] }] },
      'subsets[0].addresses[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      'subsets[0].addresses[0].ip: Invalid value: "x": must be a valid IP address',
      'subsets[0].notReadyAddresses[0].ip: Invalid value: "169.254.0.1": may not be in the link-local range (169.254.0.0/16, fe80::/10)',
    ],
    [
      "several ports without names",
      {
        subsets: [
          { addresses: [{ ip: "10.0.0.1" }], ports: [{ port: 1 }, { port: 0, name: "a" }] },
        ],
      },
      "subsets[0].ports[0].name: Required value",
      "subsets[0].ports[1].port: Invalid value: 0: must be between 1 and 65535, inclusive",
    ],
  ]);

  it("keeps addresses that were right when they were written", () => {
    const old = merged(endpoints, { subsets: [{ addresses: [{ ip: "127.0.0.1" }] }] });
    assert.notDeepEqual(created(old).errors, []);
    assert.deepEqual(updated(old, merged(old, { metadata: { labels: { a: "b" } } })).errors, []);
  });

  it("speaks TCP when nothing else is said", () => {
    const [subset] = created(endpoints).object["subsets"] as { ports: object[] }[];
    assert.deepEqual(subset?.ports, [{ port: 80, protocol: "TCP" }]);
  });
});

describe("EndpointSlice", () => {
  itAccepts(slice);

  itRefuses(slice, [
    [
      "an unknown type of address",
      { addressType: "x" },
      'addressType: Unsupported value: "x": supported values: "FQDN", "IPv4", "IPv6"',
    ],
    ["no type of address", { addressType: null }, "addressType: Required value"],
    [
      "an endpoint without addresses",
      { endpoints: [{}] },
      "endpoints[0].addresses: Required value",
    ],
    [
      "an address of another family",
      { endpoints: [{ addresses: ["2001:db8::1"] }] },
      'endpoints[0].addresses: Invalid value: "2001:db8::1": must be an IPv4 address',
    ],
    [
      "an IPv6 address that is not spelled as it should be",
      { addressType: "IPv6", endpoints: [{ addresses: ["2001:DB8::1"] }] },
      'endpoints[0].addresses[0]: Invalid value: "2001:DB8::1": must be in canonical form ("2001:db8::1")',
    ],
    [
      "a name with one part",
      { addressType: "FQDN", endpoints: [{ addresses: ["localhost"] }] },
      'endpoints[0].addresses[0]: Invalid value: "localhost": should be a domain with at least two segments separated by dots',
    ],
    ["two ports without names", { ports: [{}, {}] }, 'ports[1].name: Duplicate value: ""'],
    [
      "zones that are hinted at twice",
      {
        endpoints: [
          { addresses: ["10.0.0.1"], hints: { forZones: [{ name: "a" }, { name: "a" }] } },
        ],
      },
      'endpoints[0].hints.forZones[1].name: Duplicate value: "a"',
    ],
  ]);

  itJudgesUpdates(slice, [
    [
      "changes the type of address",
      { addressType: "FQDN", endpoints: [] },
      'addressType: Invalid value: "FQDN": field is immutable',
    ],
  ]);

  it("drops the old topology, and counts a change of labels as a generation", () => {
    const topology = { deprecatedTopology: { a: "b" }, addresses: ["10.0.0.1"] };
    const { object } = created(merged(slice, { endpoints: [topology] }));
    assert.deepEqual(object["endpoints"], [{ addresses: ["10.0.0.1"], conditions: {} }]);
    const base = merged(slice, { metadata: { generation: 1 } });
    const labelled = merged(base, { metadata: { labels: { a: "b" } } });
    assert.equal(updated(base, labelled).object.metadata.generation, 2);
  });

  it("warns of names instead of addresses", () => {
    const strategy = strategyFor("discovery.k8s.io/v1", "EndpointSlice");
    const { object } = created(merged(slice, { addressType: "FQDN", endpoints: [] }));
    assert.deepEqual(strategy.warnings?.(object, undefined), [
      "spec.addressType: FQDN endpoints are deprecated",
    ]);
  });
});
