import { deepEqual, equal, rejects, throws } from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { ApiObject } from "../api/object.ts";
import { QueueFullError } from "../base/async-queue.ts";
import { type Change, Informer } from "./informer.ts";
import { listWatchOf } from "./list-watch.ts";
import { configMaps, type FakeClientParts, fakeClient } from "./testing/fake-client.ts";

/** "updated a:101>102", "deleted a:102?" if nobody saw it. */
function textOf(change: Change<ApiObject>): string {
  const { name, resourceVersion } = change.object.metadata;
  switch (change.type) {
    case "added":
      return `added ${name}:${resourceVersion}`;
    case "updated":
      return `updated ${name}:${change.old.metadata.resourceVersion}>${resourceVersion}`;
    case "deleted":
      return `deleted ${name}:${resourceVersion}${change.isFinalStateUnknown ? "?" : ""}`;
  }
}

describe("Informer", () => {
  let parts: FakeClientParts;
  let informer: Informer<ApiObject>;
  let heard: string[];
  const stop = { controller: new AbortController(), running: Promise.resolve() };

  beforeEach(() => {
    parts = fakeClient();
    const { client, clock, random, logger } = parts;
    const listWatch = listWatchOf<ApiObject>({ client, kind: configMaps });
    const byValue = ({ data }: ApiObject): string[] =>
      Object.values((data ?? {}) as Record<string, string>);
    const indexers = { byValue };
    informer = new Informer({
      listWatch,
      indexers,
      startsWithNewest: false,
      clock,
      random,
      logger,
    });
    heard = [];
    informer.onChange((change) => heard.push(textOf(change)));
    stop.controller = new AbortController();
  });

  afterEach(async () => {
    stop.controller.abort();
    await stop.running;
  });

  const start = async (): Promise<void> => {
    stop.running = informer.run(stop.controller.signal);
    await parts.clock.step(0);
  };

  it("tells of what is there, what changes, and what goes, with what was before", async () => {
    const { server, clock } = parts;
    server.put("a");
    await start();
    server.put("a");
    server.put("b");
    server.remove("a");
    await clock.step(0);
    deepEqual(heard, ["added a:101", "updated a:101>102", "added b:103", "deleted a:104"]);
    deepEqual(
      informer.list().map(({ metadata }) => metadata.name),
      ["b"],
    );
    equal(informer.get("default/b")?.metadata.resourceVersion, "103");
    equal(informer.get("default/a"), undefined);
  });

  it("has synced when the first state is there, also if it is empty", async () => {
    equal(informer.hasSynced, false);
    await start();
    await informer.synced;
    equal(informer.hasSynced, true);
    equal(informer.size, 0);
  });

  it("finds a deletion that nobody saw, and says that it is not sure of the last version", async () => {
    const { server, clock } = parts;
    server.put("a");
    server.put("b");
    await start();
    server.cut();
    server.put("a");
    server.remove("a");
    server.put("b");
    server.compact();
    await clock.step(5000);
    deepEqual(heard.slice(2), ["updated b:102>105", "deleted a:101?"]);
  });

  it("tells of one that was deleted and made anew in the dark as deleted and added", async () => {
    const { server, clock } = parts;
    server.put("a");
    await start();
    server.cut();
    server.remove("a");
    server.put("a");
    server.compact();
    await clock.step(5000);
    deepEqual(heard.slice(1), ["deleted a:101?", "added a:103"]);
  });

  it("says nothing when the state comes again and nothing has changed", async () => {
    const { server, clock } = parts;
    server.put("a");
    await start();
    server.cut();
    server.compact();
    server.put("b");
    server.remove("b");
    server.compact();
    await clock.step(5000);
    deepEqual(heard, ["added a:101"]);
  });

  it("tells a handler that comes late of what is there, and none that has left", async () => {
    const { server, clock } = parts;
    server.put("a");
    await start();
    const late: string[] = [];
    const handle = informer.onChange((change) => late.push(textOf(change)));
    server.put("b");
    await clock.step(0);
    handle[Symbol.dispose]();
    server.put("c");
    await clock.step(0);
    deepEqual(late, ["added a:101", "added b:102"]);
  });

  it("goes on when a handler throws, and logs it without the object", async () => {
    const { server, logger } = parts;
    informer.onChange(() => {
      throw new Error("boom");
    });
    const after: string[] = [];
    informer.onChange((change) => after.push(textOf(change)));
    server.put("a", "s3cret");
    await start();
    deepEqual(after, ["added a:101"]);
    const [record] = logger.records.filter(({ level }) => level === "error");
    equal(record?.message, "handler failed");
    equal(record?.fields["name"], "a");
    equal(JSON.stringify(record).includes("s3cret"), false);
  });

  it("finds objects by an index, and not where they were before", async () => {
    const { server, clock } = parts;
    const names = (value: string): (string | undefined)[] =>
      informer.byIndex("byValue", value).map(({ metadata }) => metadata.name);
    server.put("a", "x");
    server.put("b", "x");
    await start();
    deepEqual(names("x"), ["a", "b"]);
    server.put("a", "y");
    server.remove("b");
    await clock.step(0);
    deepEqual(names("x"), []);
    deepEqual(names("y"), ["a"]);
    throws(() => informer.byIndex("byColour", "x"), /there is no index byColour/);
  });

  it("can be read as a stream of changes", async () => {
    const { server, clock } = parts;
    server.put("a");
    await start();
    const read: string[] = [];
    for await (const change of informer.changes()) {
      read.push(textOf(change));
      if (read.length === 2) break;
      server.put("a");
      await clock.step(0);
    }
    deepEqual(read, ["added a:101", "updated a:101>102"]);
  });

  it("tells a reader of changes who falls far behind that it did", async () => {
    const { server, clock } = parts;
    await start();
    const changes = informer.changes();
    server.put("a");
    const first = changes.next();
    await clock.step(0);
    await first;
    for (let count = 0; count < 10_001; count++) server.inject("ADDED", object(count));
    await clock.step(0);
    await rejects(changes.next(), QueueFullError);
  });
});

function object(count: number): object {
  return {
    metadata: { name: `n${count}`, uid: `n${count}`, resourceVersion: String(200 + count) },
  };
}
