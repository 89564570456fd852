import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ApiObject } from "../api/object.ts";
import { FakeClock } from "../base/testing/fake-clock.ts";
import { OwnWrites } from "./own-writes.ts";

const pod = (uid: string, resourceVersion: string): ApiObject => ({
  metadata: { name: uid, uid, resourceVersion },
});

function ownWrites(): {
  readonly writes: OwnWrites;
  readonly informer: { lastResourceVersion: string | undefined };
  readonly clock: FakeClock;
} {
  const clock = new FakeClock();
  const informer: { lastResourceVersion: string | undefined } = { lastResourceVersion: "90" };
  return { writes: new OwnWrites({ informer, clock }), informer, clock };
}

describe("OwnWrites", () => {
  it("are seen when the copy is as new as the newest of them", () => {
    const { writes, informer } = ownWrites();
    writes.wrote("a/x", pod("p2", "101"));
    writes.wrote("a/x", pod("p1", "99"));
    assert.equal(writes.areSeen("a/x"), false);
    assert.equal(writes.areSeen("a/y"), true);

    informer.lastResourceVersion = "100";
    assert.equal(writes.areSeen("a/x"), false);
    informer.lastResourceVersion = "101";
    assert.equal(writes.areSeen("a/x"), true);
  });

  it("count as seen after five minutes: a server that was set back never gets there", async () => {
    const { writes, clock } = ownWrites();
    writes.wrote("a/x", pod("p1", "500"));
    await clock.step(299_000);
    assert.equal(writes.areSeen("a/x"), false);
    await clock.step(2000);
    assert.equal(writes.areSeen("a/x"), true);
  });

  it("know what is going before the copy shows it, and forget it when it is gone", async () => {
    const { writes, clock } = ownWrites();
    const first = pod("p1", "80");
    assert.equal(writes.isGoing(first), false);
    writes.deleted(first);
    assert.equal(writes.isGoing(first), true);
    writes.gone(first);
    assert.equal(writes.isGoing(first), false);

    writes.deleted(first);
    await clock.step(301_000);
    writes.deleted(pod("p2", "81"));
    assert.equal(writes.isGoing(first), false);
  });

  it("know what the copy says is going", () => {
    const { writes } = ownWrites();
    const { metadata } = pod("p1", "80");
    const marked = { metadata: { ...metadata, deletionTimestamp: "2024-01-01T00:00:00Z" } };
    assert.equal(writes.isGoing(marked), true);
  });
});
