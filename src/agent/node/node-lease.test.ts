import { deepEqual, equal, match } from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { conflict, forbidden, notFound, StatusError } from "../../api/status-error.ts";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { LEASES, type LeaseObject } from "./node-kinds.ts";
import { NodeLease } from "./node-lease.ts";

const zero = { next: () => 0, uint32: () => 0 };

/** Leases of one server, in memory. */
class Leases {
  readonly calls: string[] = [];
  /** Answers for the next calls, before anything else; undefined lets one pass. */
  readonly refusals: (Error | undefined)[] = [];
  stored: LeaseObject | undefined;
  /** While it is set, nothing is answered. */
  hangs = false;
  open = 0;
  mostOpen = 0;

  async get(_: object, options: { readonly signal?: AbortSignal }): Promise<LeaseObject> {
    await this.#begin("get", options.signal);
    if (this.stored === undefined) throw notFound(LEASES, "n1");
    return this.stored;
  }

  async create(
    object: LeaseObject,
    options: { readonly signal?: AbortSignal },
  ): Promise<LeaseObject> {
    await this.#begin("create", options.signal);
    return this.#store(object);
  }

  async update(
    object: LeaseObject,
    options: { readonly signal?: AbortSignal },
  ): Promise<LeaseObject> {
    await this.#begin("update", options.signal);
    if (object.metadata.resourceVersion !== this.stored?.metadata.resourceVersion) {
      throw conflict(LEASES, "n1", "it was changed");
    }
    return this.#store(object);
  }

  touch(): void {
    if (this.stored !== undefined) this.#store(this.stored);
  }

  #store(object: LeaseObject): LeaseObject {
    const version = Number(this.stored?.metadata.resourceVersion ?? 0) + 1;
    this.stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
    return this.stored;
  }

  async #begin(call: string, signal?: AbortSignal): Promise<void> {
    this.calls.push(call);
    this.mostOpen = Math.max(this.mostOpen, ++this.open);
    try {
      if (this.hangs) {
        await new Promise((_, reject) => {
          signal?.addEventListener("abort", () => reject(signal.reason as Error));
        });
      }
      const refusal = this.refusals.shift();
      if (refusal !== undefined) throw refusal;
    } finally {
      this.open--;
    }
  }
}

interface Running {
  readonly leases: Leases;
  readonly clock: FakeClock;
  readonly logger: CaptureLogger;
  readonly own: { uid: string | undefined; registered: Promise<void> };
  readonly lease: NodeLease;
}

function running(t: TestContext, leases: Leases = new Leases()): Running {
  const [clock, logger] = [new FakeClock(), new CaptureLogger()];
  const own: Running["own"] = { uid: "u1", registered: Promise.resolve() };
  const lease = new NodeLease({ nodeName: "n1", own, leases, clock, random: zero, logger });
  const stop = new AbortController();
  const ended = lease.run(stop.signal);
  t.after(async () => {
    stop.abort();
    await ended;
    equal(clock.waiting, 0);
  });
  return { leases, clock, logger, own, lease };
}

describe("NodeLease", () => {
  it("makes the lease of the node, owned by its Node, for 40 seconds", async (t) => {
    const { leases, clock } = running(t);
    await clock.step(0);
    deepEqual(leases.calls, ["get", "create"]);
    deepEqual(leases.stored?.metadata.ownerReferences, [
      { apiVersion: "v1", kind: "Node", name: "n1", uid: "u1" },
    ]);
    equal(leases.stored.metadata.namespace, "kube-node-lease");
    deepEqual(leases.stored.spec, {
      holderIdentity: "n1",
      leaseDurationSeconds: 40,
      renewTime: "2024-01-01T00:00:00.000000Z",
    });
  });

  it("renews it every ten seconds, with one request each", async (t) => {
    const { leases, clock } = running(t);
    await clock.step(30_000);
    deepEqual(leases.calls, ["get", "create", "update", "update", "update"]);
    equal(leases.stored?.spec.renewTime, "2024-01-01T00:00:30.000000Z");
  });

  it("takes over the lease of its last life, and tells of the Node that is there now", async (t) => {
    const leases = new Leases();
    const spec = { holderIdentity: "n1", renewTime: "2020-01-01T00:00:00.000000Z" };
    const ownerReferences = [{ apiVersion: "v1", kind: "Node", name: "n1", uid: "u0" }];
    const metadata = { name: "n1", ownerReferences, resourceVersion: "7" };
    leases.stored = { metadata, spec } as LeaseObject;
    const { clock } = running(t, leases);
    await clock.step(0);
    deepEqual(leases.calls, ["get", "update"]);
    equal(leases.stored.metadata.ownerReferences?.[0]?.uid, "u1");
  });

  it("reads it again when somebody else has written it", async (t) => {
    const { leases, clock } = running(t);
    await clock.step(0);
    leases.touch();
    await clock.step(10_000);
    deepEqual(leases.calls, ["get", "create", "update", "get", "update"]);
  });

  it("makes it again when somebody deleted it", async (t) => {
    const { leases, clock } = running(t);
    await clock.step(0);
    leases.stored = undefined;
    await clock.step(10_000);
    deepEqual(leases.calls, ["get", "create", "update", "get", "create"]);
  });

  it("tries five times at once, then with pauses that grow, and tells of it once", async (t) => {
    const { leases, clock, logger } = running(t);
    await clock.step(0);
    const lost = new Error("Cannot reach the API server");
    leases.refusals.push(...Array.from({ length: 11 }, () => lost));
    await clock.step(10_000);
    deepEqual(leases.calls.slice(2), ["update", "get", "get", "get", "get"]);
    await clock.step(200);
    equal(leases.calls.length, 2 + 10);
    await clock.step(399);
    equal(leases.calls.length, 2 + 10);
    await clock.step(1);
    deepEqual(leases.calls.slice(12), ["get", "get", "update"]);
    deepEqual(
      logger.records.map(({ message }) => message),
      ["cannot renew the lease of this node", "works again"],
    );
  });

  it("does not hammer a server that refuses", async (t) => {
    const leases = new Leases();
    leases.refusals.push(forbidden(LEASES, "n1", "the node was deleted"));
    const { clock } = running(t, leases);
    await clock.step(0);
    equal(leases.calls.length, 1);
    await clock.step(200);
    deepEqual(leases.calls, ["get", "get", "create"]);
  });

  it("has never more than one request under way, and gives a slow one up", async (t) => {
    const { leases, clock, lease } = running(t);
    await clock.step(0);
    leases.hangs = true;
    await clock.step(35_000);
    equal(leases.mostOpen, 1);
    equal(lease.renewedAtMs, 0);
    leases.hangs = false;
    await clock.step(30_000);
    match(leases.stored?.spec.renewTime ?? "", /^2024-01-01T00:0[01]/);
    equal(leases.mostOpen, 1);
    equal((lease.renewedAtMs ?? 0) > 35_000, true);
  });

  it("rests while there is no Node", async (t) => {
    const { leases, clock, own } = running(t);
    await clock.step(0);
    own.uid = undefined;
    await clock.step(60_000);
    equal(leases.calls.length, 2);
    own.uid = "u2";
    await clock.step(10_000);
    equal(leases.stored?.metadata.ownerReferences?.[0]?.uid, "u2");
  });

  it("tells of another failure than before", async (t) => {
    const leases = new Leases();
    const busy = new StatusError({ code: 503, reason: "ServiceUnavailable", message: "busy" });
    leases.refusals.push(new Error("a"), new Error("a"), busy);
    const { clock, logger } = running(t, leases);
    await clock.step(0);
    equal(logger.records.filter(({ level }) => level === "warn").length, 2);
  });
});
