import { deepEqual, equal } from "node:assert/strict";
import { describe, it } from "node:test";
import { type Interfaces, nodeAddresses, sourceAddress } from "./node-addresses.ts";

const ip = (address: string, internal = false): NonNullable<Interfaces[string]>[number] => ({
  address,
  family: address.includes(":") ? "IPv6" : "IPv4",
  internal,
});

const interfaces: Interfaces = {
  lo: [ip("127.0.0.1", true), ip("::1", true)],
  docker0: [ip("172.17.0.1")],
  eth0: [ip("fe80::1"), ip("fd00::2"), ip("192.0.2.2"), ip("192.0.2.3")],
};

describe("nodeAddresses", () => {
  it("begins with the address that the server sees, and adds the other family of that interface", () => {
    const found = nodeAddresses({ named: [], source: "192.0.2.3", interfaces });
    deepEqual(found, ["192.0.2.3", "fd00::2"]);
    deepEqual(nodeAddresses({ named: [], source: "fd00::2", interfaces }), [
      "fd00::2",
      "192.0.2.2",
    ]);
  });

  it("takes the first that others can reach if the server is on this machine, or out of reach", () => {
    for (const source of ["127.0.0.1", undefined]) {
      deepEqual(nodeAddresses({ named: [], source, interfaces }), ["172.17.0.1"]);
    }
  });

  it("believes what was named, one of each family", () => {
    const named = ["10.1.1.1", "10.1.1.2", "fd01::1"];
    deepEqual(nodeAddresses({ named, source: "192.0.2.2", interfaces }), ["10.1.1.1", "fd01::1"]);
  });

  it("is never without one", () => {
    const { lo } = interfaces;
    deepEqual(nodeAddresses({ named: [], source: undefined, interfaces: { lo } }), ["127.0.0.1"]);
  });
});

describe("sourceAddress", () => {
  it("asks the kernel, without sending anything", async () => {
    equal(await sourceAddress("https://127.0.0.1:6443"), "127.0.0.1");
    equal(await sourceAddress("https://name.invalid:6443"), undefined);
  });
});
