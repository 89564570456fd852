import { deepEqual, equal, match, ok } from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { isNotFound, StatusError } from "../../api/status-error.ts";
import { CachedObjects } from "./cached-objects.ts";
import { ConfigObject, type ObjectReference } from "./config-object.ts";
import { ObjectMetrics } from "./object-metrics.ts";
import { readNow, type TestParts, testParts } from "./testing/managed-objects.ts";
import { named, testPod } from "./testing/test-pods.ts";

const a = named("a");

describe("CachedObjects", () => {
  let parts: TestParts;
  let objects: CachedObjects;
  let ttlMs: number;
  let heard: (string | undefined)[];

  beforeEach(() => {
    ttlMs = 60_000;
    parts = testParts({ ttlMs: () => ttlMs });
    objects = new CachedObjects({ ...parts, metrics: new ObjectMetrics(parts.metrics) });
    heard = [];
    objects.onChange(({ object }) => heard.push(object?.resourceVersion));
  });

  const read = (of: ObjectReference = a, podUid = "p1") =>
    readNow(objects, of, { podUid, clock: parts.clock });
  const version = async (of: ObjectReference = a): Promise<string> => {
    const found = await read(of);
    return found instanceof ConfigObject ? found.resourceVersion : found.message;
  };
  const use = (uid: string, ...names: readonly string[]): void => {
    objects.register(testPod({ uid, configMaps: names }));
  };
  /** How many requests since the last call. */
  const requests = (): number => parts.server.asked.splice(0).length;
  const fault = (): StatusError =>
    new StatusError({ code: 500, reason: "InternalError", message: "fault" });

  it("I1 asks nothing when pods come and go", async () => {
    use("p1", "a");
    use("p2", "a");
    objects.unregister("p1");
    objects.unregister("p2");
    await parts.clock.step(0);
    equal(requests(), 0);
  });

  it("I2 asks once for what is registered, and not for what is not", async () => {
    parts.server.put("a");
    use("p1", "a");
    equal(await version(), "101");
    equal(requests(), 1);
    equal(await version(named("b")), 'object "default"/"b" not registered');
    equal(requests(), 0);
  });

  it("I3 says NotFound for what was there before", async () => {
    ttlMs = 0;
    parts.server.put("a");
    use("p1", "a");
    equal(await version(), "101");
    parts.server.remove("a");
    ok(isNotFound(await read()));
    deepEqual(heard, ["101", undefined]);
  });

  const manyReads = async (): Promise<number> => {
    const names = Array.from({ length: 10 }, (_, i) => `n${i}`);
    for (const name of names) parts.server.put(name);
    use("p1", ...names);
    const { signal } = new AbortController();
    const reads = Array.from({ length: 100 }, (_, i) =>
      objects.get(named(`n${i % 10}`), { podUid: "p1", signal }),
    );
    await Promise.all(reads);
    return requests();
  };

  it("I4 asks for every one of 100 reads at once when nothing may be kept", async () => {
    ttlMs = 0;
    equal(await manyReads(), 100);
  });

  it("I5 asks for each of 10 objects once when 100 reads come at once", async () => {
    equal(await manyReads(), 10);
  });

  it("I6 asks again at once when the time becomes 0", async () => {
    parts.server.put("a");
    use("p1", "a");
    await read();
    ttlMs = 0;
    await read();
    equal(requests(), 2);
  });

  it("I7 asks again when five minutes are over, and not before", async () => {
    ttlMs = 300_000;
    parts.server.put("a");
    use("p1", "a");
    await read();
    await parts.clock.step(240_000);
    await read();
    equal(requests(), 1);
    await parts.clock.step(60_000);
    await read();
    equal(requests(), 1);
  });

  it("I8 asks again when a minute is over, and not before", async () => {
    parts.server.put("a");
    use("p1", "a");
    await read();
    await parts.clock.step(55_000);
    await read();
    equal(requests(), 1);
    equal((objects.peek(a) as ConfigObject).resourceVersion, "101");
    await parts.clock.step(5000);
    equal(objects.peek(a), "unknown");
    await read();
    equal(requests(), 1);
  });

  it("I11 I12 I13 asks for what is new to a pod, and for everything that a new pod uses", async () => {
    for (const name of ["s1", "s10", "s2", "s20", "s3"]) parts.server.put(name);
    const readAll = async (...names: readonly string[]): Promise<number> => {
      for (const name of names) await read(named(name));
      return requests();
    };
    use("p1", "s1", "s10", "s2");
    equal(await readAll("s1", "s10", "s2"), 3);
    use("p1", "s1", "s2", "s20", "s3");
    equal(await readAll("s1", "s2", "s20", "s3"), 2);
    use("p2", "s1", "s10", "s2");
    equal(await readAll("s1", "s10", "s2", "s20", "s3"), 3);
  });

  it("I14 keeps nothing of a first read that failed", async () => {
    const expired = new StatusError({ code: 410, reason: "Expired", message: "expired" });
    parts.server.refuse = () => expired;
    parts.server.put("a");
    use("p1", "a");
    equal(await version(), "expired");
    parts.server.refuse = () => undefined;
    equal(await version(), "101");
  });

  it("gives what it has when a refresh fails, and asks again the next time", async () => {
    parts.server.put("a");
    use("p1", "a");
    await read();
    parts.server.put("a");
    await parts.clock.step(60_000);
    parts.server.refuse = fault;
    equal(await version(), "101");
    parts.server.refuse = () => undefined;
    equal(await version(), "102");
  });

  it("says again that there is none when asking fails, and asks each time whether there is", async () => {
    use("p1", "a");
    ok(isNotFound(await read()));
    equal(objects.peek(a), "unknown");
    parts.server.refuse = fault;
    ok(isNotFound(await read()));
    parts.server.refuse = () => undefined;
    parts.server.put("a");
    equal(await version(), "101");
    deepEqual(heard, [undefined, "101"]);
  });

  it("asks for the newest at first and after an absence, and for what is at hand in routine", async () => {
    const versions: (string | null)[] = [];
    parts.server.refuse = ({ resourceVersion }) => {
      versions.push(resourceVersion);
      return undefined;
    };
    use("p1", "a");
    await read();
    parts.server.put("a");
    await read();
    await parts.clock.step(60_000);
    await read();
    deepEqual(versions, [null, null, "0"]);
  });

  it("ignores an answer that is older, and asks again the next time", async () => {
    parts.server.put("a");
    parts.server.put("a");
    use("p1", "a");
    await read();
    parts.server.playBack(101);
    await parts.clock.step(60_000);
    equal(await version(), "102");
    equal(await version(), "102");
    equal(requests(), 3);
    deepEqual(heard, ["102"]);
  });

  it("does better than the original: a change of the pod brings its objects up to date", async () => {
    parts.server.put("a");
    parts.server.put("b");
    use("p1", "a");
    use("p2", "b");
    await read();
    await read(named("b"));
    parts.server.put("a");
    parts.server.put("b");
    objects.invalidate("p1");
    equal(await version(), "103");
    equal(await version(named("b")), "102", "another pod's are left alone");
    deepEqual(heard, ["101", "102", "103"]);
  });

  it("does not tell of an answer that was on its way when a new pod came", async () => {
    parts.server.put("a");
    use("p1", "a");
    const held = Promise.withResolvers<void>();
    parts.server.delay = () => held.promise;
    const { signal } = new AbortController();
    const old = objects.get(a, { podUid: "p1", signal });
    await parts.clock.step(0);
    parts.server.delay = () => undefined;
    parts.server.put("a");
    use("p2", "a");
    equal(await version(), "102");
    held.resolve();
    equal((await old).resourceVersion, "101");
    equal(await version(), "102");
    deepEqual(heard, ["102"]);
  });

  it("ends a read with the caller's signal, and another one goes on", async () => {
    parts.server.put("a");
    use("p1", "a");
    await read();
    await parts.clock.step(60_000);
    const held = Promise.withResolvers<void>();
    parts.server.delay = () => held.promise;
    const own = new AbortController();
    const ended = objects.get(a, { podUid: "p1", signal: own.signal }).catch(String);
    await parts.clock.step(0);
    own.abort(new Error("not needed"));
    match(String(await ended), /not needed/);
    held.resolve();
    equal(await version(), "101");
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
    deepEqual(heard, ["101", undefined]);
    parts.server.put("a");
    await parts.clock.step(61_000);
    await round();
    deepEqual(heard, ["101", undefined, "103"]);
  });
});
