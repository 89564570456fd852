import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { kindOf } from "../../api/kinds.ts";
import { StatusError } from "../../api/status-error.ts";
import type { PodStatus } from "../../api/types.ts";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { ApiClient } from "../../client/api-client.ts";
import { ResourceClient } from "../../client/resource-client.ts";
import { halfRandom } from "../../client/testing/fake-client.ts";
import type { StoredPod } from "./pod-source.ts";
import { StatusWriter } from "./status-writer.ts";
import { PodServer } from "./testing/pod-server.ts";
import { testPod } from "./testing/test-pod.ts";

const kind = kindOf("v1", "Pod");

describe("StatusWriter", () => {
  let server: PodServer;
  let clock: FakeClock;
  let logger: CaptureLogger;
  let writer: StatusWriter;
  let stop: AbortController;
  let running: Promise<void>;
  const pod = testPod();

  beforeEach(() => {
    server = new PodServer();
    clock = new FakeClock();
    logger = new CaptureLogger();
    const connection = { server: "https://fake", isInsecure: false, namespace: "default" };
    const client = new ApiClient({ connection, clock, timeoutMs: 1000, transport: server });
    assert.ok(kind !== undefined);
    const pods = new ResourceClient<StoredPod>(client, kind);
    const onServer = (): ReturnType<typeof testPod> | undefined => server.pods.get("web");
    writer = new StatusWriter({ pods, onServer, clock, random: halfRandom, logger });
    server.put(pod);
    stop = new AbortController();
    running = writer.run(stop.signal);
  });

  afterEach(async () => {
    stop.abort();
    await running;
  });

  async function settle(): Promise<void> {
    for (let i = 0; i < 5; i++) await clock.step(0);
  }

  const status = (phase: string, more: PodStatus = {}): PodStatus => ({
    phase,
    qosClass: "BestEffort",
    ...more,
  });
  const stored = (): PodStatus => server.pods.get("web")?.status ?? {};

  it("writes what is new, and only for the pod that it is about", async () => {
    writer.set(pod, status("Running"));
    await settle();

    assert.equal(stored().phase, "Running");
    assert.deepEqual(server.requests, ["PATCH web/status"]);
    assert.deepEqual(server.bodies, [{ metadata: { uid: "u1" }, status: { phase: "Running" } }]);
  });

  it("writes nothing that the server has already", async () => {
    writer.set(pod, status("Pending"));
    await settle();

    assert.deepEqual(server.requests, []);
  });

  it("loses nothing that comes just when it has found that there is nothing to write", async () => {
    for (let steps = 0; steps < 40; steps++) {
      writer.set(pod, status("Pending", { message: `before ${steps}` }));
      await settle();
      writer.set(pod, status("Pending", { message: `before ${steps}` }));
      for (let i = 0; i < steps; i++) await Promise.resolve();
      writer.set(pod, status("Pending", { message: `after ${steps}` }));
      await settle();
      assert.equal(stored().message, `after ${steps}`);
    }
  });

  it("tries again at once when the server is back", async () => {
    server.isAway = true;
    writer.set(pod, status("Running"));
    for (let i = 0; i < 8; i++) await clock.step(30_000);
    server.isAway = false;
    await settle();
    assert.equal(stored().phase, "Pending");
    writer.serverIsBack();
    await settle();
    assert.equal(stored().phase, "Running");
  });

  it("sends the newest of what came while a request was under way", async () => {
    const patching = Promise.withResolvers<void>();
    server.patching = patching.promise;
    writer.set(pod, status("Pending", { message: "1" }));
    await settle();
    for (const message of ["2", "3", "4"]) writer.set(pod, status("Pending", { message }));
    patching.resolve();
    await settle();

    assert.deepEqual(
      server.bodies.map(({ status: sent }) => sent),
      [{ message: "1" }, { message: "4" }],
    );
  });

  it("leaves conditions of others alone and takes back its own reasons", async () => {
    const ready = { type: "Ready", status: "False", reason: "ContainersNotReady", message: "m" };
    const theirs = { type: "a.b/c", status: "True" };
    server.put({ ...pod, status: { ...pod.status, reason: "Old", conditions: [theirs, ready] } });

    writer.set(pod, status("Running", { conditions: [{ type: "Ready", status: "True" }] }));
    await settle();

    assert.equal(stored().reason, undefined);
    assert.deepEqual(
      stored().conditions?.map(({ type, status: is, reason }) => [type, is, reason]),
      [
        ["a.b/c", "True", undefined],
        ["Ready", "True", undefined],
      ],
    );
  });

  it("replaces addresses, and does not collect them", async () => {
    server.put({ ...pod, status: { ...pod.status, podIPs: [{ ip: "10.0.0.9" }] } });
    writer.set(pod, status("Pending", { podIPs: [{ ip: "10.0.0.1" }] }));
    await settle();

    assert.deepEqual(stored().podIPs, [{ ip: "10.0.0.1" }]);
  });

  it("does not bring a pod back to life", async () => {
    writer.set(pod, status("Succeeded"));
    writer.set(pod, status("Running"));
    await settle();
    assert.equal(stored().phase, "Succeeded");

    server.put({ ...pod, status: status("Failed") });
    writer.changed("u1");
    await settle();
    assert.equal(stored().phase, "Failed");
  });

  it("writes again when somebody else has written something else", async () => {
    writer.set(pod, status("Running"));
    await settle();
    server.put({ ...pod, status: status("Pending") });
    writer.changed("u1");
    await settle();

    assert.equal(stored().phase, "Running");
  });

  it("writes when the server is back", async () => {
    server.isAway = true;
    writer.set(pod, status("Running"));
    await clock.step(5000);
    assert.equal(stored().phase, "Pending");

    server.isAway = false;
    await clock.step(30_000);
    assert.equal(stored().phase, "Running");
    assert.ok(logger.records.some(({ message }) => message === "pod status is not written"));
  });

  it("deletes a pod that is finished after its last status, and no other of its name", async () => {
    const going = testPod({ metadata: { deletionTimestamp: "2024-01-01T00:00:00Z" } });
    server.put(going);
    writer.set(going, status("Failed"));
    writer.finish(going);
    await settle();

    assert.deepEqual(server.requests, ["PATCH web/status", "DELETE web"]);
    const { gracePeriodSeconds, preconditions } = server.bodies[1] ?? {};
    assert.deepEqual(
      { gracePeriodSeconds, preconditions },
      { gracePeriodSeconds: 0, preconditions: { uid: "u1" } },
    );
    assert.equal(writer.get("u1"), undefined);
  });

  it("does not delete what nobody asked to delete", async () => {
    writer.set(pod, status("Failed"));
    writer.finish(pod);
    await settle();

    assert.deepEqual(server.requests, ["PATCH web/status"]);
  });

  it("takes a conflict for the end only if the pod is really another one", async () => {
    const refusal = new StatusError({ code: 409, reason: "Conflict", message: "try again" });
    server.refusals.push(refusal);
    writer.set(pod, status("Running"));
    await clock.step(1000);
    await settle();

    assert.equal(stored().phase, "Running");
  });

  it("keeps statuses on a machine without a server", async () => {
    const alone = new StatusWriter({
      ...{ pods: undefined, onServer: () => undefined },
      ...{ clock, random: halfRandom, logger },
    });
    alone.set(pod, status("Running"));
    assert.equal(alone.get("u1")?.phase, "Running");

    alone.finish(pod);
    assert.equal(alone.get("u1"), undefined);
  });
});
