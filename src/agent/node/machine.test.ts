import { deepEqual, equal, ok } from "node:assert/strict";
import { describe, it } from "node:test";
import { tempDir } from "../../base/testing/temp-dir.ts";
import { readMachine } from "./machine.ts";

describe("readMachine", () => {
  it("reads what the kernel and the distribution say", () => {
    using root = tempDir();
    root.write({
      "sys/devices/system/cpu/online": "0-3,8\n",
      "proc/meminfo": "MemTotal:       24682416 kB\nMemFree:        20370392 kB\n",
      "sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages": "3\n",
      "sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages": "0\n",
      "etc/machine-id": "0123456789abcdef\n",
      "sys/class/dmi/id/product_uuid": "AB-CD\n",
      "proc/sys/kernel/random/boot_id": "b00t\n",
      "proc/sys/kernel/osrelease": "6.1.0-18-amd64\n",
      "etc/os-release": 'NAME="Debian"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n',
    });
    deepEqual(readMachine(root.path), {
      cpus: 5,
      memoryBytes: 24682416 * 1024,
      hugePages: new Map([
        [1024 ** 3, 0],
        [2 * 1024 ** 2, 3],
      ]),
      machineId: "0123456789abcdef",
      systemUuid: "ab-cd",
      bootId: "b00t",
      kernelVersion: "6.1.0-18-amd64",
      osImage: "Debian GNU/Linux 12 (bookworm)",
    });
  });

  it("makes do with less", () => {
    using root = tempDir();
    root.write({
      "proc/cpuinfo": "processor\t: 0\nmodel name\t: x\n\nprocessor\t: 1\n",
      "etc/machine-id": "0123\n",
      "usr/lib/os-release": "PRETTY_NAME=Alpine\n",
    });
    const machine = readMachine(root.path);
    equal(machine.cpus, 2);
    equal(machine.systemUuid, "0123");
    equal(machine.osImage, "Alpine");
    equal(machine.hugePages.size, 0);
  });

  it("finds something on this machine", () => {
    const { cpus, memoryBytes, kernelVersion } = readMachine("/");
    ok(cpus >= 1 && memoryBytes > 0 && kernelVersion !== "");
  });
});
