// The probes of one container, from its start to its end: startup first, the other two when that has succeeded. What they found is
// asked for here.

import type {
  Container,
  Pod,
  Probe,
  ContainerStatus as ReportedContainer,
} from "../../api/types.ts";
import type { Random } from "../../base/random.ts";
import type { ContainerStatus } from "../../runtime/runtime.ts";
import { type AskParts, ask } from "./ask.ts";
import type { ProbeMetrics } from "./probe-metrics.ts";
import { INITIAL_VERDICTS, type ProbeKind, ProbeTally, type Verdict } from "./probe-tally.ts";
import { ProbeWorker } from "./probe-worker.ts";
import type { ProbeFailure } from "./probes.ts";

export interface ProbingParts extends AskParts {
  readonly metrics: ProbeMetrics;
  readonly random: Random;
  /** Where a pod is reached. */
  readonly address: (pod: Pod) => string;
}

export interface ContainerProbesOptions {
  readonly parts: ProbingParts;
  /** As it is now: its address may come later than its containers. */
  readonly pod: () => Pod;
  readonly container: Container;
  /** It runs. */
  readonly status: ContainerStatus;
  /** What was told of this very container before, by an agent that is no more. */
  readonly reported: ReportedContainer | undefined;
  readonly onChange: () => void;
}

interface OneProbe {
  readonly spec: Probe;
  readonly tally: ProbeTally;
  readonly worker: ProbeWorker;
}

const DEFAULTS = { periodSeconds: 10, successThreshold: 1, failureThreshold: 3 } as const;
/** The first question comes within a second: most programs are up by then, and those of a node that start together are asked apart. */
const FIRST_WITHIN_MS = 1000;

export class ContainerProbes {
  readonly #options: ContainerProbesOptions;
  readonly #startup: OneProbe | undefined;
  readonly #readiness: OneProbe | undefined;
  readonly #liveness: OneProbe | undefined;
  #isRunning = true;
  /** It was told to stop: whether it is alive is of no interest any more. */
  #isStopping = false;

  constructor(options: ContainerProbesOptions) {
    this.#options = options;
    const { container, reported } = options;
    const { startupProbe, readinessProbe, livenessProbe } = container;
    this.#startup = this.#make("Startup", startupProbe, reported?.started ?? false);
    this.#readiness = this.#make("Readiness", readinessProbe, reported?.ready ?? false);
    this.#liveness = this.#make("Liveness", livenessProbe, false);
  }

  get isStarted(): boolean {
    if (!this.#isRunning) return false;
    return this.#startup === undefined || this.#startup.tally.verdict === "success";
  }

  get isReady(): boolean {
    if (!this.isStarted) return false;
    return this.#readiness === undefined || this.#readiness.tally.verdict === "success";
  }

  get failure(): ProbeFailure | undefined {
    if (this.#isStopping) return undefined;
    return failureOf("Liveness", this.#liveness) ?? failureOf("Startup", this.#startup);
  }

  get #all(): readonly OneProbe[] {
    return [this.#startup, this.#readiness, this.#liveness].filter((one) => one !== undefined);
  }

  /** `agentStartedMs` is the time of the day: the probes of what ran before are spread over their whole period. */
  begin(agentStartedMs: number): void {
    if (!this.#isRunning) return;
    const isOld = this.#options.status.startedAtMs < agentStartedMs;
    if (!this.isStarted) {
      this.#start(this.#startup, isOld ? "period" : "soon");
      return;
    }
    this.#start(this.#readiness, isOld ? "period" : "soon");
    this.#start(this.#liveness, "period");
  }

  /** From now on only readiness is asked. */
  stopping(): void {
    this.#isStopping = true;
    this.#startup?.worker.stop();
    this.#liveness?.worker.stop();
  }

  /** The container has ended. Why it was to be restarted is still known. */
  ended(): void {
    this.#isRunning = false;
    for (const { worker } of this.#all) worker.stop();
  }

  /** Settles when nothing is under way any more, after `ended`. */
  async settled(): Promise<void> {
    await Promise.all(this.#all.map(({ worker }) => worker.stopped()));
  }

  #make(kind: ProbeKind, spec: Probe | undefined, wasWell: boolean): OneProbe | undefined {
    if (spec === undefined) return undefined;
    const initial: Verdict = wasWell ? "success" : INITIAL_VERDICTS[kind];
    const { periodSeconds, ...thresholds } = settings(spec);
    const tally = new ProbeTally({ initial, ...thresholds });
    const worker = new ProbeWorker({
      ...{ kind, tally, clock: this.#options.parts.clock, periodMs: periodSeconds * 1000 },
      ask: (signal) => this.#ask(kind, spec, signal),
      onVerdict: (isNew) => this.#onVerdict(kind, isNew),
    });
    return { spec, tally, worker };
  }

  async #ask(kind: ProbeKind, probe: Probe, signal: AbortSignal): ReturnType<typeof ask> {
    const { parts, container, status } = this.#options;
    const pod = this.#options.pod();
    const address = parts.address(pod);
    const target = { pod, container, containerId: status.id, probe, address };
    const asked = await ask(parts, { kind, target }, signal);
    if (asked.answer !== undefined) parts.metrics.count(pod, { container, kind }, asked.answer);
    return asked;
  }

  #onVerdict(kind: ProbeKind, isNew: boolean): void {
    if (!isNew) return;
    if (kind === "Startup" && this.isStarted) {
      this.#start(this.#readiness, "now");
      this.#start(this.#liveness, "period");
    }
    this.#options.onChange();
  }

  #start(probe: OneProbe | undefined, spread: "now" | "soon" | "period"): void {
    if (probe === undefined) return;
    const { status, parts } = this.#options;
    const { periodSeconds } = settings(probe.spec);
    const delayMs = (probe.spec.initialDelaySeconds ?? 0) * 1000;
    // The time of the day may have jumped since the start: never wait longer than asked for.
    const passedMs = Math.max(0, parts.clock.now() - status.startedAtMs);
    const spreadMs = {
      now: 0,
      soon: Math.min(periodSeconds * 1000, FIRST_WITHIN_MS),
      period: periodSeconds * 1000,
    }[spread];
    probe.worker.start(
      Math.max(0, delayMs - passedMs) + Math.floor(parts.random.next() * spreadMs),
    );
  }
}

function failureOf(
  probe: ProbeFailure["probe"],
  one: OneProbe | undefined,
): ProbeFailure | undefined {
  if (one?.tally.verdict !== "failure") return undefined;
  const { terminationGracePeriodSeconds } = one.spec;
  return { probe, terminationGracePeriodSeconds };
}

/** What the server fills in is missing in pods from files. */
function settings(spec: Probe): Record<keyof typeof DEFAULTS, number> {
  const given = (name: keyof typeof DEFAULTS): number => {
    const value = spec[name] ?? 0;
    return value > 0 ? value : DEFAULTS[name];
  };
  return {
    periodSeconds: given("periodSeconds"),
    successThreshold: given("successThreshold"),
    failureThreshold: given("failureThreshold"),
  };
}
