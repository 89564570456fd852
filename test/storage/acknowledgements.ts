// What a server that was killed had acknowledged, held against the log that it has left.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import {
  CompactedError,
  type Revision,
  type Store,
  type StoredValue,
  type StoreEvent,
} from "../../src/storage/store.ts";
import { countOf } from "./counted-value.ts";
import { openStore, pastOf } from "./open-store.ts";

const CHILD = fileURLToPath(new URL("writing-child.ts", import.meta.url));

/** Everything that the servers of one database have acknowledged: what they printed, by revision. */
export type Acknowledged = Map<bigint, string>;

/** Runs a server until it has acknowledged `writes`, ends it with `end`, and adds all that it had acknowledged. */
export async function writeUntil(
  acknowledged: Acknowledged,
  {
    directory,
    writes,
    end,
  }: { directory: string; writes: number; end: (child: ChildProcess) => void },
): Promise<void> {
  const child = spawn(process.execPath, [CHILD, directory, "compact"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  let printed = "";
  let lines = 0;
  let hasEnded = false;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
    lines += text.split("\n").length - 1;
    if (lines < writes || hasEnded) return;
    hasEnded = true;
    end(child);
  });
  await new Promise((resolve) => child.once("close", resolve));
  assert.ok(hasEnded, "the server went on until it was ended");
  // The end may have come in the middle of printing a line.
  for (const line of printed.split("\n").slice(0, -1)) {
    const revision = BigInt(line.split(" ")[2] ?? "");
    assert.ok(!acknowledged.has(revision), `revision ${revision} is given once`);
    acknowledged.set(revision, line);
  }
}

/**
 * Every acknowledged write is in the log, which has no gap and no half write. Of what was compacted, no key is as
 * it was before an acknowledged write.
 */
export async function assertKept(directory: string, acknowledged: Acknowledged): Promise<void> {
  await using opened = await openStore(directory);
  const { store } = opened;
  const compacted = await compactedOf(store);
  const { items } = await store.range({ prefix: "", revision: compacted });
  const events = await pastOf(store, compacted);
  assertUnbroken(items, events);
  const kept = new Set(events.map(describeEvent));
  const lost = [...acknowledged].filter(([at, line]) => at > compacted && !kept.has(line));
  assert.deepEqual(lost, [], "no acknowledged write is lost");
  const stored = new Map(items.map(({ key, revision }) => [key, revision]));
  const undone = [...acknowledged].filter(([at, line]) => {
    const has = stored.get(line.split(" ")[0] ?? "");
    return at <= compacted && has !== undefined && has < at;
  });
  assert.deepEqual(undone, [], "no acknowledged write is undone");
}

async function compactedOf(store: Store): Promise<Revision> {
  try {
    await store.range({ prefix: "", limit: 1, revision: 0n });
    return 0n;
  } catch (err) {
    if (err instanceof CompactedError) return err.compacted;
    throw err;
  }
}

/** As the server prints it: the number of a write since its key began. */
function describeEvent({ key, revision, value, previous }: StoreEvent): string {
  const count = value === undefined ? previous && countOf(previous) + 1 : countOf(value);
  return `${key} ${count} ${revision}`;
}

/** `items` are the keys before the events. */
function assertUnbroken(items: readonly StoredValue[], events: readonly StoreEvent[]): void {
  const counts = new Map(items.map((item) => [item.key, countOf(item)]));
  let last = 0n;
  for (const { key, revision, value, previous } of events) {
    assert.ok(revision > last, `revision ${revision} comes after ${last}`);
    last = revision;
    const before = counts.get(key) ?? 0;
    assert.equal(previous === undefined ? 0 : countOf(previous), before);
    if (value === undefined) counts.delete(key);
    else {
      assert.equal(countOf(value), before + 1, `${key} has no gap`);
      counts.set(key, before + 1);
    }
  }
}
