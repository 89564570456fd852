import { deepEqual, equal } from "node:assert/strict";
import { describe, it } from "node:test";
import { type MachineFactsOptions, machineFacts, podFacts } from "./node-facts.ts";

const GI = 1024 ** 3;

function options(more: Partial<MachineFactsOptions> = {}): MachineFactsOptions {
  return {
    hostname: "host-1",
    machine: {
      cpus: 2,
      memoryBytes: 4 * GI,
      hugePages: new Map([
        [GI, 0],
        [2 * 1024 ** 2, 50],
      ]),
      machineId: "m",
      systemUuid: "s",
      bootId: "b",
      kernelVersion: "6.1",
      osImage: "Debian",
    },
    disk: { totalBytes: 1000 * 1024, freeBytes: 0, totalInodes: 0, freeInodes: 0 },
    maxPods: 110,
    addresses: ["10.0.0.7", "fd00::7"],
    architecture: "x64",
    runtimeVersion: "driftless-process://0.1.0",
    agentVersion: "v1.36.0",
    ...more,
  };
}

describe("machineFacts", () => {
  it("writes amounts as the API writes them back", () => {
    deepEqual(machineFacts(options()).capacity, {
      cpu: "2",
      pods: "110",
      "hugepages-1Gi": "0",
      "hugepages-2Mi": "100Mi",
      memory: "4Gi",
      "ephemeral-storage": "1000Ki",
    });
  });

  it("keeps back from pods what keeps the machine from pressure, and huge pages", () => {
    const { allocatable } = machineFacts(options());
    equal(allocatable["memory"], `${4096 - 100 - 100}Mi`);
    equal(allocatable["ephemeral-storage"], String(900 * 1024));
    equal(allocatable["cpu"], "2");
  });

  it("has the labels and the words of Kubernetes for the system", () => {
    const { labels, nodeInfo } = machineFacts(options());
    deepEqual(labels, {
      "kubernetes.io/arch": "amd64",
      "kubernetes.io/hostname": "host-1",
      "kubernetes.io/os": "linux",
    });
    equal(nodeInfo.architecture, "amd64");
    equal(machineFacts(options({ architecture: "arm64" })).nodeInfo.architecture, "arm64");
  });

  it("tells pods of the node's addresses, the primary one first, and not of its name", () => {
    const facts = machineFacts(options());
    deepEqual(facts.addresses.at(-1), { type: "Hostname", address: "host-1" });
    const { name, addresses } = podFacts("n1", facts);
    deepEqual([name, ...addresses], ["n1", "10.0.0.7", "fd00::7"]);
  });
});
