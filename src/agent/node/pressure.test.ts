import { deepEqual, equal } from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { tempDir } from "../../base/testing/temp-dir.ts";
import { PressureMemory, type Pressures, pressuresOf, type Room, readRoom } from "./pressure.ts";

const MI = 1024 ** 2;
const disk = { totalBytes: 1000, freeBytes: 100, totalInodes: 100, freeInodes: 5 };
const room: Room = { disk, freeMemoryBytes: 100 * MI, processes: { running: 90, max: 100 } };
const none: Pressures = { memory: false, disk: false, pid: false };

describe("pressuresOf", () => {
  const cases: Readonly<Record<string, readonly [Partial<Room>, Pressures]>> = {
    "is calm at the limits": [{}, none],
    "knows a full disk": [{ disk: { ...disk, freeBytes: 99 } }, { ...none, disk: true }],
    "knows a disk without inodes": [{ disk: { ...disk, freeInodes: 4 } }, { ...none, disk: true }],
    "minds no inodes where there is no such number": [
      { disk: { ...disk, totalInodes: 0, freeInodes: 0 } },
      none,
    ],
    "knows full memory": [{ freeMemoryBytes: 100 * MI - 1 }, { ...none, memory: true }],
    "knows too many processes": [{ processes: { running: 91, max: 100 } }, { ...none, pid: true }],
    "says nothing of what is not known": [
      { freeMemoryBytes: 0, processes: { running: 5, max: 0 } },
      none,
    ],
  };
  for (const [name, [more, expected]] of Object.entries(cases)) {
    it(name, () => deepEqual(pressuresOf({ ...room, ...more }), expected));
  }
});

describe("readRoom", () => {
  it("reads memory and processes from /proc", () => {
    using root = tempDir();
    root.write({
      "proc/meminfo": "MemTotal: 9 kB\nMemAvailable:   2048 kB\n",
      "proc/loadavg": "9.62 8.24 6.29 8/198 2856\n",
      "proc/sys/kernel/pid_max": "32768\n",
      "proc/sys/kernel/threads-max": "1000\n",
    });
    const { freeMemoryBytes, processes } = readRoom(root.path, disk);
    deepEqual([freeMemoryBytes, processes], [2 * MI, { running: 198, max: 1000 }]);
  });
});

describe("PressureMemory", () => {
  it("tells of pressure at once, and that it is over after five minutes without", async () => {
    const clock = new FakeClock();
    const memory = new PressureMemory(clock);
    equal(memory.tell({ ...none, pid: true }).pid, true);
    await clock.step(299_999);
    deepEqual(memory.tell(none), { ...none, pid: true });
    await clock.step(1);
    deepEqual(memory.tell(none), none);
  });
});
