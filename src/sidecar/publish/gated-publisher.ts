// The one way from a candidate to a live set:
//
//   (1) what is live already is only mended
//   (2) the gate, unless it has said yes, or no, to this very version
//   (3) the set is kept as the last good one, on disk
//   (4) the output shows it
//
// A crash between (3) and (4) is healed by `restore`, which makes the kept set live: it has passed the gate. At no time is anything live that has not.

import type { Clock } from "../../base/clock.ts";
import { describe } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import { Mutex } from "../../base/mutex.ts";
import type { Verdict } from "../gate/gate.ts";
import { shownVersion } from "../gate/has-secrets.ts";
import type { Candidate, Publisher, PublishResult } from "../publisher.ts";
import type { Output } from "./output.ts";

/** Whoever judges candidates: Gate. */
interface Judge {
  fingerprint(): string;
  judge(candidate: Candidate, signal: AbortSignal): Promise<Verdict>;
}

/** Where the last good set is kept: StateDirectory. */
interface GoodKeeper {
  readGood(): Candidate | undefined;
  writeGood(candidate: Candidate): void;
}

export interface GatedPublisherOptions {
  readonly output: Output;
  readonly gate: Judge;
  /** Undefined: nothing is kept beyond this life. */
  readonly keeper: GoodKeeper | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Rejection {
  readonly version: string;
  readonly fingerprint: string;
  readonly reason: string;
  /** When it is judged again although nothing that we see has changed. */
  readonly againAtMs: number;
  readonly times: number;
}

/** What a gate looks at can change without us: `nginx -t` asks the DNS. From a minute to ten. */
const AGAIN_MS = 60_000;
const MAX_AGAIN_MS = 600_000;

export class GatedPublisher implements Publisher {
  readonly #options: GatedPublisherOptions;
  readonly #turn = new Mutex();
  #live: Candidate | undefined;
  /** The kept set, if that is not live yet. */
  #unrestored: Candidate | undefined;
  /** Which version the keeper has, once that is known. */
  #kept: string | undefined;
  #isRead = false;
  #isFresh = false;
  /** Has passed the gate, and may not be live because the disk is full. */
  #passed: string | undefined;
  #rejection: Rejection | undefined;

  constructor(options: GatedPublisherOptions) {
    this.#options = options;
  }

  live(): Candidate | undefined {
    return this.#live;
  }

  /** Nothing was live when `restore` looked: whoever reads the output now has never seen another version. */
  get isFresh(): boolean {
    return this.#isFresh;
  }

  /** Makes the last good set live, if there is one. To be called at the start, and again while it fails. */
  restore(): PublishResult | undefined {
    const { keeper, output, logger } = this.#options;
    try {
      if (!this.#isRead) {
        this.#unrestored = keeper?.readGood();
        this.#kept = this.#unrestored?.version;
        this.#isFresh = this.#unrestored === undefined && output.read().size === 0;
        this.#isRead = true;
      }
      const kept = this.#unrestored;
      if (kept === undefined) return undefined;
      const outcome = this.#show(kept);
      logger.info("last good version is live", { version: shownVersion(kept), outcome });
      return this.#shown(outcome, kept.version);
    } catch (err) {
      return { result: "failed", reason: describe(err) };
    }
  }

  async publish(candidate: Candidate, signal: AbortSignal): Promise<PublishResult> {
    using _turn = await this.#turn.lock(signal);
    const { version } = candidate;
    if (version === this.#live?.version) return this.#mend(candidate); // (1)
    if (version !== this.#passed) {
      const no = this.#standing(version) ?? (await this.#judge(candidate, signal)); // (2)
      if (no !== undefined) return no;
    }
    try {
      this.#keep(candidate); // (3)
      this.#unrestored = undefined;
      const outcome = this.#show(candidate); // (4)
      return this.#shown(outcome, version);
    } catch (err) {
      this.#keepLive();
      return { result: "failed", reason: describe(err) };
    }
  }

  /** Removes what has had its time; milliseconds until there is more to do. Never throws. */
  upkeep(): number | undefined {
    try {
      return this.#options.output.upkeep();
    } catch (err) {
      this.#options.logger.warn("output keeps old versions", { err });
      return undefined;
    }
  }

  #mend(candidate: Candidate): PublishResult {
    const { version } = candidate;
    this.#rejection = undefined;
    try {
      // The same object each time: then there is nothing to compute.
      this.#show(this.#live ?? candidate);
      if (this.#kept !== version) this.#keep(candidate);
      return this.#shown("unchanged", version);
    } catch (err) {
      return { result: "failed", reason: describe(err) };
    }
  }

  #keep(candidate: Candidate): void {
    this.#kept = undefined; // Until it is known how that ended.
    this.#options.keeper?.writeGood(candidate);
    this.#kept = candidate.version;
  }

  /** What was kept and cannot be shown may never be: the next life is to have what is live now. */
  #keepLive(): void {
    const live = this.#live;
    if (live === undefined || live.version === this.#kept) return;
    try {
      this.#keep(live);
    } catch {
      // The disk is full: what is kept has passed the gate, too, and this is tried again with the next publish.
    }
  }

  #show(candidate: Candidate): "written" | "unchanged" {
    const outcome = this.#options.output.write(candidate);
    this.#live = candidate;
    this.#unrestored = undefined;
    this.#passed = undefined;
    return outcome;
  }

  #shown(outcome: "written" | "unchanged", version: string): PublishResult {
    const leftOut = this.#options.output.leftOut?.();
    const result = outcome === "written" ? "published" : "unchanged";
    return { result, version, ...(leftOut !== undefined && { leftOut }) };
  }

  /** The no that was said before, if nothing has changed since. */
  #standing(version: string): PublishResult | undefined {
    const { gate, clock } = this.#options;
    const before = this.#rejection;
    if (before?.version !== version || before.fingerprint !== gate.fingerprint()) return undefined;
    if (clock.monotonicMs() >= before.againAtMs) return undefined;
    return { result: "rejected", reason: before.reason, isByGate: true };
  }

  async #judge(candidate: Candidate, signal: AbortSignal): Promise<PublishResult | undefined> {
    const { gate, clock, logger } = this.#options;
    const { version } = candidate;
    const fingerprint = gate.fingerprint();
    const verdict = await gate.judge(candidate, signal);
    if (verdict.verdict === "passed") {
      this.#passed = version;
      this.#rejection = undefined;
      return undefined;
    }
    const { reason, output } = verdict;
    const before = this.#rejection?.version === version ? this.#rejection : undefined;
    if (output !== undefined && before?.reason !== reason) {
      logger.warn("gate output", { version, output });
    }
    if (verdict.verdict === "rejected") {
      const times = (before?.times ?? 0) + 1;
      const againAtMs = clock.monotonicMs() + Math.min(MAX_AGAIN_MS, AGAIN_MS * 2 ** (times - 1));
      this.#rejection = { version, fingerprint, reason, againAtMs, times };
    }
    return { result: verdict.verdict, reason, isByGate: true };
  }
}
