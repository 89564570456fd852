// Makes what happens known: each problem once in the log when it comes and once when it goes, as a number, as an Event, in the acknowledgement, and to whoever asks whether the
// sidecar is ready. Nothing here decides anything.

import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { ReloadProgress } from "../../reload/reloader.ts";
import { shownVersion } from "../gate/has-secrets.ts";
import { payloadOf } from "../publish/volume-output.ts";
import type { Candidate, PublishResult } from "../publisher.ts";
import type { Acknowledgement } from "./acknowledgement.ts";
import type { SidecarEvent } from "./pod-events.ts";
import type { SidecarMetrics } from "./sidecar-metrics.ts";

export type Stage = "source" | "compose" | "gate" | "publish" | "reload";

export interface ReporterOptions {
  readonly metrics: SidecarMetrics;
  /** Of the output. */
  readonly acknowledgement: Acknowledgement | undefined;
  /** By name, of sources that are files: what a node mounts is confirmed there. */
  readonly sourceAcknowledgements?: ReadonlyMap<string, Acknowledgement>;
  readonly events: { record(event: SidecarEvent): void } | undefined;
  /** A version that the gate does not let through, or that cannot be made, makes the sidecar unready. */
  readonly failsReadiness: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

const STAGES: readonly Stage[] = ["source", "compose", "gate", "publish", "reload"];
const EVENT_REASONS: Readonly<Record<Stage, string>> = {
  source: "ConfigSourceFailing",
  compose: "ConfigNotComposed",
  gate: "ConfigRejected",
  publish: "ConfigNotPublished",
  reload: "ConfigReloadFailing",
};
const MAX_KNOWN_VERSIONS = 16;

/** Of sources, by name. */
type SourceVersions = ReadonlyMap<string, string>;

export class Reporter {
  readonly #options: ReporterOptions;
  /** What stands, by stage. */
  readonly #problems = new Map<Stage, string>();
  /** Content versions, which is what acknowledgements name, by version of the candidate. */
  readonly #contentVersions = new Map<string, string>();
  /** As the log may show them. */
  readonly #shown = new Map<string, string | undefined>();
  /** As the last look found them. */
  #sources: SourceVersions = new Map();
  /** What candidates were made of, by their version, the newest of each. */
  readonly #madeOf = new Map<string, SourceVersions>();
  /** What is the matter with "compose" is that nothing could be tried. */
  #isWaiting = false;
  #live: string | undefined;
  #applied: string | undefined;
  #wanted: string | undefined;

  constructor(options: ReporterOptions) {
    this.#options = options;
    for (const stage of STAGES) options.metrics.problem.set(0, { stage });
  }

  /** What the app knows. */
  get applied(): string | undefined {
    return this.#applied;
  }

  get problems(): ReadonlyMap<Stage, string> {
    return this.#problems;
  }

  /** Why the sidecar is not ready; undefined if it is. */
  readinessProblem(): string | undefined {
    const all = [...this.#problems].map(([stage, text]) => `${stage}: ${text}`).join("; ");
    if (this.#live === undefined) return all === "" ? "nothing is published yet" : all;
    if (!this.#options.failsReadiness) return undefined;
    return (
      this.#problems.get("gate") ?? (this.#isWaiting ? undefined : this.#problems.get("compose"))
    );
  }

  /** Of all sources together; "" for none. */
  sources(problem: string): void {
    this.#state("source", problem);
  }

  /** From here on candidates are made of these. */
  looked(versions: SourceVersions): void {
    this.#sources = versions;
    for (const [name, ack] of this.#sourceAcks()) {
      const version = versions.get(name);
      if (version !== undefined) ack.notice(version);
    }
  }

  /** Sources that nothing was heard of since the start: no fault of what they say, and no reason to take the app away. */
  waits(problem: string): void {
    this.composed(problem);
    this.#isWaiting = true;
  }

  composed(problem: string): void {
    this.#isWaiting = false;
    this.#state("compose", problem);
    if (problem !== "") this.#refuse({ version: null, stage: "compose", reason: problem });
  }

  noticed(candidate: Candidate): void {
    this.#wanted = candidate.version;
    const version = this.#contentVersionOf(candidate);
    if (version !== undefined) this.#options.acknowledgement?.notice(version);
    remember(this.#madeOf, candidate.version, this.#sources);
  }

  /** There is a last good version of an earlier life, and it is not live. */
  unrestored(reason: string): void {
    this.#state("publish", `the last good version cannot be made live: ${reason}`);
  }

  /** `candidate` went the way of `result`. */
  published(candidate: Candidate, result: PublishResult): void {
    const { metrics, clock, logger } = this.#options;
    metrics.publishes.inc({ result: result.result });
    const { version } = candidate;
    this.#contentVersionOf(candidate);
    if (!("reason" in result)) {
      this.#state("gate", "");
      this.#state("publish", result.leftOut ?? "");
      this.#refuse(undefined);
      if (this.#live !== version) {
        metrics.publishedAt.set(clock.now() / 1000);
        const shown = this.#shown.get(version);
        logger.info("configuration is live", { version: shown, files: candidate.files.size });
      }
      this.#live = version;
      // Of sources with something new that is not in any file.
      if (this.#applied === version) this.#applySources(version);
    } else {
      const stage = result.isByGate === true ? "gate" : "publish";
      this.#state(stage, result.reason, { version: this.#shown.get(version) });
      // A version that could not be written has passed the gate, and the other way round.
      this.#state(stage === "gate" ? "publish" : "gate", "");
      const content = this.#contentVersions.get(version) ?? null;
      this.#refuse({ version: content, stage, reason: result.reason });
    }
    this.#judgeUpToDate();
  }

  reload(progress: ReloadProgress): void {
    const { metrics, acknowledgement, clock, logger } = this.#options;
    const { version, result, attempts, message } = progress;
    if (result === "Pending") return;
    if (attempts > 0) {
      metrics.reloads.inc({ result: result === "Succeeded" ? "succeeded" : "failed" });
    }
    const shown = this.#shown.get(version);
    this.#state("reload", message, { version: shown, attempts });
    if (result !== "Succeeded") return;
    this.#applied = version;
    metrics.appliedAt.set(clock.now() / 1000);
    if (attempts > 0) logger.info("app was told", { version: shown, attempts });
    const content = this.#contentVersions.get(version);
    if (content !== undefined) acknowledgement?.apply(content);
    this.#applySources(version);
    this.#judgeUpToDate();
  }

  #judgeUpToDate(): void {
    const isSo = this.#wanted === this.#live && this.#applied === this.#live;
    this.#options.metrics.upToDate.set(isSo ? 1 : 0);
  }

  #sourceAcks(): Iterable<[string, Acknowledgement]> {
    return this.#options.sourceAcknowledgements ?? [];
  }

  #applySources(candidate: string): void {
    for (const [name, ack] of this.#sourceAcks()) {
      const version = this.#madeOf.get(candidate)?.get(name);
      if (version !== undefined) ack.apply(version);
    }
  }

  #refuse(refusal: Parameters<Acknowledgement["refuse"]>[0]): void {
    this.#options.acknowledgement?.refuse(refusal);
    for (const [name, ack] of this.#sourceAcks()) {
      ack.refuse(refusal && { ...refusal, version: this.#sources.get(name) ?? null });
    }
  }

  #state(stage: Stage, problem: string, fields: Readonly<Record<string, unknown>> = {}): void {
    const before = this.#problems.get(stage) ?? "";
    if (before === problem) return;
    const { metrics, events, logger } = this.#options;
    metrics.problem.set(problem === "" ? 0 : 1, { stage });
    if (problem === "") {
      this.#problems.delete(stage);
      logger.info("problem is over", { stage });
      return;
    }
    this.#problems.set(stage, problem);
    const line = { stage, reason: problem, ...fields };
    if (stage === "source") logger.warn("source has a problem", line);
    else logger.error("configuration has a problem", line);
    const type = "Warning";
    events?.record({ type, reason: EVENT_REASONS[stage], message: problem });
  }

  #contentVersionOf(candidate: Candidate): string | undefined {
    const known = this.#contentVersions.get(candidate.version);
    if (known !== undefined) return known;
    remember(this.#shown, candidate.version, shownVersion(candidate));
    try {
      const { version } = payloadOf(candidate);
      remember(this.#contentVersions, candidate.version, version);
      return version;
    } catch {
      return undefined; // Names that no volume can hold: nobody can read such a set as one.
    }
  }
}

/** The newest last; the oldest goes. */
function remember<T>(known: Map<string, T>, version: string, what: T): void {
  known.delete(version);
  known.set(version, what);
  const [oldest] = known.keys();
  if (known.size > MAX_KNOWN_VERSIONS && oldest !== undefined) known.delete(oldest);
}
