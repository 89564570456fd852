// A world for supervisors in which time and programs stand still until a test says otherwise.

import assert from "node:assert/strict";
import { createMetrics, type Metrics } from "../../base/metrics.ts";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { seededRandom } from "../../base/testing/seeded-random.ts";
import type { ChildSpec, ExitStatus } from "../child.ts";
import type { LiveSource } from "../live-source.ts";
import { Program, type ProgramOptions, type RunningChild } from "../program.ts";
import { runMetrics } from "../run-metrics.ts";
import type { Files } from "../settings.ts";
import { Supervisor } from "../supervisor.ts";
import type { SupervisorOptions } from "../supervisor-options.ts";

/** Longer than any command takes on a busy machine; only a test that fails waits as long. */
const LIMIT_MS = 60_000;

export class FakeSource implements LiveSource {
  readonly name = "fake";
  readonly path: string;
  problem: string | undefined;
  onChange: () => void = () => undefined;
  files: Files | undefined;

  constructor(path: string) {
    this.path = path;
  }

  set(values: Readonly<Record<string, string>>): void {
    this.files = new Map(Object.entries(values).map(([key, text]) => [key, Buffer.from(text)]));
    this.onChange();
  }

  run(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }
}

/** Ends when it is stopped, unless it is stubborn. */
export class FakeChild implements RunningChild {
  readonly pid = 4711;
  readonly env: Readonly<Record<string, string>>;
  readonly got: string[] = [];
  readonly #ended = Promise.withResolvers<ExitStatus>();
  status: ExitStatus | undefined;
  isStubborn = false;

  constructor({ env }: ChildSpec) {
    this.env = env;
  }

  get ended(): Promise<ExitStatus> {
    return this.#ended.promise;
  }

  exit(code: number): void {
    this.status = { code, signal: null };
    this.#ended.resolve(this.status);
  }

  send(signal: NodeJS.Signals): boolean {
    this.got.push(signal);
    return this.status === undefined;
  }

  stop(): Promise<ExitStatus> {
    if (this.status === undefined) {
      this.got.push("stop");
      if (!this.isStubborn) this.exit(0);
    }
    return this.ended;
  }
}

/** A supervisor with a source and a program that do what a test says. */
export class World {
  readonly clock: FakeClock;
  readonly logger: CaptureLogger = new CaptureLogger();
  /** Of variables. */
  readonly source: FakeSource = new FakeSource("/etc/env");
  readonly files: FakeSource = new FakeSource("/etc/app");
  readonly metrics: Metrics = createMetrics();
  readonly children: FakeChild[] = [];
  /** What comes to nothing at its start. */
  startFailure: Error | undefined;
  readonly supervisor: Supervisor;
  readonly code: Promise<number>;

  constructor(
    given: {
      readonly options?: Partial<SupervisorOptions>;
      readonly program?: Partial<ProgramOptions>;
      readonly clock?: FakeClock;
    } = {},
  ) {
    this.clock = given.clock ?? new FakeClock();
    const { clock, logger } = this;
    const program = new Program({
      argv: ["app"],
      env: { PATH: "/bin", A: "inherited" },
      gate: undefined,
      gateTimeoutMs: 1000,
      ready: undefined,
      onChange: { type: "restart" },
      isLeader: true,
      snapshots: undefined,
      startChild: (spec) => {
        if (this.startFailure !== undefined) return Promise.reject(this.startFailure);
        const child = new FakeChild(spec);
        this.children.push(child);
        return Promise.resolve(child);
      },
      clock,
      ...given.program,
    });
    this.supervisor = new Supervisor({
      program,
      environment: [this.source],
      directories: [{ path: "/etc/app", source: this.files }],
      words: new Map(),
      hasTerminal: false,
      startTimeoutMs: undefined,
      minWaitMs: 100,
      maxWaitMs: 1000,
      readyTimeoutMs: 5000,
      stopSignal: "SIGTERM",
      graceMs: 10_000,
      endGraceMs: undefined,
      overlaps: false,
      revives: false,
      metrics: runMetrics(this.metrics),
      clock,
      random: seededRandom(1),
      logger,
      ...given.options,
    });
    this.files.set({ conf: "1" });
    this.code = this.supervisor.run(new AbortController().signal);
  }

  /** What the programs had, in order. */
  get values(): readonly (string | undefined)[] {
    return this.children.map(({ env }) => env["A"]);
  }

  messages(level: string): readonly string[] {
    return this.logger.records
      .filter((record) => record.level === level)
      .map(({ message }) => message);
  }

  get last(): FakeChild {
    const child = this.children.at(-1);
    assert.ok(child);
    return child;
  }

  /** Commands are real, and take their time, in which the clock stands still. */
  async until(isTrue: () => boolean): Promise<void> {
    for (const limit = AbortSignal.timeout(LIMIT_MS); !isTrue(); ) {
      assert.ok(!limit.aborted, "waited in vain");
      await this.clock.step(0);
    }
  }

  /** Runs with A=1, and is good. */
  async settle(): Promise<void> {
    this.source.set({ A: "1" });
    await this.clock.step(1001);
    assert.equal(this.supervisor.problem, undefined);
  }

  async end(): Promise<void> {
    this.supervisor.forward("SIGTERM");
    this.last.exit(0);
    assert.equal(await this.code, 0);
    assert.equal(this.clock.waiting, 0);
  }
}
