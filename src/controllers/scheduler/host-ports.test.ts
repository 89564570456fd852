import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PodSpec } from "../../api/types.ts";
import { HostPorts, hostPortsOf } from "./host-ports.ts";

const port = (address: string, name = "TCP/80"): { address: string; port: string } => ({
  address,
  port: name,
});

describe("HostPorts", () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ["0.0.0.0", "0.0.0.0", true],
    ["0.0.0.0", "127.0.0.1", true],
    ["127.0.0.1", "0.0.0.0", true],
    ["127.0.0.1", "127.0.0.1", true],
    ["127.0.0.1", "127.0.0.2", false],
  ];
  for (const [held, wanted, isTaken] of cases) {
    it(`${held} ${isTaken ? "meets" : "does not meet"} ${wanted}`, () => {
      const ports = new HostPorts();
      ports.add(port(held));
      assert.equal(ports.isTaken(port(wanted)), isTaken);
    });
  }

  it("keeps protocols apart", () => {
    const ports = new HostPorts();
    ports.add(port("0.0.0.0", "TCP/53"));
    assert.equal(ports.isTaken(port("0.0.0.0", "UDP/53")), false);
  });

  it("holds a port until the last who has it is gone", () => {
    const ports = new HostPorts();
    ports.add(port("0.0.0.0"));
    ports.add(port("0.0.0.0"));
    ports.remove(port("0.0.0.0"));
    assert.equal(ports.isTaken(port("0.0.0.0")), true);
    ports.remove(port("0.0.0.0"));
    assert.equal(ports.isTaken(port("0.0.0.0")), false);
  });
});

describe("hostPortsOf", () => {
  it("takes containers and sidecars, not what only runs at the start, and only ports of the host", () => {
    const ports = (hostPort: number): { containerPort: number; hostPort: number }[] => [
      { containerPort: 80, hostPort },
    ];
    const spec: PodSpec = {
      initContainers: [
        { name: "init", resources: {}, ports: ports(1) },
        { name: "sidecar", resources: {}, restartPolicy: "Always", ports: ports(2) },
      ],
      containers: [
        { name: "c", resources: {}, ports: [...ports(3), { containerPort: 4 }] },
        {
          name: "d",
          resources: {},
          ports: [{ containerPort: 5, hostPort: 5, protocol: "UDP", hostIP: "::1" }],
        },
      ],
    };
    assert.deepEqual(hostPortsOf(spec), [
      port("0.0.0.0", "TCP/2"),
      port("0.0.0.0", "TCP/3"),
      port("::1", "UDP/5"),
    ]);
  });
});
