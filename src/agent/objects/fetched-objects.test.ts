import { deepEqual, equal, ok } from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { isNotFound } from "../../api/status-error.ts";
import { ConfigObject } from "./config-object.ts";
import { FetchedObjects } from "./fetched-objects.ts";
import { ObjectMetrics } from "./object-metrics.ts";
import { readNow, type TestParts, testParts } from "./testing/managed-objects.ts";
import { named, testPod } from "./testing/test-pods.ts";

const a = named("a");

describe("FetchedObjects", () => {
  let parts: TestParts;
  let objects: FetchedObjects;
  let heard: string[];

  beforeEach(() => {
    parts = testParts();
    objects = new FetchedObjects({ ...parts, metrics: new ObjectMetrics(parts.metrics) });
    heard = [];
    objects.onChange(({ object }, podUids) => {
      heard.push(`${object?.resourceVersion} ${podUids.join(",")}`);
    });
  });

  const read = () => readNow(objects, a, { podUid: "p1", clock: parts.clock });

  it("asks the server for every read, registered or not", async () => {
    parts.server.put("a");
    ok((await read()) instanceof ConfigObject);
    objects.register(testPod({ uid: "p1", configMaps: ["a"] }));
    await read();
    await read();
    equal(parts.server.asked.length, 3);
    equal(objects.peek(), "unknown");
  });

  it("tells when a read found another version, or none, and nobody if nobody is registered", async () => {
    parts.server.put("a");
    await read();
    deepEqual(heard, []);
    objects.register(testPod({ uid: "p1", configMaps: ["a"] }));
    await read();
    await read();
    parts.server.put("a");
    await read();
    parts.server.remove("a");
    ok(isNotFound(await read()));
    deepEqual(heard, ["101 p1", "102 p1", "undefined p1"]);
  });

  it("tells nothing of an answer that a later one has overtaken", async () => {
    parts.server.put("a");
    objects.register(testPod({ uid: "p1", configMaps: ["a"] }));
    const held = Promise.withResolvers<void>();
    parts.server.delay = () => held.promise;
    const { signal } = new AbortController();
    const slow = objects.get(a, { podUid: "p1", signal });
    await parts.clock.step(0);
    parts.server.delay = () => undefined;
    parts.server.put("a");
    await read();
    held.resolve();
    await slow;
    deepEqual(heard, ["102 p1"]);
  });

  it("tells in each round of what only environments use, since nobody else reads it", async () => {
    parts.server.put("a");
    parts.server.put("b");
    objects.register(testPod({ uid: "p1", configMaps: ["b"], envConfigMaps: ["a", "gone"] }));
    const { signal } = new AbortController();
    const round = async (): Promise<void> => {
      const checking = objects.recheck(signal);
      await parts.clock.step(0);
      await checking;
    };
    await round();
    deepEqual(heard, ["101 p1", "undefined p1"]);
    parts.server.put("a");
    await parts.clock.step(61_000);
    await round();
    deepEqual(heard, ["101 p1", "undefined p1", "103 p1"]);
  });
});
