// Says what becomes of the program and of the versions that it was to have: in the log, in numbers, and to a node's agent. Names of variables and files,
// never their contents.

import { createHash } from "node:crypto";
import { describe } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import type { Random } from "../base/random.ts";
import type { DirectoryWords } from "./directory-words.ts";
import { exitCodeOf } from "./exit-code.ts";
import type { RunningChild } from "./program.ts";
import type { RefusalReason, RunMetrics, StartReason } from "./run-metrics.ts";
import { changesBetween, type Settings } from "./settings.ts";

export interface AnnouncerOptions {
  readonly metrics: RunMetrics;
  readonly words: DirectoryWords;
  readonly random: Random;
  readonly logger: Logger;
}

/** In a log line. */
const MAX_NAMES = 20;
const SHORT_DIGITS = 10;

export class Announcer {
  readonly #options: AnnouncerOptions;
  /** Of this life: without it, a short secret could be guessed from the hash of all that the program has. */
  readonly #salt: string;

  constructor(options: AnnouncerOptions) {
    const { random } = options;
    this.#options = options;
    this.#salt = Array.from({ length: 4 }, () => random.uint32()).join(" ");
  }

  /** Also if it cannot be started. */
  starting(reason: StartReason): void {
    this.#options.metrics.starts.inc({ reason });
  }

  started(settings: Settings, { pid }: RunningChild, reason: StartReason): void {
    this.#options.logger.info("program started", { version: this.#short(settings), pid, reason });
  }

  startedBeside(settings: Settings, { pid }: RunningChild): void {
    const version = this.#short(settings);
    this.#options.logger.info("program started beside the old one", { version, pid });
  }

  cannotStart(err: unknown): void {
    this.#options.logger.error("program cannot be started", { why: describe(err) });
  }

  restarting(before: Settings | undefined, after: Settings): void {
    this.#options.logger.info("restarting the program for a change", this.#changeOf(before, after));
  }

  told(before: Settings | undefined, after: Settings): void {
    const { metrics, logger } = this.#options;
    metrics.reloads.inc({ result: "success" });
    logger.info("program was told of changed files", this.#changeOf(before, after));
  }

  cannotTell(err: unknown, delayMs: number): void {
    const { metrics, logger } = this.#options;
    metrics.reloads.inc({ result: "failure" });
    logger.warn("program could not be told, trying again", { why: describe(err), delayMs });
  }

  ready(settings: Settings): void {
    const { words, logger } = this.#options;
    logger.info("program is ready", { version: this.#short(settings) });
    words.apply(settings);
  }

  late(settings: Settings | undefined, why: string | undefined): void {
    this.#options.logger.error("program is not ready, and there is nothing to go back to", {
      version: this.#short(settings),
      why,
    });
  }

  refused(
    settings: Settings,
    of: {
      readonly good: Settings | undefined;
      readonly reason: RefusalReason;
      readonly why: string;
      /** There is a program. */
      readonly hasOne: boolean;
    },
  ): void {
    const { metrics, words, logger } = this.#options;
    const { good, reason, why, hasOne } = of;
    metrics.refusals.inc({ reason });
    words.refuse(settings, { good, stage: reason === "gate" ? "gate" : "ready", reason: why });
    const what = hasOne ? "the last good one stays" : "nothing is started";
    const fields = { ...this.#changeOf(good, settings), good: this.#short(good), reason, why };
    logger.error(`version refused, ${what}`, fields);
  }

  cannotCopy(err: unknown, delayMs: number): void {
    const why = describe(err);
    this.#options.logger.error("cannot copy the watched files, trying again", { why, delayMs });
  }

  reviving(code: number, delayMs: number): void {
    this.#options.logger.warn("program ended, starting it again", { code, delayMs });
  }

  ended(code: number, child: RunningChild | undefined): void {
    const { logger } = this.#options;
    if (child === undefined) {
      logger.info("told to end before the program was started", { code });
      return;
    }
    const { signal } = child.status ?? {};
    logger.info("program ended, so does run", { code, ...(signal && { signal }) });
  }

  #changeOf(before: Settings | undefined, after: Settings): Readonly<Record<string, unknown>> {
    const changed = before === undefined ? [] : changesBetween(before, after);
    return { version: this.#short(after), changed: changed.slice(0, MAX_NAMES) };
  }

  #short(settings: Settings | undefined): string | undefined {
    if (settings === undefined) return undefined;
    const sum = createHash("sha256").update(`${this.#salt} ${settings.version}`);
    return sum.digest("hex").slice(0, SHORT_DIGITS);
  }
}

/** Of one that has ended, or is not ready. */
export function whyNot({ status }: Pick<RunningChild, "status">, reason: string): string {
  return status ? `it ended with ${exitCodeOf(status)}` : `not ready: ${reason}`;
}
