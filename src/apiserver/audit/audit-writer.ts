// Lines on their way to the audit log. Nobody waits for them: they are collected for a moment and written together. If
// the disk does not take them they wait, up to a bound; what comes then is dropped, counted and told. Requests are
// answered all the same, and the server stays ready.

import type { Clock } from "../../base/clock.ts";
import { isErrno } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import type { Counter, Metrics } from "../../base/metrics.ts";
import type { AuditSink } from "./auditor.ts";
import type { LogFile } from "./log-file.ts";

export interface AuditWriterOptions {
  readonly file: LogFile;
  /** How much may wait, in characters. */
  readonly maxWaiting: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** What a crash of the process may lose; a crash of the machine loses what the kernel has not written yet. */
const COLLECT_MS = 100;
/** So much is written without waiting for more. */
const HURRY_CHARACTERS = 256 * 1024;
/** At most so much is made into bytes at once. */
const BATCH_CHARACTERS = 1024 * 1024;
const RETRY_MS = 1000;
/** How often it looks whether the file was moved away. */
const LOOK_MS = 10_000;
const REPEAT_WARNING_MS = 60_000;

export class AuditWriter implements AuditSink {
  readonly #options: AuditWriterOptions;
  readonly #dropped: Counter;
  readonly #failures: Counter;
  readonly #ready = Promise.withResolvers<void>();
  #lines: string[] = [];
  /** Of #lines, with their ends. */
  #characters = 0;
  /** Lines that are being written: those before `offset` are on disk, the one at `offset` maybe in part. */
  #batch: { readonly bytes: Buffer; offset: number } | undefined;
  /** Wakes run(). */
  #woken = Promise.withResolvers<void>();
  #alarm: Disposable | undefined;
  /** Those who wait for what they wrote to be written, or to have failed. */
  #flushing: (() => void)[] = [];
  #mustLook = false;
  #lookedMs = Number.NEGATIVE_INFINITY;
  #isFailing = false;
  #isStopped = false;
  #droppedSinceTold = 0;
  readonly #toldMs = new Map<string, number>();

  constructor(options: AuditWriterOptions) {
    this.#options = options;
    this.#dropped = options.metrics.counter({
      name: "apiserver_audit_dropped_total",
      help: "Events that are not in the audit log because too many were waiting.",
    });
    this.#failures = options.metrics.counter({
      name: "apiserver_audit_error_total",
      help: "Failed attempts to write to the audit log. What could not be written is tried again.",
    });
    // Whoever waits hears of a failure; if nobody does, run() tells it.
    this.#ready.promise.catch(() => undefined);
  }

  write(line: string): void {
    if (this.#isStopped || this.#characters + line.length > this.#options.maxWaiting) {
      this.#drop();
      return;
    }
    this.#lines.push(line);
    this.#characters += line.length + 1;
    if (this.#isFailing) return; // The next attempt has its time.
    if (this.#characters >= HURRY_CHARACTERS) this.#wake();
    else this.#wakeIn(COLLECT_MS);
  }

  /** Rejects if the file cannot be opened for a reason that does not pass. A full disk passes. */
  ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** Leaves the file, and opens what is now at its place: for those who have moved it. */
  reopen(): void {
    this.#mustLook = true;
    this.#wake();
  }

  /** Resolves when all that was written before is on its way to the disk, or could not be. Only while it runs. */
  flush(): Promise<void> {
    return new Promise((resolve) => {
      this.#flushing.push(resolve);
      this.#wake();
    });
  }

  /** On its end it writes what waits, once: a full disk does not keep the server from stopping. */
  async run(signal: AbortSignal): Promise<void> {
    const { file } = this.#options;
    const stop = (): void => this.#wake();
    signal.addEventListener("abort", stop, { once: true });
    try {
      await this.#open();
      while (!signal.aborted) await this.#round();
    } finally {
      signal.removeEventListener("abort", stop);
      this.#isStopped = true;
      await this.#attend();
      this.#alarm?.[Symbol.dispose]();
      this.#dropped.add(this.#lines.length);
      await file.close();
    }
  }

  async #open(): Promise<void> {
    try {
      await this.#options.file.open();
    } catch (err) {
      if (!isErrno(err, "ENOSPC", "EDQUOT", "EMFILE", "ENFILE")) {
        this.#ready.reject(err);
        throw err;
      }
      this.#failed(err);
    }
    this.#lookedMs = this.#options.clock.monotonicMs();
    this.#ready.resolve();
  }

  async #round(): Promise<void> {
    using _look = this.#options.clock.schedule(LOOK_MS, () => this.#wake());
    await this.#woken.promise;
    this.#woken = Promise.withResolvers<void>();
    await this.#attend();
  }

  async #attend(): Promise<void> {
    const flushing = this.#flushing.splice(0);
    this.#alarm?.[Symbol.dispose]();
    this.#alarm = undefined;
    try {
      await this.#lookIfDue();
      await this.#writeAll();
      this.#recovered();
    } catch (err) {
      this.#failed(err);
    }
    for (const done of flushing) done();
  }

  async #lookIfDue(): Promise<void> {
    const { clock, file } = this.#options;
    if (!this.#mustLook && clock.monotonicMs() - this.#lookedMs < LOOK_MS) return;
    const isOther = await file.lookAgain();
    this.#mustLook = false;
    this.#lookedMs = clock.monotonicMs();
    if (isOther && this.#batch !== undefined) {
      const { bytes, offset } = this.#batch;
      this.#batch.offset = offset === 0 ? 0 : bytes.lastIndexOf("\n", offset - 1) + 1;
    }
  }

  async #writeAll(): Promise<void> {
    const { file } = this.#options;
    for (let batch = this.#nextBatch(); batch !== undefined; batch = this.#nextBatch()) {
      if (batch.offset === 0) await file.rotateIfDue(batch.bytes.length);
      batch.offset += await file.append(batch.bytes, batch.offset);
      if (batch.offset === batch.bytes.length) this.#batch = undefined;
    }
  }

  #nextBatch(): { readonly bytes: Buffer; offset: number } | undefined {
    if (this.#batch !== undefined || this.#lines.length === 0) return this.#batch;
    let characters = 0;
    const after = this.#lines.findIndex((line) => {
      characters += line.length + 1;
      return characters > BATCH_CHARACTERS;
    });
    const taken = after === -1 ? this.#lines : this.#lines.slice(0, Math.max(1, after));
    this.#lines = after === -1 ? [] : this.#lines.slice(taken.length);
    for (const line of taken) this.#characters -= line.length + 1;
    this.#batch = { bytes: Buffer.from(`${taken.join("\n")}\n`), offset: 0 };
    return this.#batch;
  }

  #failed(err: unknown): void {
    this.#isFailing = true;
    this.#failures.inc();
    this.#tell("cannot write the audit log, and try again", { err, waiting: this.#lines.length });
    if (!this.#isStopped) this.#wakeIn(RETRY_MS);
  }

  #recovered(): void {
    if (!this.#isFailing) return;
    this.#isFailing = false;
    this.#toldMs.clear();
    this.#options.logger.info("the audit log is written again", {
      dropped: this.#droppedSinceTold,
    });
    this.#droppedSinceTold = 0;
  }

  #drop(): void {
    this.#dropped.inc();
    this.#droppedSinceTold++;
    const dropped = this.#droppedSinceTold;
    if (this.#tell("audit events are dropped: too many wait to be written", { dropped })) {
      this.#droppedSinceTold = 0;
    }
  }

  /** Once a minute. Whether it was time. */
  #tell(message: string, fields: Readonly<Record<string, unknown>>): boolean {
    const nowMs = this.#options.clock.monotonicMs();
    const toldMs = this.#toldMs.get(message) ?? Number.NEGATIVE_INFINITY;
    if (nowMs - toldMs < REPEAT_WARNING_MS) return false;
    this.#toldMs.set(message, nowMs);
    this.#options.logger.warn(message, fields);
    return true;
  }

  #wake(): void {
    this.#woken.resolve();
  }

  #wakeIn(ms: number): void {
    this.#alarm ??= this.#options.clock.schedule(ms, () => this.#wake());
  }
}
