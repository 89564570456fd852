// All that a supervisor needs, and what it can be told.

import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { Random } from "../base/random.ts";
import type { Word } from "./directory-words.ts";
import type { LiveSource } from "./live-source.ts";
import type { Program } from "./program.ts";
import type { RunMetrics } from "./run-metrics.ts";

export interface SupervisorOptions {
  readonly program: Program;
  readonly environment: readonly LiveSource[];
  readonly directories: readonly { readonly path: string; readonly source: LiveSource }[];
  /** Where it is said which version of a directory the program has, by path. */
  readonly words: ReadonlyMap<string, Word>;
  /** How long it may take until there is a program; undefined: any time. */
  readonly startTimeoutMs: number | undefined;
  readonly minWaitMs: number;
  readonly maxWaitMs: number;
  readonly readyTimeoutMs: number;
  /** How the program is asked to end for a restart, and how long it has for that. */
  readonly stopSignal: NodeJS.Signals;
  readonly graceMs: number;
  /** The same for an end that was asked for from outside; undefined: whoever asked has a limit of his own. */
  readonly endGraceMs: number | undefined;
  /** Start the new one before the old one ends. */
  readonly overlaps: boolean;
  readonly revives: boolean;
  /** A hang-up is the end of a terminal, and not a request to read files again. */
  readonly hasTerminal: boolean;
  readonly metrics: RunMetrics;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}
