// Keeps a server's keys as the file and the record in the store say, and brings everything under the one that writes:
// what older keys have sealed, and what is in clear. A value is replaced only as it was read, so nobody's write is
// lost, and to be killed at any point costs nothing but looking again.
//
//   (1) the record has the new key ──► (2) walk: seal what others have sealed ──► (3) wait until the past is forgotten
//   ──► (4) walk again: nothing was left ──► (5) the record drops the old keys: they are retired
//
// Each replaced value is an event with unchanged contents, as it is in Kubernetes: the resourceVersion has changed, and
// those who hold the object have to know.

import { isAbort } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import { CompactedError, type Revision, type Store, type StoredValue } from "../store.ts";
import { agreeOnKeys } from "./agree-on-keys.ts";
import { isSettled, type KeyRecord, RECORD_KEY, readRecord, writeRecord } from "./key-record.ts";
import type { KeyRing } from "./key-ring.ts";
import { openValue } from "./open-value.ts";
import { seal, sealedBy, UnreadableValueError } from "./sealed-value.ts";
import { valuesBelow } from "./survey.ts";

/** How soon a changed key file, or another server's key, is in use. */
export const LOOK_MS = 5000;
/**
 * A key is retired so long after the last walk at the earliest. Other servers hear of a new key within LOOK_MS, and
 * what they have sealed with the old one by then is written, or given up.
 */
export const RETIRE_AFTER_MS = 60_000;
/** After this many replaced values the others have their turn. */
const VALUES_PER_TURN = 20;
/** Together: at most 400 values a second, which any store takes beside its work. */
const PAUSE_MS = 50;

export interface ReencryptionOptions {
  /** The store itself, not one that decrypts. */
  readonly store: Store;
  readonly ring: KeyRing;
  readonly prefixes: readonly string[];
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A walk after which everything was under one key. */
interface Walked {
  readonly writer: string;
  /** Older revisions may show what others have sealed. */
  readonly revision: Revision;
  /** When it ended, on the clock that only grows. */
  readonly endedMs: number;
}

export class Reencryption {
  readonly #options: ReencryptionOptions;
  #walked: Walked | undefined;

  constructor(options: ReencryptionOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    while (!signal.aborted) {
      try {
        await this.#round(signal);
      } catch (err) {
        if (isAbort(err, signal)) return;
        logger.warn("cannot bring the store under its newest key", { err }); // The next round tries again.
      }
      await clock.sleep(LOOK_MS, signal).catch(() => undefined); // The loop's condition sees the abort.
    }
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { ring, prefixes } = this.#options;
    ring.refresh();
    const record = await agreeOnKeys(this.#options);
    if (isSettled(record, prefixes)) return;
    const [writer] = record.keys;
    const walked = this.#walked?.writer === writer ? this.#walked : undefined;
    if (walked !== undefined && !(await this.#isForgotten(walked))) return;
    const { replaced, left } = await this.#walk(record, signal);
    if (walked !== undefined && replaced + left === 0) await this.#retire(record);
    const revision = await this.#options.store.revision();
    this.#walked = { writer, revision, endedMs: this.#options.clock.monotonicMs() };
  }

  /** Whether no reader can ask any more for the time before a walk had ended. */
  async #isForgotten({ revision, endedMs }: Walked): Promise<boolean> {
    const { store, clock } = this.#options;
    if (clock.monotonicMs() - endedMs < RETIRE_AFTER_MS) return false;
    try {
      await store.range({ prefix: RECORD_KEY, limit: 1, revision: revision - 1n });
      return false;
    } catch (err) {
      if (err instanceof CompactedError) return true;
      throw err;
    }
  }

  /** `left` are those that cannot be read, or that somebody has sealed with a key that is newer still. */
  async #walk(
    { keys }: KeyRecord,
    signal: AbortSignal,
  ): Promise<{ replaced: number; left: number }> {
    const { store, prefixes, clock, logger } = this.#options;
    const [writer, ...old] = keys;
    const count = { kept: 0, replaced: 0, left: 0 };
    for (const prefix of prefixes) {
      for await (const item of valuesBelow(store, prefix)) {
        signal.throwIfAborted();
        const outcome = await this.#replace(item, { writer, old });
        count[outcome]++;
        const isTurn = outcome === "replaced" && count.replaced % VALUES_PER_TURN === 0;
        if (isTurn) await clock.sleep(PAUSE_MS, signal);
      }
    }
    const { replaced, left } = count;
    if (replaced + left > 0) logger.info("re-encrypted stored values", { replaced, left, writer });
    return { replaced, left };
  }

  /** If somebody was faster, the next walk looks at what they wrote. */
  async #replace(
    item: StoredValue,
    { writer, old }: { readonly writer: string; readonly old: readonly string[] },
  ): Promise<"kept" | "replaced" | "left"> {
    const { store, ring, logger } = this.#options;
    const { key, value, revision } = item;
    try {
      const by = sealedBy(key, value);
      if (by === writer) return "kept";
      // A server that does not know of a rotation yet must not undo it.
      if (by !== "none" && !old.includes(by)) return "left";
      await store.update(key, seal(ring.writer, key, openValue(ring, item)), revision);
      return "replaced";
    } catch (err) {
      if (!(err instanceof UnreadableValueError)) throw err;
      logger.error("cannot re-encrypt a stored value", { key, err });
      return "left";
    }
  }

  async #retire(decidedOn: KeyRecord): Promise<void> {
    const { store, prefixes, logger } = this.#options;
    const { item, record } = await readRecord(store);
    // Somebody may have begun with a new key meanwhile: then it all begins again.
    if (record === undefined || JSON.stringify(record) !== JSON.stringify(decidedOn)) return;
    const [writer, ...old] = record.keys;
    const retired = [...record.retired, ...old];
    const sealed = [...new Set([...record.sealed, ...prefixes])];
    const { ok } = await writeRecord(store, { keys: [writer], retired, sealed }, item);
    if (ok) logger.info("everything is under one key", { key: writer, retired: old });
  }
}
