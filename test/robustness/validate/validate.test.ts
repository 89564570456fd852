// Each promise is proven by a fault that breaks it: planted in a sound run, and named by its validator.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { RunRecord, SeenObject, StreamItem, StreamRecord, WriteRecord } from "../record.ts";
import { bookmark, event, object, soundRun } from "./sound-run.ts";
import { broken } from "./validate.ts";

const FINAL = 21;
const x = "configmaps/r/x";
const y = "configmaps/r/y";

interface Fault {
  readonly promise: string;
  readonly what: string;
  readonly plant: (run: RunRecord) => void;
  readonly says: RegExp;
}

const faults: readonly Fault[] = [
  {
    promise: "Ordered",
    what: "two events are exchanged",
    plant: (run) => swap(itemsOf(run, 0, 1), 0, 1),
    says: /watcher 1, connection 2 .* got MODIFIED 15 after 17$/,
  },
  {
    promise: "Ordered",
    what: "a bookmark goes back",
    plant: (run) => itemsOf(run, 0, 1).push(bookmark(16)),
    says: /got BOOKMARK 16 after 21$/,
  },
  {
    promise: "Unique",
    what: "a resumed watch repeats what was seen",
    plant: (run) => itemsOf(run, 0, 1).unshift(event("MODIFIED", x, 14, "m3 {a=1,b=x}")),
    says: /watcher 1 was told twice of configmaps\/r\/x at 14$/,
  },
  {
    promise: "NoGap",
    what: "an event between others is lost",
    plant: (run) => itemsOf(run, 0, 1).splice(1, 1),
    says: /watcher 1, connection 2 .* began at 14 and did not get 17 \(MODIFIED configmaps\/r\/y\)/,
  },
  {
    promise: "NoGap",
    what: "the last event never comes",
    plant: (run) => itemsOf(run, 1, 1).pop(),
    says: /watcher 2, connection 2 .* did not get 20 \(DELETED configmaps\/r\/y\) until the end$/,
  },
  {
    promise: "NoGap",
    what: "an object that leaves the selector is not reported",
    plant: (run) => itemsOf(run, 1, 1).splice(3, 1),
    says: /did not get 15 \(DELETED configmaps\/r\/x\)/,
  },
  {
    promise: "Resumable",
    what: "a resumed watch skips the next change",
    plant: (run) => itemsOf(run, 0, 1).shift(),
    says: /resumed from 14 and got 17 first, not 15 \(MODIFIED configmaps\/r\/x\)$/,
  },
  {
    promise: "Genuine",
    what: "an event is of a change that nobody made",
    plant: (run) => itemsOf(run, 0, 1).splice(1, 0, event("MODIFIED", y, 16, "m9 {}")),
    says: /got MODIFIED configmaps\/r\/y at 16, which nobody wrote: m9 {}$/,
  },
  {
    promise: "Transitions",
    what: "an object that enters the selector is called modified",
    plant: (run) => replace(itemsOf(run, 1, 1), 4, event("MODIFIED", y, 17, "m6 {a=1}")),
    says: /got MODIFIED configmaps\/r\/y at 17 as m6 {a=1}, not ADDED/,
  },
  {
    promise: "Transitions",
    what: "an object that leaves is shown with the content that does not match",
    plant: (run) => replace(itemsOf(run, 1, 1), 3, event("DELETED", x, 15, "m5 {a=2,b=x}")),
    says: /got DELETED configmaps\/r\/x at 15 as m5 {a=2,b=x}, not DELETED as m3 {a=1,b=x}$/,
  },
  {
    promise: "Transitions",
    what: "a change outside of the selector is told",
    plant: (run) => itemsOf(run, 1, 1).splice(5, 0, event("DELETED", x, 18, "m5 {a=2,b=x}")),
    says: /got DELETED configmaps\/r\/x at 18 .* which is not in its view$/,
  },
  {
    promise: "InitialState",
    what: "the state lacks an object",
    plant: (run) => itemsOf(run, 1, 1).shift(),
    says: /watcher 2, connection 2 .* state of 12, where configmaps\/r\/x of 11 is missing$/,
  },
  {
    promise: "InitialState",
    what: "the state is older than what was known",
    plant: (run) => start(run, { from: "state", sentAfter: { newest: 13, deletes: 0 } }),
    says: /began with the state of 12, but 13 was known$/,
  },
  {
    promise: "Snapshot",
    what: "the second page is of a later version",
    plant: (run) => items(run, 0, object(y, 17, "m6 {a=1}")),
    says: /at 15 in 2 pages configmaps\/r\/y is m6 {a=1} at 17, not m2 {} at 12$/,
  },
  {
    promise: "Snapshot",
    what: "a list shows half of a write",
    plant: (run) => items(run, 0, object(y, 12, "half of m2 {}")),
    says: /configmaps\/r\/y is half of m2 {} at 12, not m2 {} at 12$/,
  },
  {
    promise: "Snapshot",
    what: "a list at an exact version is of another",
    plant: (run) => Object.assign(run.lists[1] ?? {}, { version: 12 }),
    says: /was asked for at exactly 13$/,
  },
  {
    promise: "ReadYourWrites",
    what: "a list is older than an acknowledged write",
    plant: (run) => Object.assign(run.lists[0] ?? {}, { sentAfter: { newest: 17, deletes: 0 } }),
    says: /a list of configmaps .* was of 15, but 17 was acknowledged$/,
  },
  {
    promise: "ReadYourWrites",
    what: "a GET gives what had been replaced",
    plant: (run) => Object.assign(run.gets[0] ?? {}, { sentAfter: { newest: 17, deletes: 0 } }),
    says: /a GET of configmaps\/r\/y gave version 12, but 17 was acknowledged$/,
  },
  {
    promise: "ReadYourWrites",
    what: "a GET does not find what was created",
    plant: (run) => {
      run.gets.push({ key: x, sentAfter: { newest: 11, deletes: 0 }, found: undefined });
      run.writes.splice(6, 1);
    },
    says: /a GET of configmaps\/r\/x found nothing, but version 11 was acknowledged$/,
  },
  {
    promise: "ReadYourWrites",
    what: "a GET finds what was deleted",
    plant: (run) => {
      const found = object(x, 15, "m5 {a=2,b=x}");
      run.gets.push({ key: x, sentAfter: { newest: 17, deletes: 1 }, found });
    },
    says: /a GET of configmaps\/r\/x gave version 15, but 18 was acknowledged$/,
  },
  {
    promise: "Monotonic",
    what: "a restarted server gives an old version again",
    plant: (run) => Object.assign(writeOf(run, "m8"), { sentAfter: { newest: 25, deletes: 0 } }),
    says: /delete m8 of configmaps\/r\/y got 20, but 25 had been given before$/,
  },
  {
    promise: "Monotonic",
    what: "two writes get the same version",
    plant: (run) => run.writes.push({ ...writeOf(run, "m2"), key: "configmaps/r/z" }),
    says: /create m2 of configmaps\/r\/y and create m2 of configmaps\/r\/z both got 12$/,
  },
  {
    promise: "Acknowledged",
    what: "a write was answered with the content of another",
    plant: (run) => answer(run, "m3", object(x, 14, "m1 {a=1}")),
    says: /the answer to patch configmaps\/r\/x at 14 was m1 {a=1}, not m3 {a=1,b=x}$/,
  },
  {
    promise: "Acknowledged",
    what: "a write replaced a version that it did not know",
    plant: (run) => Object.assign(writeOf(run, "m6"), { expected: 11 }),
    says: /put configmaps\/r\/y at 17 demanded version 11, but replaced 12$/,
  },
  {
    promise: "Acknowledged",
    what: "a write happened twice",
    plant: (run) => itemsOf(run, 0, 1).push(event("ADDED", y, 21, "m6 {a=1}")),
    says: /m6 was written once, but configmaps\/r\/y has it at 17 and at 21$/,
  },
  {
    promise: "Acknowledged",
    what: "an acknowledged delete did not happen",
    plant: (run) => itemsOf(run, 0, 1).splice(2, 1),
    says: /configmaps\/r\/x was deleted as uid of configmaps\/r\/x, but nobody saw it go$/,
  },
  {
    promise: "Acknowledged",
    what: "a refused write is seen",
    plant: (run) => itemsOf(run, 0, 1).push(event("ADDED", x, 21, "m4 {}")),
    says: /m4 was refused, but configmaps\/r\/x has it at 21$/,
  },
  {
    promise: "Acknowledged",
    what: "an object is created although it is there",
    plant: (run) => Object.assign(writeOf(run, "m6"), { verb: "create", expected: undefined }),
    says: /create configmaps\/r\/y at 17 was acknowledged, but it existed since 12$/,
  },
  {
    promise: "Bookmarked",
    what: "a bookmark comes before an event that it covers",
    plant: (run) => swap(itemsOf(run, 0, 0), 1, 2),
    says: /got the bookmark 13 before 12 \(ADDED configmaps\/r\/y\)$/,
  },
  {
    promise: "Expired",
    what: "a watch is ended by another error",
    plant: (run) => {
      const gone = streamOf(run, 1, 0);
      gone.error = { code: 500, reason: "InternalError", message: "see the server's log" };
    },
    says: /watcher 2, connection 1 .* was ended by 500 InternalError/,
  },
  {
    promise: "Expired",
    what: "an event is cut in the middle by a clean end",
    plant: (run) => Object.assign(streamOf(run, 0, 0), { end: "torn" }),
    says: /watcher 1, connection 1 .* ended in the middle of an event$/,
  },
  {
    promise: "Expired",
    what: "a client that begins anew is sent into the past",
    plant: (run) => {
      Object.assign(streamOf(run, 1, 0), { start: { from: "seen", version: 19 } });
    },
    says: /began anew at 12, but it had seen 19$/,
  },
  {
    promise: "Expired",
    what: "a list of a forgotten version is refused with another code",
    plant: (run) => Object.assign(run.expiredLists[0] ?? {}, { code: 500, reason: "Unknown" }),
    says: /the list of configmaps .* at 3 was refused with 500 Unknown$/,
  },
];

describe("the validators of watches", () => {
  it("find nothing in a sound run", () => {
    assert.deepEqual(broken(soundRun(), FINAL), []);
  });

  for (const { promise, what, plant, says } of faults) {
    it(`${promise} is broken when ${what}`, () => {
      const run = soundRun();
      plant(run);

      const found = broken(run, FINAL).filter((text) => text.startsWith(`broke ${promise}: `));

      assert.ok(
        found.some((text) => says.test(text)),
        `${String(says)} is not in ${JSON.stringify(found, undefined, 2)}`,
      );
    });
  }
});

function streamOf(run: RunRecord, watcher: number, stream: number): StreamRecord {
  const found = run.watchers[watcher]?.streams[stream];
  assert.ok(found);
  return found;
}

function itemsOf(run: RunRecord, watcher: number, stream: number): StreamItem[] {
  return streamOf(run, watcher, stream).items;
}

function writeOf(run: RunRecord, mark: string): WriteRecord {
  const found = run.writes.find(({ change }) => change.mark === mark);
  assert.ok(found);
  return found;
}

function answer(run: RunRecord, mark: string, object: SeenObject): void {
  writeOf(run, mark).outcome = { is: "done", object };
}

function start(run: RunRecord, value: StreamRecord["start"]): void {
  Object.assign(streamOf(run, 1, 1), { start: value });
}

/** Replaces the last item of a list. */
function items(
  run: RunRecord,
  list: number,
  last: RunRecord["lists"][number]["items"][number],
): void {
  const found = run.lists[list];
  assert.ok(found);
  Object.assign(found, { items: [...found.items.slice(0, -1), last] });
}

function replace(list: StreamItem[], at: number, item: StreamItem): void {
  list[at] = item;
}

function swap(list: StreamItem[], a: number, b: number): void {
  const [first, second] = [list[a], list[b]];
  assert.ok(first && second);
  list[a] = second;
  list[b] = first;
}
