import { deepEqual, equal } from "node:assert/strict";
import { describe, it } from "node:test";
import { ScriptedSink, TextEncoder } from "../testing/scripted-sink.ts";
import { CachedObject, encodeForStore, ObjectHead } from "./cached-object.ts";
import { KindCache } from "./kind-cache.ts";
import { Watcher, type WatchScope } from "./watcher.ts";

const kind = { group: "", version: "v1", kind: "Pod" };
const head = new ObjectHead(kind);

function pod(key: string, revision: bigint, labels: Record<string, string> = {}): CachedObject {
  const [namespace = "", name = ""] = key.split("/");
  const value = encodeForStore(kind, { metadata: { name, namespace, labels } });
  return CachedObject.fromStored({ key, value, revision, head });
}

const labelOf =
  (name: string) =>
  ({ object }: CachedObject): string =>
    object.metadata.labels?.[name] ?? "";

interface Joined {
  readonly sink: ScriptedSink;
  readonly watcher: Watcher;
}

function join(
  cache: KindCache,
  scope: WatchScope,
  matches?: (object: CachedObject) => boolean,
  encoder = new TextEncoder(),
): Joined {
  const sink = new ScriptedSink();
  const watcher = new Watcher({ scope, matches, encoder, sink, bookmarks: false, nowMs: 0 });
  cache.join(watcher);
  return { sink, watcher };
}

describe("KindCache", () => {
  it("delivers a change to whoever can be interested, and to nobody else", () => {
    const cache = new KindCache({ indexedField: labelOf("node") });
    const all = join(cache, { by: "all" });
    const a = join(cache, { by: "namespace", namespace: "a" });
    const b = join(cache, { by: "namespace", namespace: "b" });
    const one = join(cache, { by: "object", key: "a/1" });
    const other = join(cache, { by: "object", key: "a/2" });
    const node = join(cache, { by: "field", value: "n1" });
    cache.put(pod("a/1", 1n, { node: "n1" }));
    deepEqual(all.sink.lines, ["ADDED a/1@1"]);
    deepEqual(a.sink.lines, ["ADDED a/1@1"]);
    deepEqual(b.sink.lines, []);
    deepEqual(one.sink.lines, ["ADDED a/1@1"]);
    deepEqual(other.sink.lines, []);
    deepEqual(node.sink.lines, ["ADDED a/1@1"]);
  });

  it("tells both nodes when a pod moves from one to the other", () => {
    const node = labelOf("node");
    const cache = new KindCache({ indexedField: node });
    const on = (name: string): Joined =>
      join(cache, { by: "field", value: name }, (object) => node(object) === name);
    const [first, second] = [on("n1"), on("n2")];
    cache.put(pod("a/1", 1n, { node: "n1" }));
    cache.put(pod("a/1", 2n, { node: "n2" }));
    deepEqual(first.sink.lines, ["ADDED a/1@1", "DELETED a/1@2"]);
    deepEqual(second.sink.lines, ["ADDED a/1@2"]);
  });

  it("shows an object entering and leaving a selector as ADDED and DELETED", () => {
    const cache = new KindCache();
    const { sink } = join(cache, { by: "all" }, (object) => labelOf("app")(object) === "x");
    cache.put(pod("a/1", 1n));
    cache.put(pod("a/1", 2n, { app: "x" }));
    cache.put(pod("a/1", 3n, { app: "x", more: "1" }));
    cache.put(pod("a/1", 4n, { app: "y" }));
    cache.put(pod("a/1", 5n, { app: "x" }));
    cache.delete("a/1", 6n);
    deepEqual(sink.lines, [
      "ADDED a/1@2",
      "MODIFIED a/1@3",
      "DELETED a/1@4",
      "ADDED a/1@5",
      "DELETED a/1@6",
    ]);
  });

  it("encodes an event once for all who watch it", () => {
    const cache = new KindCache();
    const encoder = new TextEncoder();
    const joined = Array.from({ length: 50 }, () => join(cache, { by: "all" }, undefined, encoder));
    cache.put(pod("a/1", 1n));
    equal(encoder.encoded, 1);
    equal(joined.filter(({ sink }) => sink.lines.length === 1).length, 50);
  });

  it("forgets a watcher that takes no more, and goes on with the others", () => {
    const cache = new KindCache();
    const [slow, quick] = [join(cache, { by: "all" }), join(cache, { by: "all" })];
    slow.sink.capacity = 1;
    for (const revision of [1n, 2n, 3n]) cache.put(pod("a/1", revision));
    equal(slow.sink.lines.length, 1);
    equal(quick.sink.lines.length, 3);
    equal(cache.watcherCount, 1);
  });

  it("goes on with the others when an event cannot be made for one", () => {
    const failures: unknown[] = [];
    const cache = new KindCache({ onFailure: (err) => failures.push(err) });
    const failing = join(cache, { by: "all" }, () => {
      throw new Error("broken selector");
    });
    const other = join(cache, { by: "all" });
    cache.put(pod("a/1", 1n));
    deepEqual(failing.sink.lines, ["expired: an event could not be sent"]);
    deepEqual(other.sink.lines, ["ADDED a/1@1"]);
    equal(failures.length, 1);
    equal(cache.watcherCount, 1);
  });

  it("goes on when a follower fails, and tells the others", () => {
    const failures: unknown[] = [];
    const cache = new KindCache({ onFailure: (err) => failures.push(err) });
    const seen: string[] = [];
    let isBroken = false;
    const fail = (): void => {
      if (isBroken) throw new Error("broken");
    };
    cache.follow({ reset: fail, changed: fail });
    cache.follow({
      reset: (objects) => void seen.push(`reset ${[...objects].length}`),
      changed: (now, before) => void seen.push(`${before?.revision} -> ${now?.revision}`),
    });
    const { sink } = join(cache, { by: "all" });
    isBroken = true;
    cache.put(pod("a/x", 1n));
    cache.put(pod("a/x", 2n));
    cache.delete("a/x", 3n);
    equal(sink.lines.length, 3);
    cache.reset([pod("a/y", 4n)], 4n);
    deepEqual(seen, ["reset 0", "undefined -> 1", "1 -> 2", "2 -> undefined", "reset 1"]);
    equal(failures.length, 4);
    equal(cache.get("a/y")?.revision, 4n);
  });

  it("replays what happened since a revision", () => {
    const cache = new KindCache();
    for (const revision of [1n, 4n, 9n]) cache.put(pod("a/1", revision));
    deepEqual(
      cache.since(4n).map(({ revision }) => revision),
      [9n],
    );
    deepEqual(
      cache.since(3n).map(({ type }) => type),
      ["MODIFIED", "MODIFIED"],
    );
  });

  it("does not reach back beyond its window", () => {
    const cache = new KindCache();
    for (let revision = 1n; revision <= 10_001n; revision++) cache.put(pod("a/1", revision));
    equal(cache.reachesBack(0n), false);
    equal(cache.reachesBack(10_000n), true);
    equal(cache.since(10_000n).length, 1);
  });

  it("tells watchers to list again when it is rebuilt", () => {
    const cache = new KindCache();
    const { sink } = join(cache, { by: "object", key: "a/1" });
    cache.reset([pod("a/2", 5n)], 7n);
    deepEqual(sink.lines, ["expired: the watch cache was rebuilt"]);
    equal(cache.watcherCount, 0);
    deepEqual(
      [...cache.list("")].map(({ key }) => key),
      ["a/2"],
    );
    equal(cache.reachesBack(6n), false);
  });

  it("ignores the deletion of what it never had", () => {
    const cache = new KindCache();
    const { sink } = join(cache, { by: "all" });
    cache.delete("a/1", 1n);
    deepEqual(sink.lines, []);
  });
});
