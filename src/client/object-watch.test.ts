import { deepEqual, equal } from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { ApiObject } from "../api/object.ts";
import { StatusError } from "../api/status-error.ts";
import { ObjectWatch } from "./object-watch.ts";
import { configMaps, type FakeClientParts, fakeClient } from "./testing/fake-client.ts";

describe("ObjectWatch", () => {
  let parts: FakeClientParts;
  let watch: ObjectWatch<ApiObject>;
  let heard: (string | undefined)[];
  let stop: AbortController;
  let running: Promise<void>;

  beforeEach(() => {
    parts = fakeClient();
    const { client, clock, random, logger } = parts;
    heard = [];
    watch = new ObjectWatch({
      client,
      kind: configMaps,
      namespace: "default",
      name: "a",
      onChange: (object) => heard.push(object?.metadata.resourceVersion),
      clock,
      random,
      logger,
    });
  });

  afterEach(async () => {
    stop.abort();
    await running;
  });

  const start = async (): Promise<void> => {
    stop = new AbortController();
    running = watch.run(stop.signal);
    await parts.clock.step(0);
  };

  it("follows one object from its coming to its going", async () => {
    const { server, clock } = parts;
    server.put("a");
    server.put("other");
    await start();
    equal(watch.hasSynced, true);
    server.put("a");
    server.put("other");
    await clock.step(0);
    equal(watch.object?.metadata.resourceVersion, "103");
    server.remove("a");
    await clock.step(0);
    equal(watch.object, undefined);
    deepEqual(heard, ["101", "103", undefined]);
  });

  it("says once that there is no such object, and when it comes", async () => {
    const { server, clock } = parts;
    await start();
    deepEqual(heard, [undefined]);
    server.put("a");
    await clock.step(0);
    deepEqual(heard, [undefined, "101"]);
  });

  it("keeps what it has while the server is away, and catches up", async () => {
    const { server, clock } = parts;
    server.put("a");
    await start();
    server.goAway();
    server.put("a");
    server.compact();
    await clock.step(60_000);
    equal(watch.object?.metadata.resourceVersion, "101");
    server.comeBack();
    await clock.step(60_000);
    deepEqual(heard, ["101", "102"]);
  });

  it("says nothing when the state comes again and is the same", async () => {
    const { server, clock } = parts;
    server.put("a");
    await start();
    server.cut();
    server.put("b");
    server.compact();
    await clock.step(5000);
    deepEqual(heard, ["101"]);
  });

  it("begins anew with the newest when it is run again", async () => {
    const { server } = parts;
    server.put("a");
    await start();
    stop.abort();
    await running;
    equal(watch.hasSynced, false);
    server.put("a");
    await start();
    deepEqual(heard, ["101", "102"]);
  });

  it("says what the server refused with until it does what it should, and logs it once", async () => {
    const { server, clock, logger } = parts;
    const forbidden = (): StatusError =>
      new StatusError({ code: 403, reason: "Forbidden", message: "you may not" });
    server.refusals.push(forbidden(), forbidden());
    await start();
    equal(watch.failure instanceof StatusError && watch.failure.code, 403);
    equal(watch.hasSynced, false);
    await clock.step(5000);
    equal(watch.failure, undefined);
    equal(watch.hasSynced, true);
    deepEqual(
      logger.records.filter(({ level }) => level === "warn").map(({ fields }) => fields["why"]),
      ["you may not"],
    );
  });

  it("begins with the newest on servers that do not stream lists, too", async () => {
    const { server } = parts;
    server.watchList = "refuses";
    await start();
    equal(server.requests[1]?.includes("resourceVersion"), false, server.requests[1]);
  });

  it("needs one request for state and changes", async () => {
    await start();
    equal(parts.server.requests.length, 1);
  });
});
