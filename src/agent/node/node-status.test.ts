import { deepEqual, equal } from "node:assert/strict";
import { describe, it } from "node:test";
import type { NodeStatus } from "../../api/types.ts";
import { isNews, type NodeReport, statusPatch } from "./node-status.ts";

const report: NodeReport = {
  facts: {
    capacity: { cpu: "2", "hugepages-2Mi": "0" },
    allocatable: { cpu: "2", "hugepages-2Mi": "0" },
    addresses: [
      { type: "InternalIP", address: "10.0.0.1" },
      { type: "InternalIP", address: "fd00::1" },
    ],
    nodeInfo: { bootID: "b" } as NodeReport["facts"]["nodeInfo"],
  },
  conditions: [
    { type: "Ready", status: "True", reason: "R", message: "m", lastHeartbeatTime: "2" },
  ],
  port: 10_250,
};

const held: Partial<NodeStatus> = {
  capacity: { ...report.facts.capacity, "example.com/gpu": "1" },
  allocatable: { ...report.facts.allocatable },
  addresses: [...report.facts.addresses],
  daemonEndpoints: { kubeletEndpoint: { Port: 10_250 } },
  nodeInfo: { ...report.facts.nodeInfo, kubeProxyVersion: "" },
  conditions: [
    { type: "Other", status: "True" },
    { type: "Ready", status: "True", reason: "R", message: "m", lastHeartbeatTime: "1" },
  ],
};

describe("isNews", () => {
  const cases: Readonly<Record<string, readonly [Partial<NodeStatus>, boolean]>> = {
    "is false for what others wrote, and for a later heartbeat": [{}, false],
    "is true for another amount": [{ capacity: { ...held.capacity, cpu: "1" } }, true],
    "is true for another port": [{ daemonEndpoints: { kubeletEndpoint: { Port: 0 } } }, true],
    "is true for another boot": [{ nodeInfo: { ...report.facts.nodeInfo, bootID: "a" } }, true],
    "is true for addresses in another order": [
      { addresses: report.facts.addresses.toReversed() },
      true,
    ],
    "is true for another message": [
      { conditions: [{ type: "Ready", status: "True", reason: "R", message: "n" }] },
      true,
    ],
    "is true for a size of huge pages that is gone": [
      { capacity: { ...held.capacity, "hugepages-1Gi": "0" } },
      true,
    ],
    "is true for a new Node": [
      { capacity: undefined, allocatable: undefined, conditions: undefined, addresses: undefined },
      true,
    ],
  };
  for (const [name, [more, expected]] of Object.entries(cases)) {
    it(name, () => equal(isNews({ ...held, ...more }, report), expected));
  }
});

describe("statusPatch", () => {
  it("takes away sizes of huge pages that are gone, and replaces the addresses", () => {
    const status = { capacity: { "hugepages-1Gi": "0", "example.com/gpu": "1" } };
    deepEqual(statusPatch({ uid: "u", status }, report), {
      metadata: { uid: "u" },
      status: {
        capacity: { cpu: "2", "hugepages-2Mi": "0", "hugepages-1Gi": null },
        allocatable: { cpu: "2", "hugepages-2Mi": "0", "hugepages-1Gi": null },
        addresses: [...report.facts.addresses, { $patch: "replace" }],
        daemonEndpoints: { kubeletEndpoint: { Port: 10_250 } },
        nodeInfo: { bootID: "b" },
        conditions: report.conditions,
      },
    });
  });
});
