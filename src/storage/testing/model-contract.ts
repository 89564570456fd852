// Random commands on a store and on the simplest model of one: a list of all states. Whatever the store
// answers, the model must have answered too.

import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { compareKeys } from "../key-order.ts";
import {
  CompactedError,
  type Revision,
  type Store,
  type StoredValue,
  type StoreEvent,
  type WriteResult,
} from "../store.ts";
import { runStore, type StoreContract } from "./running-store.ts";
import { bytes } from "./test-writes.ts";

const RUNS = 25;
const COMMANDS_PER_RUN = 60;

type State = ReadonlyMap<string, StoredValue>;

/** One per revision, in order; the first is the empty store. */
interface Moment {
  readonly revision: Revision;
  readonly state: State;
}

interface Model {
  /** Before all keys of this run: the runs share a store, but no keys. */
  readonly root: string;
  readonly moments: Moment[];
  compacted: Revision;
}

/** Numbers in [0, 1) choose among what exists when the command runs. */
type Command =
  | { readonly do: "put" | "delete"; readonly key: string; readonly value: string; stale: boolean }
  | { readonly do: "range"; readonly prefix: string; after: string; limit?: number; at?: number }
  | { readonly do: "compact"; readonly at: number }
  | { readonly do: "watch"; readonly prefix: string; readonly at: number };

const key = fc.constantFrom("/a", "/a/1", "/a/2", "/b/1", "/b/é", "/b/\u{1F600}", "/b/\uFF5E");
const prefix = fc.constantFrom("", "/", "/a", "/a/", "/b/", "/b/\uFF5E", "/c");
const at = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const writes = fc.record({
  do: fc.constantFrom("put", "put", "delete"),
  key,
  value: fc.string({ maxLength: 8 }),
  stale: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
});
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 6, arbitrary: writes },
  {
    weight: 2,
    arbitrary: fc.record(
      {
        do: fc.constant("range" as const),
        prefix,
        after: fc.oneof(fc.constant(""), key),
        limit: fc.integer({ min: 1, max: 5 }),
        at,
      },
      { requiredKeys: ["do", "prefix", "after"] },
    ),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("watch" as const), prefix, at }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("compact" as const), at }) },
) as fc.Arbitrary<Command>;

/** Declares the random test. Part of storeContract(). */
export function modelContract(contract: StoreContract): void {
  it("answers as the model does", async () => {
    await using running = await runStore(contract);
    let runs = 0;
    const commands = fc.array(command, { maxLength: COMMANDS_PER_RUN, size: "max" });
    await fc.assert(
      fc.asyncProperty(commands, async (script) => {
        const start = await running.store.revision();
        const model: Model = {
          root: `/${runs++}.`,
          moments: [{ revision: start, state: new Map() }],
          compacted: start,
        };
        for (const one of script) await follow(running.store, model, one);
      }),
      { numRuns: RUNS, ...seedOfRun() },
    );
  });
}

async function follow(store: Store, model: Model, one: Command): Promise<void> {
  const { root } = model;
  switch (one.do) {
    case "put":
    case "delete":
      return followWrite(store, model, { ...one, key: root + one.key });
    case "range":
      return followRange(store, model, {
        ...one,
        prefix: root + one.prefix,
        after: root + one.after,
      });
    case "compact": {
      const { revision } = pick(model.moments, one.at);
      await store.compact(revision);
      if (revision > model.compacted) model.compacted = revision;
      return;
    }
    case "watch":
      return followWatch(store, model, { ...one, prefix: root + one.prefix });
  }
}

type Write = Extract<Command, { do: "put" | "delete" }>;

async function followWrite(store: Store, { moments }: Model, one: Write): Promise<void> {
  const { revision: before, state } = newest(moments);
  const current = state.get(one.key);
  const result = await write(store, one, one.stale ? before + 1n : current?.revision);

  assert.equal(result.ok, !one.stale && (one.do === "put" || current !== undefined));
  assertSame(result.ok ? result.previous : result.current, current);
  if (result.ok) {
    assert.ok(result.revision > before);
    moments.push({ revision: result.revision, state: stateAfter(state, one, result.revision) });
  }
  assertSame((await store.get(one.key)).item, newest(moments).state.get(one.key));
}

function write(store: Store, one: Write, expected: Revision | undefined): Promise<WriteResult> {
  const value = bytes(one.value);
  // Of a key that does not exist, any revision is a wrong one.
  if (one.do === "delete") return store.delete(one.key, expected ?? 1n);
  return expected === undefined
    ? store.create(one.key, value)
    : store.update(one.key, value, expected);
}

function stateAfter(
  state: State,
  { do: verb, key: name, value }: Write,
  revision: Revision,
): State {
  const next = new Map(state);
  if (verb === "delete") next.delete(name);
  else {
    const createRevision = state.get(name)?.createRevision ?? revision;
    next.set(name, { key: name, value: bytes(value), revision, createRevision });
  }
  return next;
}

async function followRange(
  store: Store,
  { moments, compacted }: Model,
  { at: chosen, ...query }: Extract<Command, { do: "range" }>,
): Promise<void> {
  const { revision, state } = chosen === undefined ? newest(moments) : pick(moments, chosen);
  const asked = store.range({ ...query, ...(chosen !== undefined && { revision }) });
  if (revision < compacted) {
    await assert.rejects(asked, CompactedError);
    return;
  }
  const matching = [...state.values()]
    .filter((item) => item.key.startsWith(query.prefix) && compareKeys(item.key, query.after) > 0)
    .sort((a, b) => compareKeys(a.key, b.key));
  const expected = matching.slice(0, query.limit);
  const { items, remaining, revision: answered } = await asked;
  assert.equal(answered, revision);
  assert.equal(remaining, matching.length - expected.length);
  assert.equal(items.length, expected.length);
  items.forEach((item, i) => {
    assertSame(item, expected[i]);
  });
}

/** Watches from a moment to now: the events applied to the state then give the state now. */
async function followWatch(
  store: Store,
  { moments, compacted }: Model,
  { prefix: start, at: chosen }: Extract<Command, { do: "watch" }>,
): Promise<void> {
  const { revision: after, state } = pick(moments, chosen);
  const now = newest(moments);
  const controller = new AbortController();
  const { signal } = controller;
  const seen = new Map([...state].filter(([name]) => name.startsWith(start)));
  const watching = (async () => {
    for await (const { events, revision } of store.watch({ prefix: start, after, signal })) {
      for (const event of events) apply(seen, event);
      if (revision >= now.revision) controller.abort();
    }
  })();
  if (after < compacted) {
    await assert.rejects(watching, CompactedError);
    return;
  }
  await watching;
  const expected = [...now.state].filter(([name]) => name.startsWith(start));
  assert.equal(seen.size, expected.length);
  for (const [name, item] of expected) assertSame(seen.get(name), item);
}

function apply(seen: Map<string, StoredValue>, { key: name, value, previous }: StoreEvent): void {
  assertSame(previous, seen.get(name));
  if (value === undefined) seen.delete(name);
  else seen.set(name, value);
}

function assertSame(actual: StoredValue | undefined, expected: StoredValue | undefined): void {
  assert.deepEqual(comparable(actual), comparable(expected));
}

/** Stores may give a Buffer or a plain Uint8Array. */
function comparable(item: StoredValue | undefined): unknown {
  return item && { ...item, value: Buffer.from(item.value).toString("hex") };
}

function newest(moments: readonly Moment[]): Moment {
  return pick(moments, 1 - Number.EPSILON);
}

function pick(moments: readonly Moment[], chosen: number): Moment {
  const moment = moments[Math.floor(chosen * moments.length)];
  assert.ok(moment !== undefined);
  return moment;
}

/** fast-check prints the seed of a failure; `--seed` repeats it. */
function seedOfRun(): { seed?: number } {
  const given = process.env["DRIFTLESS_TEST_SEED"];
  return given === undefined || given === "" ? {} : { seed: Number(given) };
}
