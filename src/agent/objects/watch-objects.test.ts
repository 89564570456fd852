import { deepEqual, equal, match, ok } from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { isNotFound, StatusError } from "../../api/status-error.ts";
import { runOptions } from "../../client/testing/server-history.ts";
import { ConfigObject, type ObjectReference } from "./config-object.ts";
import { NotRegisteredError, type ObjectChange, SyncError } from "./object-manager.ts";
import { ObjectMetrics } from "./object-metrics.ts";
import { readNow, type TestParts, testParts } from "./testing/managed-objects.ts";
import { named, testPod } from "./testing/test-pods.ts";
import { WatchObjects } from "./watch-objects.ts";

const a = named("a");
const KEY = "ConfigMap/default/a";

describe("WatchObjects", () => {
  let parts: TestParts;
  let objects: WatchObjects;
  let heard: string[];
  let stop: AbortController;
  let running: Promise<void>;

  beforeEach(() => {
    parts = testParts();
    objects = new WatchObjects({ ...parts, metrics: new ObjectMetrics(parts.metrics) });
    heard = [];
    objects.onChange((change, podUids) => heard.push(`${told(change)} ${podUids.join(",")}`));
    stop = new AbortController();
    running = objects.run(stop.signal);
  });

  afterEach(async () => {
    stop.abort();
    await running;
    deepEqual(parts.server.watched, [], "a watch is left");
  });

  const read = (podUid = "p1", of: ObjectReference = a, ms = 0) =>
    readNow(objects, of, { podUid, clock: parts.clock, ms });
  const version = async (podUid = "p1", of: ObjectReference = a): Promise<string> => {
    const found = await read(podUid, of);
    return found instanceof ConfigObject ? found.resourceVersion : found.message;
  };
  const isWatched = (key = KEY): boolean => parts.server.watched.includes(key);
  /** A pod that has `a` in a volume, or in its environment, and has had its turn. */
  const settle = async (podUid = "p1", use: "volume" | "env" = "volume"): Promise<void> => {
    const refers = use === "volume" ? { configMaps: ["a"] } : { envConfigMaps: ["a"] };
    objects.register(testPod({ uid: podUid, ...refers }));
    await read(podUid);
  };
  const forbidden = (): StatusError =>
    new StatusError({ code: 403, reason: "Forbidden", message: "you may not" });

  describe("from the first reference to the last", () => {
    it("H1 says NotFound for an object that is not there", async () => {
      await settle();
      const found = await read();
      ok(isNotFound(found), String(found));
      equal(found.message, 'configmap "a" not found');
      equal(objects.peek(a), undefined);
    });

    it("H2 gives it when it comes", async () => {
      await settle();
      parts.server.put("a");
      equal(await version(), "101");
    });

    it("H3 says NotFound when it is deleted", async () => {
      parts.server.put("a");
      await settle();
      parts.server.remove("a");
      ok(isNotFound(await read()));
    });

    it("H4 knows nothing when nobody refers to it any more", async () => {
      parts.server.put("a");
      await settle();
      objects.unregister("p1");
      const found = await read();
      ok(found instanceof NotRegisteredError);
      equal(found.message, 'object "default"/"a" not registered');
      equal(objects.peek(a), "unknown");
    });

    it("H5 needs one request for the state and the changes", async () => {
      parts.server.put("a");
      await settle();
      equal(await version(), "101");
      deepEqual(parts.server.asked, [`watch ${KEY}`]);
    });

    it("H6 asks nothing for further pods until they read", async () => {
      await settle();
      for (let i = 0; i < 20; i++) {
        objects.register(testPod({ uid: `other-${i}`, configMaps: ["a"] }));
        objects.unregister(`other-${i}`);
      }
      await parts.clock.step(0);
      deepEqual(parts.server.asked, [`watch ${KEY}`]);
    });

    it("H7 stops the watch with the last reference and asks nothing for it", async () => {
      await settle();
      await settle("p2");
      const before = parts.server.asked.length;
      objects.unregister("p1");
      await parts.clock.step(0);
      equal(isWatched(), true);
      objects.unregister("p2");
      await parts.clock.step(0);
      equal(isWatched(), false);
      equal(parts.server.asked.length, before);
    });

    it("H18 H19 H20 counts a pod once however often it is registered, and never below nothing", async () => {
      await settle();
      await settle();
      objects.unregister("p1");
      objects.unregister("p1");
      objects.unregister("nobody");
      await parts.clock.step(0);
      equal(isWatched(), false);
      await settle();
      equal(isWatched(), true);
    });

    it("H21 leaves other pods, objects and namespaces alone", async () => {
      objects.register(testPod({ uid: "p1", configMaps: ["a"] }));
      objects.register(testPod({ uid: "p2", configMaps: ["b"] }));
      objects.register(testPod({ uid: "p3", namespace: "other", configMaps: ["a"] }));
      objects.register(testPod({ uid: "p4", secrets: ["a"] }));
      objects.unregister("p2");
      await parts.clock.step(0);
      deepEqual(parts.server.watched, [KEY, "ConfigMap/other/a", "Secret/default/a"]);
    });

    it("follows what a pod refers to when the pod changes", async () => {
      objects.register(testPod({ uid: "p1", configMaps: ["a", "b"] }));
      objects.register(testPod({ uid: "p1", configMaps: ["b", "c"] }));
      await parts.clock.step(0);
      deepEqual(parts.server.watched, ["ConfigMap/default/b", "ConfigMap/default/c"]);
    });

    it("H22 gets along with a server that does not stream lists", async () => {
      parts.server.streamsLists = false;
      parts.server.put("a");
      await settle();
      equal(await version(), "101");
      deepEqual(parts.server.asked.slice(1), [`list ${KEY}`, `watch ${KEY}`]);
      equal(objects.oldestStalenessMs, 0);
    });

    it("H23 is filled by a streamed list, and by nothing else", async () => {
      const held = Promise.withResolvers<void>();
      parts.server.delay = () => held.promise;
      objects.register(testPod({ uid: "p1", configMaps: ["a"] }));
      await parts.clock.step(0);
      equal(objects.peek(a), "unknown");
      held.resolve();
      await parts.clock.step(0);
      equal(objects.peek(a), undefined);
      deepEqual(parts.server.asked, [`watch ${KEY}`]);
    });

    it("starts with run what was registered before", async () => {
      const early = testParts();
      const own = { ...early, metrics: new ObjectMetrics(early.metrics) };
      const before = new WatchObjects(own);
      before.register(testPod({ uid: "p1", configMaps: ["a"] }));
      await early.clock.step(0);
      deepEqual(early.server.asked, []);
      const ended = new AbortController();
      const run = before.run(ended.signal);
      await early.clock.step(0);
      deepEqual(early.server.watched, [KEY]);
      ended.abort();
      await run;
      deepEqual(early.server.watched, []);
      before.register(testPod({ uid: "p2", configMaps: ["b"] }));
      await early.clock.step(0);
      deepEqual(early.server.watched, [], "none is started after the end");
    });
  });

  describe("waiting for the first state", () => {
    it("H16 says after a second that it could not be had, and goes on trying", async () => {
      const held = Promise.withResolvers<void>();
      parts.server.delay = () => held.promise;
      parts.server.put("a");
      objects.register(testPod({ uid: "p1", envConfigMaps: ["a"] }));
      const waiting = await read("p1", a, 999);
      match((waiting as Error).message, /it waits still/);
      const found = await read("p1", a, 1000);
      ok(found instanceof SyncError);
      equal(found.message, "failed to sync configmap cache: timed out waiting for the condition");
      equal(found.cause, undefined);
      // Longer than it may be idle, but it was never filled.
      await parts.clock.step(120_000);
      equal(isWatched(), true);
      equal(parts.server.asked.length, 1);
    });

    it("H17 gives it as soon as it comes, and is not put to rest before its time", async () => {
      const held = Promise.withResolvers<void>();
      parts.server.delay = () => held.promise;
      parts.server.put("a");
      objects.register(testPod({ uid: "p1", envConfigMaps: ["a"] }));
      const reading = objects.get(a, { podUid: "p1", signal: stop.signal });
      await parts.clock.step(500);
      held.resolve();
      await parts.clock.step(0);
      equal((await reading).resourceVersion, "101");
      await parts.clock.step(59_500);
      equal(isWatched(), true);
    });

    it("says why, if the server said", async () => {
      parts.server.refuse = forbidden;
      objects.register(testPod({ uid: "p1", secrets: ["s"] }));
      const found = await read("p1", named("s", "Secret"), 1000);
      ok(found instanceof SyncError);
      equal(found.message, "failed to sync secret cache: timed out waiting for the condition");
      equal((found.cause as Error).message, "you may not");
    });

    it("ends with the caller's signal, and for all when nobody refers to it", async () => {
      parts.server.goAway();
      objects.register(testPod({ uid: "p1", configMaps: ["a"] }));
      const own = new AbortController();
      const one = objects.get(a, { podUid: "p1", signal: own.signal }).catch(String);
      const other = objects.get(a, { podUid: "p1", signal: stop.signal }).catch(String);
      own.abort(new Error("not needed"));
      objects.unregister("p1");
      equal(await one, "Error: not needed");
      match(String(await other), /NotRegisteredError/);
    });
  });

  describe("an immutable object", () => {
    const put = (immutable: boolean): void => parts.server.put("a", { immutable });

    it("H8 H10 H9 H11 is watched as any other, before and after it has become so", async () => {
      await settle();
      put(false);
      await read();
      equal(isWatched(), true);
      put(true);
      await parts.clock.step(0);
      equal(isWatched(), true);
      equal(await version(), "102");
    });

    it("H12 is watched if it is so from the start, and asked for no more", async () => {
      put(true);
      await settle();
      await read();
      equal(isWatched(), true);
      deepEqual(parts.server.asked, [`watch ${KEY}`]);
      equal(objects.oldestStalenessMs, 0);
    });

    it("Z24 is seen at once when it was made anew, and told as another", async () => {
      put(true);
      await settle();
      parts.server.remove("a");
      put(true);
      await parts.clock.step(0);
      equal(await version(), "103");
      deepEqual(heard, ["a 101 p1", "a gone p1", "a 103 another p1"]);
      const warned = parts.logger.records.filter(({ level }) => level === "warn");
      deepEqual(
        warned.map(({ message }) => message),
        ["immutable configMap was replaced by another"],
      );
    });

    it("Z24 is seen to be another after an outage in which nobody saw it go", async () => {
      put(true);
      await settle();
      parts.server.goAway();
      parts.server.remove("a");
      put(true);
      parts.server.compact();
      parts.server.comeBack();
      await parts.clock.step(60_000);
      equal(await version(), "103");
      deepEqual(heard, ["a 101 p1", "a 103 another p1"]);
    });

    it("Z24 is followed when the one that was made anew can change", async () => {
      put(true);
      await settle();
      parts.server.remove("a");
      put(false);
      put(false);
      await parts.clock.step(0);
      equal(await version(), "104");
    });

    it("Z24 is read anew for a pod that is new, however late the watch is", async () => {
      put(true);
      await settle();
      parts.server.holdWatches();
      parts.server.remove("a");
      put(true);
      objects.register(testPod({ uid: "p2", configMaps: ["a"] }));
      equal(await version("p2"), "103");
      equal(await version("p1"), "103");
      deepEqual(heard, ["a 101 p1", "a 103 another p1,p2"]);
    });

    it("is not watched any more if only environments use it and nobody reads it", async () => {
      put(true);
      await settle("p1", "env");
      await parts.clock.step(120_000);
      equal(isWatched(), false);
    });
  });

  describe("an object that nobody reads", () => {
    it("H13 is not watched any more if only environments use it", async () => {
      parts.server.put("a");
      await settle("p1", "env");
      await parts.clock.step(120_000);
      equal(isWatched(), false);
      equal(objects.peek(a), "unknown");
      equal(objects.oldestStalenessMs, 0);
    });

    it("H14 is watched again when somebody reads it, and nothing old is given", async () => {
      parts.server.put("a");
      await settle("p1", "env");
      await parts.clock.step(120_000);
      parts.server.put("a");
      equal(await version(), "102");
      equal(isWatched(), true);
      deepEqual(heard, ["a 101 p1", "a 102 p1"]);
    });

    it("H15 is watched on if it is read now and then", async () => {
      parts.server.put("a");
      await settle("p1", "env");
      for (let i = 0; i < 9; i++) {
        await parts.clock.step(20_000);
        await read();
      }
      equal(isWatched(), true);
      equal(parts.server.asked.length, 1);
    });

    it("is watched for ever if a volume shows it", async () => {
      parts.server.put("a");
      await settle("p1", "env");
      await settle("p2", "volume");
      await parts.clock.step(290_000);
      equal(isWatched(), true);
      objects.unregister("p2");
      await parts.clock.step(60_000);
      equal(isWatched(), false);
    });
  });

  describe("a pod that is new", () => {
    it("Z25 never starts with less than the server had when it was registered", async () => {
      parts.server.put("a");
      await settle();
      parts.server.holdWatches();
      parts.server.put("a");
      objects.register(testPod({ uid: "p2", configMaps: ["a"] }));
      equal(await version("p1"), "101", "those who run wait for the watch");
      equal(await version("p2"), "102");
      equal(await version("p1"), "102", "but go not back");
      deepEqual(heard, ["a 101 p1", "a 102 p1,p2"]);
      parts.server.letWatchesGoOn();
      await parts.clock.step(0);
      equal(heard.length, 2, "what the watch tells late is told already");
    });

    it("Z25 never starts with an object that was deleted before", async () => {
      parts.server.put("a");
      await settle();
      parts.server.holdWatches();
      parts.server.put("a");
      parts.server.remove("a");
      objects.register(testPod({ uid: "p2", configMaps: ["a"] }));
      ok(isNotFound(await read("p2")));
      parts.server.letWatchesGoOn();
      await parts.clock.step(0);
      deepEqual(heard, ["a 101 p1", "a gone p1,p2"], "the late watch brings nothing back");
    });

    it("Z25 asks once, and then listens to the watch", async () => {
      parts.server.put("a");
      await settle();
      await settle("p2");
      await read("p2");
      deepEqual(parts.server.asked, [`watch ${KEY}`, `get ${KEY}`]);
    });

    it("Z25 asks once for all that came before, and once more for one that came after", async () => {
      parts.server.put("a");
      await settle();
      const held = Promise.withResolvers<void>();
      parts.server.delay = ({ verb }) => (verb === "get" ? held.promise : undefined);
      const reads: Promise<ConfigObject>[] = [];
      const begin = (podUid: string): void => {
        objects.register(testPod({ uid: podUid, configMaps: ["a"] }));
        reads.push(objects.get(a, { podUid, signal: stop.signal }));
      };
      for (const uid of ["p2", "p3", "p4"]) {
        objects.register(testPod({ uid, configMaps: ["a"] }));
      }
      for (const uid of ["p2", "p3", "p4"]) begin(uid);
      await parts.clock.step(0);
      equal(parts.server.asked.length, 2);
      parts.server.holdWatches();
      parts.server.put("a");
      begin("p5");
      await parts.clock.step(0);
      equal(parts.server.asked.length, 3);
      held.resolve();
      await parts.clock.step(0);
      const [, , , fifth] = await Promise.all(reads);
      equal(fifth?.resourceVersion, "102");
    });

    it("Z25 does not start while the server is away, and does when it is back", async () => {
      parts.server.put("a");
      await settle();
      parts.server.goAway();
      objects.register(testPod({ uid: "p2", configMaps: ["a"] }));
      match(await version("p2"), /Cannot reach the API server/);
      equal(await version("p1"), "101", "those who run have what there was");
      parts.server.comeBack();
      equal(await version("p2"), "101");
    });

    it("asks again when it was unregistered in between", async () => {
      parts.server.put("a");
      await settle();
      await settle("p2");
      objects.unregister("p2");
      await settle("p2");
      deepEqual(parts.server.asked, [`watch ${KEY}`, `get ${KEY}`, `get ${KEY}`]);
    });
  });

  describe("never goes backwards", () => {
    /** The answer to a read is on its way while `meanwhile` happens, which the watch tells of at once. */
    const overtaken = async (meanwhile: () => void): Promise<void> => {
      parts.server.put("a");
      await settle();
      const held = Promise.withResolvers<void>();
      parts.server.delay = ({ verb }) => (verb === "watch" ? undefined : held.promise);
      objects.register(testPod({ uid: "p2", configMaps: ["a"] }));
      const reading = objects.get(a, { podUid: "p2", signal: stop.signal }).catch(String);
      await parts.clock.step(0);
      meanwhile();
      await parts.clock.step(0);
      held.resolve();
      await parts.clock.step(0);
      await reading;
    };

    it("when the watch tells of a change before a read is answered", async () => {
      await overtaken(() => parts.server.put("a"));
      deepEqual(heard, ["a 101 p1", "a 102 p1,p2"]);
    });

    it("when the watch tells that it is gone before a read is answered", async () => {
      await overtaken(() => parts.server.remove("a"));
      deepEqual(heard, ["a 101 p1", "a gone p1,p2"]);
    });

    it("when another took its place before a read is answered", async () => {
      await overtaken(() => {
        parts.server.remove("a");
        parts.server.put("a");
      });
      deepEqual(heard, ["a 101 p1", "a gone p1,p2", "a 103 another p1,p2"]);
    });

    it("when it comes back before the answer that there is none", async () => {
      await settle();
      const held = Promise.withResolvers<void>();
      parts.server.delay = ({ verb }) => (verb === "watch" ? undefined : held.promise);
      objects.register(testPod({ uid: "p2", configMaps: ["a"] }));
      const reading = objects.get(a, { podUid: "p2", signal: stop.signal });
      await parts.clock.step(0);
      parts.server.put("a");
      await parts.clock.step(0);
      held.resolve();
      await parts.clock.step(0);
      equal((await reading).resourceVersion, "101");
      deepEqual(heard, ["a gone p1", "a 101 p1,p2"]);
    });

    it("but does when the server was set back to a backup", async () => {
      parts.server.put("a");
      parts.server.put("a");
      await settle();
      parts.server.playBack(101);
      await parts.clock.step(10_000);
      equal(await version(), "101");
      parts.server.put("a");
      equal(await version(), "102");
    });
  });

  describe("while the server is away", () => {
    it("Z30 keeps what there was, and says how old it may be", async () => {
      parts.server.put("a");
      await settle();
      equal(objects.stalenessMs(a), 0);
      parts.server.goAway();
      await parts.clock.step(5000);
      equal(await version(), "101");
      equal((objects.peek(a) as ConfigObject).resourceVersion, "101");
      equal(objects.stalenessMs(a), 5000);
      equal(objects.oldestStalenessMs, 5000);
      match(
        await parts.metrics.text(),
        /oldest_stale_object_timestamp_seconds 1704067200\n/,
        "2024-01-01 is when it began",
      );
      parts.server.comeBack();
      await parts.clock.step(5000);
      equal(objects.oldestStalenessMs, 0, "an open watch will do, nothing has to change");
      match(await parts.metrics.text(), /oldest_stale_object_timestamp_seconds 0\n/);
    });

    it("Z30 says so when the streams ended in good order, too", async () => {
      await settle();
      await parts.clock.step(2000);
      parts.server.end();
      parts.server.goAway();
      await parts.clock.step(5000);
      equal(objects.oldestStalenessMs, 5000);
    });

    it("Z30 says the oldest of many", async () => {
      parts.server.put("a");
      objects.register(testPod({ uid: "p1", configMaps: ["a", "b"] }));
      await parts.clock.step(0);
      parts.server.goAway();
      await parts.clock.step(1000);
      objects.register(testPod({ uid: "p2", configMaps: ["c"] }));
      await parts.clock.step(1000);
      equal(objects.oldestStalenessMs, 2000);
      equal(objects.stalenessMs(named("c")), 0, "of which nothing is known yet");
      objects.unregister("p1");
      equal(objects.oldestStalenessMs, 0);
    });

    it("catches up with what happened, also if history is forgotten", async () => {
      parts.server.put("a");
      await settle();
      parts.server.goAway();
      parts.server.remove("a");
      parts.server.put("a");
      parts.server.compact();
      await parts.clock.step(1000);
      parts.server.comeBack();
      await parts.clock.step(10_000);
      deepEqual(heard, ["a 101 p1", "a 103 another p1"]);
    });
  });

  describe("telling", () => {
    it("G2 happens without any timer, in the turn in which the event arrived", async () => {
      await settle();
      parts.server.put("a");
      // One turn of the loop: nothing is due by then.
      await parts.clock.step(0);
      deepEqual(heard, ["a gone p1", "a 101 p1"]);
    });

    it("goes on when a handler fails, and stops for one that is disposed", async () => {
      using _failing = objects.onChange(() => {
        throw new Error("a fault");
      });
      const later: string[] = [];
      const handle = (change: ObjectChange): number => later.push(told(change));
      const other = objects.onChange(handle);
      await settle();
      other[Symbol.dispose]();
      parts.server.put("a");
      await parts.clock.step(0);
      deepEqual(later, ["a gone"]);
      equal(heard.length, 2);
      ok(parts.logger.records.some(({ message }) => message === "handler failed"));
    });

    it("logs what came and went, but no key of a Secret and no value", async () => {
      const s = named("s", "Secret");
      const data = { "the-key": Buffer.from("the-value").toString("base64"), b: "" };
      parts.server.put("s", { kind: "Secret", data });
      objects.register(testPod({ uid: "p1", secrets: ["s"], configMaps: ["a"] }));
      await read("p1", s);
      parts.server.put("a", { data: { k: "text" } });
      parts.server.remove("s", { kind: "Secret" });
      await parts.clock.step(0);
      parts.server.remove("a");
      await parts.clock.step(0);
      const lines = parts.logger.records.filter(({ level }) => level === "info");
      deepEqual(lines.map(({ message }) => message).toSorted(), [
        "configMap is gone",
        "received configMap",
        "received secret",
        "secret is gone",
      ]);
      const { version, ...received } =
        lines.find(({ message }) => message === "received secret")?.fields ?? {};
      deepEqual(received, {
        namespace: "default",
        name: "s",
        keys: 2,
        bytes: 9,
        resourceVersion: "101",
      });
      match(String(version), /^[0-9a-f]{10}$/);
      const all = JSON.stringify(parts.logger.records);
      ok(!/the-key|the-value|dGhlLXZhbHVl/.test(all), all);
    });

    it("counts objects, watches and reads", async () => {
      parts.server.put("a", { immutable: true });
      objects.register(testPod({ uid: "p1", configMaps: ["a"], secrets: ["s"] }));
      await parts.clock.step(0);
      objects.register(testPod({ uid: "p2", configMaps: ["a"], secrets: ["s"] }));
      await read("p2");
      await read("p2", named("s", "Secret"));
      const text = await parts.metrics.text();
      match(text, /driftless_agent_objects\{kind="ConfigMap"\} 1/);
      match(text, /driftless_agent_objects\{kind="Secret"\} 1/);
      match(text, /driftless_agent_watches 2/);
      match(text, /object_fetches_total\{kind="ConfigMap",result="success"\} 1/);
      match(text, /object_fetches_total\{kind="Secret",result="not_found"\} 1/);
    });
  });

  it("holds thousands of objects, and tells of one of them", async () => {
    const count = 5 * runOptions().numRuns;
    const names = Array.from({ length: count }, (_, i) => `n${i}`);
    objects.register(testPod({ uid: "p1", configMaps: names }));
    await parts.clock.step(0);
    equal(parts.server.watched.length, count);
    parts.server.put("n500");
    await parts.clock.step(0);
    deepEqual(
      heard.filter((each) => !each.includes("gone")),
      ["n500 101 p1"],
    );
    objects.unregister("p1");
    await parts.clock.step(0);
    equal(parts.server.watched.length, 0);
  });
});

function told({ name, object, isAnother }: ObjectChange): string {
  const how = isAnother ? " another" : "";
  return `${name} ${object === undefined ? "gone" : object.resourceVersion}${how}`;
}
