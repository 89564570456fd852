import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Keyspace } from "./keyspace.ts";

const text = fc.string({ unit: "grapheme", maxLength: 6 });
const compare = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

describe("Keyspace", () => {
  it("puts all keys under its prefix, with or without a slash at its end", () => {
    for (const prefix of ["/driftless", "/driftless/", "/driftless//"]) {
      assert.equal(new Keyspace(prefix).toEtcd("/a"), "/driftless/keys//a");
    }
    assert.equal(new Keyspace("").toEtcd("/a"), "/keys//a");
  });

  it("knows its own keys, and not the others in its range or beside it", () => {
    const keyspace = new Keyspace("/driftless");
    assert.equal(keyspace.fromEtcd(keyspace.toEtcd("/a")), "/a");
    assert.equal(keyspace.fromEtcd(keyspace.progressKey), undefined);
    assert.equal(keyspace.fromEtcd("/driftless2/keys//a"), undefined);
  });

  it("watches all of its keys and the progress key, and nothing beside them", () => {
    const keyspace = new Keyspace("/driftless");
    const { key, end } = keyspace.all;
    const isWatched = (name: string): boolean => compare(name, key) >= 0 && compare(name, end) < 0;
    assert.ok(isWatched(keyspace.progressKey));
    assert.ok(!isWatched("/driftless2/keys//a"));
    assert.ok(!isWatched("/driftless"));
    fc.assert(fc.property(text, (name) => isWatched(keyspace.toEtcd(name))));
  });

  it("makes ranges of exactly the keys with the prefix that come after a key", () => {
    const keyspace = new Keyspace("/driftless");
    fc.assert(
      fc.property(text, fc.option(text), text, (prefix, after, name) => {
        const { key, end } = keyspace.range(prefix, after ?? undefined);
        const etcdKey = keyspace.toEtcd(name);
        const isIn = compare(etcdKey, key) >= 0 && compare(etcdKey, end) < 0;
        const isExpected = name.startsWith(prefix) && (after === null || compare(name, after) > 0);
        assert.equal(isIn, isExpected);
      }),
    );
  });
});
