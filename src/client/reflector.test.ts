import { deepEqual, equal, match, ok } from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { ApiObject } from "../api/object.ts";
import { StatusError } from "../api/status-error.ts";
import { CaptureLogger } from "../base/testing/capture-logger.ts";
import type { FakeClock } from "../base/testing/fake-clock.ts";
import type { ApiClient } from "./api-client.ts";
import { listWatchOf } from "./list-watch.ts";
import { Reflector } from "./reflector.ts";
import type { FakeApiServer } from "./testing/fake-api-server.ts";
import { configMaps, fakeClient, halfRandom } from "./testing/fake-client.ts";
import { RecordingSink } from "./testing/recording-sink.ts";

describe("Reflector", () => {
  let server: FakeApiServer;
  let clock: FakeClock;
  let sink: RecordingSink;
  let stop: AbortController;
  let client: ApiClient;
  let running: Promise<void>;

  beforeEach(() => {
    ({ server, clock, client } = fakeClient());
    sink = new RecordingSink();
    stop = new AbortController();
    running = Promise.resolve();
  });

  afterEach(async () => {
    stop.abort();
    await running;
    equal(clock.waiting, 0, "no timer outlives it");
    equal(server.openStreams, 0, "no stream outlives it");
  });

  function reflector(
    options: { readonly fieldSelector?: string; readonly startsWithNewest?: boolean } = {},
  ): Reflector<ApiObject> {
    const { fieldSelector, startsWithNewest = false } = options;
    const listWatch = listWatchOf<ApiObject>({
      client,
      kind: configMaps,
      namespace: "default",
      fieldSelector,
    });
    const parts = { clock, random: halfRandom, logger: new CaptureLogger() };
    return new Reflector({ listWatch, sink, startsWithNewest, ...parts });
  }

  async function start(...args: Parameters<typeof reflector>): Promise<void> {
    running = reflector(...args).run(stop.signal);
    await clock.step(0);
  }

  /** What was asked, without what is the same each time. */
  function asked(): string[] {
    return server.requests.splice(0).map((request) => {
      const query = new URL(request, "http://x").searchParams;
      const name = query.has("sendInitialEvents")
        ? "stream"
        : query.has("watch")
          ? "watch"
          : "list";
      return `${name} ${query.get("resourceVersion") ?? "newest"}`.trimEnd();
    });
  }

  const status = (code: number, reason: StatusError["reason"], seconds?: number): StatusError =>
    new StatusError({
      code,
      reason,
      message: "no",
      ...(seconds !== undefined && { details: { retryAfterSeconds: seconds } }),
    });

  describe("on a server that streams lists", () => {
    it("gets state and changes from one request", async () => {
      server.put("a");
      await start();
      server.put("b");
      server.put("a");
      server.remove("b");
      await clock.step(0);
      deepEqual(sink.lines, ["= a:101 @101", "ADDED b:102", "MODIFIED a:103", "DELETED b:104"]);
      deepEqual(asked(), ["stream"]);
    });

    it("takes an empty state for a state", async () => {
      await start();
      deepEqual(sink.lines, ["= @100"]);
    });

    it("asks again when the stream breaks before the state is complete, and delivers no half", async () => {
      server.watchList = "ignores";
      server.put("a");
      await start();
      deepEqual(sink.take(), []);
      server.watchList = "serves";
      server.cut();
      await clock.step(400);
      deepEqual(sink.take(), ["= a:101 @101"]);
      deepEqual(asked(), ["stream", "stream"]);
    });

    it("counts what changes before the state is complete", async () => {
      server.watchList = "ignores";
      server.put("a");
      server.put("b");
      await start();
      server.remove("a");
      server.put("b");
      const annotations = { "k8s.io/initial-events-end": "true" };
      server.inject("BOOKMARK", { metadata: { resourceVersion: "104", annotations } });
      await clock.step(0);
      deepEqual(sink.take(), ["= b:104 @104"]);
    });

    it("asks for nothing older than it has when history is forgotten", async () => {
      await start();
      server.put("a");
      await clock.step(0);
      server.cut();
      server.put("b");
      server.compact();
      await clock.step(400);
      await clock.step(800);
      deepEqual(asked(), ["stream", "watch 101", "stream 101"]);
      deepEqual(sink.take(), ["= @100", "ADDED a:101", "= a:101 b:102 @102"]);
    });
  });

  describe("on a server that does not stream lists", () => {
    it("lists and watches when it is refused, and remembers it for the others", async () => {
      server.watchList = "refuses";
      server.put("a");
      await start();
      server.put("a");
      await clock.step(0);
      deepEqual(asked(), ["stream", "list 0", "watch 101"]);
      deepEqual(sink.lines, ["= a:101 @101", "MODIFIED a:102"]);

      const other = reflector().run(stop.signal);
      await clock.step(0);
      deepEqual(asked(), ["list 0", "watch 102"]);
      stop.abort();
      await other;
    });

    it("lists and watches when the end of the state never comes", async () => {
      server.watchList = "ignores";
      server.put("a");
      await start();
      await clock.step(10_000);
      equal(sink.lines.length, 0, "a second look finds the silence");
      await clock.step(10_000);
      deepEqual(asked(), ["stream", "list 0", "watch 101"]);
      deepEqual(sink.lines, ["= a:101 @101"]);
    });

    it("lists the newest first if it must", async () => {
      server.watchList = "refuses";
      await start({ startsWithNewest: true });
      deepEqual(asked(), ["stream", "list newest", "watch 100"]);
    });
  });

  describe("when a watch ends", () => {
    beforeEach(async () => {
      await start();
      await clock.step(5000);
      sink.take();
      asked();
    });

    it("goes on at once after a clean end", async () => {
      server.put("a");
      await clock.step(0);
      server.end();
      server.put("b");
      await clock.step(0);
      deepEqual(asked(), ["watch 101"]);
      deepEqual(sink.lines, ["ADDED a:101", "ADDED b:102"]);
    });

    it("pauses when it ends at once with nothing, again and again", async () => {
      server.end();
      await clock.step(0);
      deepEqual(asked(), ["watch 100"]);
      server.end();
      await clock.step(399);
      deepEqual(asked(), []);
      await clock.step(1);
      deepEqual(asked(), ["watch 100"]);
    });

    it("goes on where it was after a cut, after a pause", async () => {
      server.put("a");
      await clock.step(0);
      server.cut();
      server.put("a");
      server.remove("a");
      await clock.step(399);
      deepEqual(asked(), []);
      await clock.step(1);
      deepEqual(asked(), ["watch 101"]);
      deepEqual(sink.lines, ["ADDED a:101", "MODIFIED a:102", "DELETED a:103"]);
    });

    it("goes on from the last bookmark", async () => {
      server.inject("BOOKMARK", { kind: "ConfigMap", metadata: { resourceVersion: "150" } });
      await clock.step(0);
      server.cut();
      await clock.step(400);
      deepEqual(asked(), ["watch 150"]);
      deepEqual(sink.lines, []);
    });

    it("cuts a watch that the server forgot to end", async () => {
      await clock.step(450_000 + 30_000);
      await clock.step(400);
      deepEqual(asked(), ["watch 100"]);
      equal(server.openStreams, 1);
    });

    it("asks for an end between five and ten minutes", () => {
      server.end();
      return clock.step(0).then(() => match(server.requests[0] ?? "", /timeoutSeconds=450&/));
    });

    it("is not hurried by failures that follow each other", async () => {
      for (const pauseMs of [400, 800, 1600, 3200, 6400, 12_800, 15_000, 15_000]) {
        server.cut();
        await clock.step(pauseMs - 1);
        deepEqual(asked(), []);
        await clock.step(1);
        deepEqual(asked(), ["watch 100"]);
      }
    });

    it("forgets failures after two quiet minutes", async () => {
      for (const pauseMs of [400, 800, 1600]) {
        server.cut();
        await clock.step(pauseMs);
      }
      await clock.step(120_000);
      asked();
      server.cut();
      await clock.step(400);
      deepEqual(asked(), ["watch 100"]);
    });
  });

  describe("when the server refuses", () => {
    beforeEach(async () => {
      client.facts.supportsWatchList = false;
      server.put("a");
      await start();
      await clock.step(5000);
      sink.take();
      asked();
    });

    for (const goneAs of ["status", "event"] as const) {
      it(`lists again when its version is forgotten (410 as ${goneAs}), from no earlier than that`, async () => {
        server.goneAs = goneAs;
        server.cut();
        server.remove("a");
        server.put("b");
        server.compact();
        await clock.step(400);
        await clock.step(800);
        deepEqual(asked(), ["watch 101", "list 101", "watch 103"]);
        deepEqual(sink.take(), ["= b:103 @103"]);
      });
    }

    it("lists the newest when the version is too large for a replica that lags", async () => {
      const message = "Too large resource version: 9, current: 8";
      server.cut();
      server.refusals.push(new StatusError({ code: 504, reason: "Timeout", message }));
      await clock.step(400);
      await clock.step(800);
      deepEqual(asked(), ["watch 101", "list newest", "watch 101"]);
    });

    it("lists the newest when the version that it names in a list is forgotten", async () => {
      server.cut();
      server.refusals.push(status(410, "Expired"), status(410, "Expired"));
      await clock.step(400);
      await clock.step(800);
      await clock.step(1600);
      deepEqual(asked(), ["watch 101", "list 101", "list newest", "watch 101"]);
    });

    it("does not list again when there are too many requests, and waits as long as it was told", async () => {
      server.cut();
      server.refusals.push(status(429, "TooManyRequests", 20));
      await clock.step(400);
      await clock.step(20_000);
      deepEqual(asked(), ["watch 101"]);
      await clock.step(1000);
      deepEqual(asked(), ["watch 101"]);
    });

    it("goes on where it was after a fault of the server, and after a 401", async () => {
      server.cut();
      server.refusals.push(status(500, "InternalError"), status(401, "Unauthorized"));
      await clock.step(400);
      await clock.step(800);
      await clock.step(1600);
      deepEqual(asked(), ["watch 101", "watch 101", "watch 101"]);
      deepEqual(sink.lines, []);
    });

    it("lists again when there is no such resource any more", async () => {
      server.cut();
      server.refusals.push(status(404, "NotFound"));
      await clock.step(400);
      await clock.step(800);
      deepEqual(asked(), ["watch 101", "list newest", "watch 101"]);
    });
  });

  it("never delivers a version that is older than what the sink holds", async () => {
    server.put("a");
    server.put("a");
    await start();
    const metadata = { name: "a", namespace: "default", uid: "uid-1" };
    server.inject("MODIFIED", { metadata: { ...metadata, resourceVersion: "101" } });
    server.inject("MODIFIED", { metadata: { ...metadata, resourceVersion: "102" } });
    server.inject("DELETED", { metadata: { ...metadata, uid: "uid-0", resourceVersion: "99" } });
    server.put("a");
    await clock.step(0);
    deepEqual(sink.lines, ["= a:102 @102", "MODIFIED a:103"]);
  });

  it("delivers a deletion that carries the version of the object, as old servers send it", async () => {
    server.put("a");
    await start();
    const metadata = { name: "a", namespace: "default", uid: "uid-1", resourceVersion: "101" };
    server.inject("DELETED", { metadata });
    await clock.step(0);
    deepEqual(sink.lines, ["= a:101 @101", "DELETED a:101"]);
  });

  it("follows one object by its name", async () => {
    server.put("a");
    server.put("b");
    await start({ fieldSelector: "metadata.name=b" });
    server.put("a");
    server.put("b");
    await clock.step(0);
    deepEqual(sink.lines, ["= b:102 @102", "MODIFIED b:104"]);
  });

  it("keeps those apart that lose a server together", async () => {
    let last = 0;
    const spread = { next: (): number => (last = (last + 0.37) % 1), uint32: (): number => 0 };
    const many = Array.from({ length: 20 }, () => {
      const listWatch = listWatchOf<ApiObject>({ client, kind: configMaps });
      const parts = { clock, random: spread, logger: new CaptureLogger(), startsWithNewest: true };
      return new Reflector({ listWatch, sink: new RecordingSink(), ...parts }).run(stop.signal);
    });
    await clock.step(5000);
    server.requests.length = 0;
    server.cut();
    await clock.step(300);
    const early = server.requests.length;
    await clock.step(500);
    equal(server.requests.length, 20);
    ok(early > 0 && early < 15, `${early} of 20 came back within 300 of 800 ms`);
    stop.abort();
    await Promise.all(many);
  });

  it("waits for a server that cannot be reached, and says nothing meanwhile", async () => {
    server.goAway();
    await start();
    deepEqual(sink.lines, []);
    server.comeBack();
    await clock.step(400);
    deepEqual(sink.lines, ["= @100"]);
  });
});
