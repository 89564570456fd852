import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { notFound, StatusError } from "../api/status-error.ts";
import type { Event } from "../api/types.ts";
import { type FakeClientParts, fakeClient } from "../client/testing/fake-client.ts";
import { EventRecorder, loggedEvents, type NewEvent } from "./event-recorder.ts";

const object = { kind: "Pod", namespace: "default", name: "web", uid: "u1", apiVersion: "v1" };
const happened = (message: string, more: Partial<NewEvent> = {}): NewEvent => ({
  ...{ object, type: "Warning", reason: "Failed", message },
  ...more,
});

describe("EventRecorder", () => {
  let parts: FakeClientParts;
  let recorder: EventRecorder;
  let stop: AbortController;
  let running: Promise<void>;

  beforeEach(() => {
    parts = fakeClient();
    recorder = new EventRecorder({ ...parts, component: "driftless-agent", host: "n1" });
    stop = new AbortController();
    running = recorder.run(stop.signal);
  });

  afterEach(async () => {
    stop.abort();
    await running;
  });

  async function settle(): Promise<void> {
    for (let i = 0; i < 300; i++) await parts.clock.step(0);
  }

  const sent = (): Event[] => parts.server.bodies as Event[];
  const methods = (): string[] => parts.server.requests.map((one) => one.split(" ")[0] ?? "");

  it("creates an event that says who, where, what and when", async () => {
    recorder.record(happened("it broke"));
    await settle();

    assert.deepEqual(parts.server.requests, ["POST /api/v1/namespaces/default/events"]);
    const [event] = sent();
    assert.match(event?.metadata.name ?? "", /^web\.[0-9a-f]{16}$/);
    assert.deepEqual(event, {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: event?.metadata.name, namespace: "default" },
      involvedObject: object,
      reason: "Failed",
      message: "it broke",
      source: { component: "driftless-agent", host: "n1" },
      firstTimestamp: "2024-01-01T00:00:00Z",
      lastTimestamp: "2024-01-01T00:00:00Z",
      count: 1,
      type: "Warning",
      eventTime: null,
      reportingComponent: "driftless-agent",
      reportingInstance: "n1",
    });
  });

  it("counts what happens again", async () => {
    recorder.record(happened("it broke"));
    await parts.clock.step(5000);
    recorder.record(happened("it broke"));
    await settle();

    assert.deepEqual(methods(), ["POST", "PATCH"]);
    const lastTimestamp = "2024-01-01T00:00:05Z";
    assert.deepEqual(sent()[1], { count: 2, lastTimestamp, message: "it broke" });
    assert.match(parts.server.requests[1] ?? "", new RegExp(`/${sent()[0]?.metadata.name}$`));
  });

  it("creates an event anew that has gone meanwhile", async () => {
    recorder.record(happened("it broke"));
    await settle();
    parts.server.refusals.push(notFound({ group: "", resource: "events", kind: "Event" }, "x"));
    recorder.record(happened("it broke"));
    await settle();

    assert.deepEqual(methods(), ["POST", "PATCH", "POST"]);
    assert.equal(sent()[2]?.count, 2);
  });

  it("makes one of ten that differ only in their message", async () => {
    for (let i = 0; i < 12; i++) recorder.record(happened(`broken ${i}`));
    await settle();

    assert.deepEqual(methods(), [...Array<string>(10).fill("POST"), "PATCH", "PATCH"]);
    assert.equal(sent()[9]?.message, "(combined from similar events): broken 9");
    assert.equal(sent()[11]?.count, 3);
  });

  it("tells no more than 25 of one object, and one more every five minutes", async () => {
    for (let i = 0; i < 40; i++) recorder.record(happened("it broke"));
    recorder.record(happened("another", { object: { ...object, uid: "u2", name: "other" } }));
    await settle();
    assert.equal(parts.server.requests.length, 26);

    await parts.clock.step(300_000);
    recorder.record(happened("it broke"));
    recorder.record(happened("it broke"));
    await settle();
    assert.equal(parts.server.requests.length, 27);
    assert.equal(sent()[26]?.count, 41);
  });

  it("waits for a server that is away", async () => {
    parts.server.goAway();
    recorder.record(happened("it broke"));
    await parts.clock.step(5000);
    assert.equal(sent().length, 0);

    parts.server.comeBack();
    await parts.clock.step(30_000);
    assert.equal(sent().length, 1);
  });

  it("loses the oldest when too many wait, and keeps nobody waiting", async () => {
    parts.server.goAway();
    recorder.record(happened("first"));
    await settle();
    for (let i = 0; i < 1005; i++) recorder.record(happened(`broken ${i}`));

    assert.equal(recorder.dropped, 5);
  });

  it("gives up an event that the server does not want, and goes on", async () => {
    const message = "namespace is being terminated";
    parts.server.refusals.push(new StatusError({ code: 403, reason: "Forbidden", message }));
    recorder.record(happened("one"));
    recorder.record(happened("two"));
    await settle();

    assert.deepEqual(methods(), ["POST", "POST"]);
    assert.equal(parts.logger.records[0]?.message, "event lost");
  });

  it("takes events after its end and does nothing with them", async () => {
    stop.abort();
    await running;
    recorder.record(happened("late"));
    await settle();

    assert.deepEqual(sent(), []);
  });

  it("is a log on machines without a server", () => {
    loggedEvents(parts.logger).record(happened("it broke"));

    const fields = { namespace: "default", name: "web", type: "Warning", reason: "Failed" };
    assert.deepEqual(parts.logger.records, [
      { level: "warn", message: "event", fields: { ...fields, text: "it broke" } },
    ]);
  });
});
