import { deepEqual, equal, match } from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { NodeCondition } from "../../api/types.ts";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import type { NodeObject } from "./node-kinds.ts";
import { NodeStatusWriter } from "./node-status-writer.ts";
import type { Sight } from "./node-survey.ts";

const half = { next: () => 0.5, uint32: () => 0 };

interface Patch {
  readonly metadata: { readonly uid: string };
  readonly status: NodeObject["status"];
}

const quiet: Sight = {
  facts: {
    labels: {},
    capacity: { cpu: "2" },
    allocatable: { cpu: "2" },
    addresses: [{ type: "InternalIP", address: "10.0.0.1" }],
    nodeInfo: { kernelVersion: "6.1" } as Sight["facts"]["nodeInfo"],
  },
  pressures: { memory: false, disk: false, pid: false },
};

/** With its Node, as far as the writer needs it. */
class Machine {
  readonly clock = new FakeClock();
  readonly logger = new CaptureLogger();
  readonly patches: Patch[] = [];
  readonly failures: Error[] = [];
  sight = quiet;
  missing: readonly string[] = [];
  object: NodeObject | undefined = nodeOf({ conditions: [] });
  readonly registered: Promise<void> = Promise.resolve();
  readonly #handlers = new Set<() => void>();
  readonly writer: NodeStatusWriter;

  constructor(t: TestContext) {
    const { clock, logger } = this;
    this.writer = new NodeStatusWriter({
      own: this,
      nodes: { patch: async (_, body) => this.#patched(body as Patch) },
      look: async () => this.sight,
      missing: () => this.missing,
      port: () => 0,
      clock,
      random: half,
      logger,
    });
    const stop = new AbortController();
    const ended = this.writer.run(stop.signal);
    t.after(async () => {
      stop.abort();
      await ended;
      equal(clock.waiting, 0);
    });
  }

  onChange(handler: () => void): Disposable {
    this.#handlers.add(handler);
    return { [Symbol.dispose]: () => void this.#handlers.delete(handler) };
  }

  wrote(object: NodeObject): void {
    this.becomes(object);
  }

  /** As somebody else makes it. */
  becomes(object: NodeObject | undefined): void {
    this.object = object;
    for (const handler of this.#handlers) handler();
  }

  get conditions(): readonly NodeCondition[] {
    return this.patches.at(-1)?.status.conditions ?? [];
  }

  #patched(patch: Patch): NodeObject {
    const failure = this.failures.shift();
    if (failure !== undefined) throw failure;
    this.patches.push(patch);
    const addresses = patch.status.addresses?.slice(0, -1);
    return nodeOf({ ...patch.status, ...(addresses && { addresses }) });
  }
}

function nodeOf(status: Partial<NodeObject["status"]>): NodeObject {
  return { metadata: { name: "n1", uid: "u1" }, spec: {}, status } as unknown as NodeObject;
}

const withReady = (conditions: readonly NodeCondition[], status: string): NodeObject =>
  nodeOf({
    ...quiet.facts,
    addresses: [...quiet.facts.addresses],
    conditions: conditions.map((one) => (one.type === "Ready" ? { ...one, status } : one)),
  });

describe("NodeStatusWriter", () => {
  it("tells the server at the start what the machine is, and that it is well", async (t) => {
    const machine = new Machine(t);
    await machine.clock.step(0);
    equal(machine.patches.length, 1);
    equal(machine.patches[0]?.metadata.uid, "u1");
    deepEqual(
      machine.conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`),
      [
        "MemoryPressure=False KubeletHasSufficientMemory",
        "DiskPressure=False KubeletHasNoDiskPressure",
        "PIDPressure=False KubeletHasSufficientPID",
        "Ready=True KubeletReady",
      ],
    );
  });

  it("writes nothing while nothing changes, but for once in five minutes", async (t) => {
    const machine = new Machine(t);
    // After news the first time is drawn: 225 s with half of the chance.
    await machine.clock.step(224_000);
    equal(machine.patches.length, 1);
    await machine.clock.step(6_000);
    equal(machine.patches.length, 2);
    await machine.clock.step(290_000);
    equal(machine.patches.length, 2);
    await machine.clock.step(10_000);
    equal(machine.patches.length, 3);
    deepEqual(
      machine.conditions.map(({ lastTransitionTime }) => lastTransitionTime),
      Array(4).fill("2024-01-01T00:00:00Z"),
    );
    equal(machine.conditions[0]?.lastHeartbeatTime, "2024-01-01T00:08:50Z");
  });

  it("tells of a full disk within ten seconds, and that it is over when it was for five minutes", async (t) => {
    const machine = new Machine(t);
    await machine.clock.step(1000);
    machine.sight = { ...quiet, pressures: { ...quiet.pressures, disk: true } };
    await machine.clock.step(10_000);
    equal(machine.conditions[1]?.status, "True");
    equal(machine.conditions[1].lastTransitionTime, "2024-01-01T00:00:10Z");
    machine.sight = quiet;
    await machine.clock.step(290_000);
    equal(machine.conditions[1].status, "True");
    await machine.clock.step(10_000);
    equal(machine.conditions[1].status, "False");
  });

  it("is not ready while something is missing, and says what; ready at once when it is told", async (t) => {
    const machine = new Machine(t);
    machine.missing = ["container runtime is starting", "no network"];
    await machine.clock.step(0);
    equal(machine.conditions[3]?.reason, "KubeletNotReady");
    equal(machine.conditions[3].message, "[container runtime is starting, no network]");
    machine.missing = [];
    machine.writer.lookNow();
    await machine.clock.step(0);
    equal(machine.conditions[3].message, "kubelet is posting ready status");
  });

  it("contradicts at once when a controller says that it is gone", async (t) => {
    const machine = new Machine(t);
    await machine.clock.step(1000);
    machine.becomes(withReady(machine.conditions, "Unknown"));
    await machine.clock.step(0);
    equal(machine.patches.length, 2);
    equal(machine.conditions[3]?.lastTransitionTime, "2024-01-01T00:00:01Z");
  });

  it("tries again soon when the server fails, and tells of it once", async (t) => {
    const machine = new Machine(t);
    machine.failures.push(new Error("away"), new Error("away"));
    await machine.clock.step(374);
    equal(machine.patches.length, 0);
    await machine.clock.step(750);
    equal(machine.patches.length, 0);
    await machine.clock.step(1);
    equal(machine.patches.length, 1);
    deepEqual(
      machine.logger.records.map(({ message }) => message),
      ["cannot write the status of this node", "works again"],
    );
  });

  it("writes nothing after the Node was deleted", async (t) => {
    const machine = new Machine(t);
    await machine.clock.step(0);
    machine.becomes(undefined);
    await machine.clock.step(600_000);
    equal(machine.patches.length, 1);
  });

  it("goes on when the machine cannot be looked at", async (t) => {
    const machine = new Machine(t);
    await machine.clock.step(0);
    const { writer } = machine;
    Object.defineProperty(machine, "sight", {
      configurable: true,
      get() {
        throw new Error("Cannot look: the disk is gone");
      },
    });
    await machine.clock.step(20_000);
    match(String(machine.logger.records[0]?.fields["err"]), /the disk is gone/);
    Object.defineProperty(machine, "sight", {
      value: { ...quiet, facts: { ...quiet.facts, capacity: { cpu: "4" } } },
    });
    writer.lookNow();
    await machine.clock.step(0);
    equal(machine.patches.at(-1)?.status.capacity?.["cpu"], "4");
  });
});
