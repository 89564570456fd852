// Random stories about one pod with random probes, whose container answers, fails, hangs, ends and starts again. What the probes say is
// held against what they were told: the history of questions and answers is kept, and each rule is checked on it in the slow way.

import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import type { Pod, Probe } from "../../api/types.ts";
import { seededRandom } from "../../base/testing/seeded-random.ts";
import { ExecError } from "../../runtime/runtime.ts";
import type { FakeProgram } from "../../runtime/testing/fake-sessions.ts";
import { ProbeBench, probedPod } from "./testing/probe-bench.ts";

type Kind = "startup" | "readiness" | "liveness";
type Told = "ok" | "bad" | "error" | "hang";
type Step =
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "exit" | "start" | "follow" | "stopping" | "forget" };

interface Question {
  readonly kind: Kind;
  readonly atMs: number;
  readonly told: Told;
}

/** One life of the container. */
interface Life {
  readonly id: string;
  readonly startedMs: number;
  readonly questions: Question[];
  isOver: boolean;
  isStopping: boolean;
  isForgotten: boolean;
}

const kinds = ["startup", "readiness", "liveness"] as const;
const threshold = fc.integer({ min: 1, max: 3 });
const probe: fc.Arbitrary<Probe | undefined> = fc.option(
  fc.record({
    initialDelaySeconds: fc.integer({ min: 0, max: 6 }),
    periodSeconds: fc.integer({ min: 1, max: 5 }),
    timeoutSeconds: fc.integer({ min: 1, max: 7 }),
    successThreshold: threshold,
    failureThreshold: threshold,
  }),
  { nil: undefined, freq: 6 },
);
const told = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Told>("ok") },
  { weight: 5, arbitrary: fc.constant<Told>("bad") },
  { weight: 1, arbitrary: fc.constantFrom<Told>("error", "hang") },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant("wait" as const),
      ms: fc.integer({ min: 0, max: 9000 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("exit" as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("start" as const, "follow" as const) }) },
  fc.record({ do: fc.constantFrom("stopping" as const, "forget" as const) }),
);

class Story {
  readonly bench: ProbeBench;
  readonly pod: Pod;
  readonly lives: Life[] = [];
  readonly #specs: ReadonlyMap<Kind, Probe>;
  readonly #tape: readonly Told[];
  #asked = 0;
  /** What cannot be told by throwing: that would be an answer. */
  readonly #problems: string[] = [];

  constructor(of: {
    readonly seed: number;
    readonly probes: readonly (Probe | undefined)[];
    readonly tape: readonly Told[];
  }) {
    this.bench = new ProbeBench(seededRandom(of.seed));
    this.#tape = of.tape;
    const given = kinds.flatMap((kind, i) => {
      const spec = of.probes[i];
      return spec === undefined ? [] : [[kind, spec] as const];
    });
    this.#specs = new Map(given);
    this.pod = probedPod(Object.fromEntries(given.map(([kind, spec]) => [`${kind}Probe`, spec])));
    this.bench.runtime.onExec = ({ argv: [kind] }, { id }) => this.#answer(kind as Kind, id);
  }

  #answer(kind: Kind, id: string): FakeProgram | Promise<FakeProgram> {
    const life = this.lives.find((one) => one.id === id);
    if (life === undefined || life.isOver || life.isForgotten)
      this.#problems.push("asked of nobody");
    if (life?.isStopping === true && kind !== "readiness")
      this.#problems.push(`${kind} at the end`);
    const answer = this.#tape[this.#asked++ % this.#tape.length] ?? "ok";
    life?.questions.push({ kind, atMs: this.bench.clock.monotonicMs(), told: answer });
    if (answer === "error") throw new ExecError("no");
    if (answer === "hang") return Promise.withResolvers<FakeProgram>().promise;
    return { exitCode: answer === "ok" ? 0 : 1 };
  }

  async do(what: Step): Promise<void> {
    const { probes, clock } = this.bench;
    const last = this.lives.at(-1);
    if (what.do === "wait") await clock.step(what.ms);
    if (what.do === "exit") this.#exit(last);
    if (what.do === "start") await this.#start(last);
    if (what.do === "follow" && last?.isForgotten === false) probes.follow(this.pod);
    if (what.do === "stopping") {
      probes.stopping("u1");
      if (last !== undefined) last.isStopping = true;
    }
    if (what.do === "forget") {
      probes.forget("u1");
      for (const one of this.lives) one.isForgotten = true;
      this.#exit(last);
    }
    await clock.step(0);
  }

  #exit(last: Life | undefined): void {
    if (last === undefined || last.isOver) return;
    last.isOver = true;
    this.bench.runtime.exit("app", 1);
  }

  async #start(last: Life | undefined): Promise<void> {
    if (last?.isOver === false) return;
    const { id } = await this.bench.startUnseen(this.pod);
    const isStopping = last?.isStopping === true && !last.isForgotten;
    const startedMs = this.bench.clock.monotonicMs();
    const fresh = { questions: [], isOver: false, isForgotten: false };
    this.lives.push({ id, startedMs, isStopping, ...fresh });
    this.bench.probes.follow(this.pod);
  }

  check(): void {
    assert.deepEqual(this.#problems, []);
    for (const [i, life] of this.lives.entries()) {
      this.#checkQuestions(life);
      this.#checkState(life, i === this.lives.length - 1);
    }
  }

  #checkQuestions(life: Life): void {
    for (const [kind, spec] of this.#specs) {
      const asked = firstTries(life.questions.filter((one) => one.kind === kind));
      const [first] = asked;
      if (first !== undefined) {
        const delayMs = (spec.initialDelaySeconds ?? 0) * 1000;
        assert.ok(first.atMs >= life.startedMs + delayMs, `${kind} came before its delay`);
      }
      for (const [i, { atMs }] of asked.entries()) {
        const before = asked[i - 1];
        if (before === undefined) continue;
        const gapMs = atMs - before.atMs;
        const longestMs = Math.max(spec.periodSeconds ?? 0, spec.timeoutSeconds ?? 0) * 1000;
        assert.ok(gapMs >= (spec.periodSeconds ?? 0) * 1000, `${kind} after ${gapMs} ms`);
        assert.ok(gapMs <= longestMs, `${kind} only after ${gapMs} ms`);
      }
    }
    this.#checkGate(life);
  }

  /** Startup before all others and never after its verdict; liveness never after its failure. */
  #checkGate({ questions }: Life): void {
    for (const [i, { kind }] of questions.entries()) {
      const before = questions.slice(0, i);
      const startup = this.#verdict("startup", before);
      if (kind === "startup") assert.equal(startup, undefined);
      else if (this.#specs.has("startup")) assert.equal(startup, "success");
      if (kind === "liveness") assert.notEqual(this.#verdict("liveness", before), "failure");
    }
  }

  #checkState(life: Life, isLast: boolean): void {
    const { probes } = this.bench;
    const { id, questions } = life;
    const isKnown = isLast && !life.isForgotten;
    const isUp = isKnown && !life.isOver;
    const verdict = (kind: Kind): string | undefined =>
      this.#verdict(kind, this.#settled(questions));
    const isStarted = isUp && (!this.#specs.has("startup") || verdict("startup") === "success");
    const isReady =
      isStarted && (!this.#specs.has("readiness") || verdict("readiness") === "success");
    assert.equal(probes.isStarted(id), isStarted, "started");
    assert.equal(probes.isReady(id), isReady, "ready");
    if (life.isOver) return; // The last question may have been cut off.
    const failed = (["liveness", "startup"] as const).find((kind) => verdict(kind) === "failure");
    const wanted = isKnown && !life.isStopping ? failed : undefined;
    assert.equal(probes.failure(id)?.probe.toLowerCase(), wanted, "failure");
  }

  /** Without those that hang still. */
  #settled(questions: readonly Question[]): readonly Question[] {
    const nowMs = this.bench.clock.monotonicMs();
    return questions.filter(({ kind, atMs, told: what }) => {
      const limitMs = (this.#specs.get(kind)?.timeoutSeconds ?? 0) * 1000;
      return what !== "hang" || atMs + limitMs <= nowMs;
    });
  }

  #verdict(kind: Kind, questions: readonly Question[]): "success" | "failure" | undefined {
    const spec = this.#specs.get(kind);
    const text = questions
      .filter((one) => one.kind === kind && one.told !== "error")
      .map((one) => (one.told === "ok" ? "s" : "f"))
      .join("");
    const lastOf = (letter: string, count = 1): number => {
      const at = text.lastIndexOf(letter.repeat(count));
      return at === -1 ? -1 : at + count;
    };
    const success = lastOf("s", spec?.successThreshold);
    const failure = lastOf("f", spec?.failureThreshold);
    if (success === failure) return undefined;
    return success > failure ? "success" : "failure";
  }
}

/** What cannot be asked is tried again at once: one question with up to three tries. */
function firstTries(questions: readonly Question[]): readonly Question[] {
  return questions.filter((one, i) => {
    const before = questions[i - 1];
    return before === undefined || before.told !== "error" || before.atMs !== one.atMs;
  });
}

it("probes ask when they may and say what they were told", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        seed: fc.nat(),
        probes: fc.tuple(probe, probe, probe),
        tape: fc.array(told, { minLength: 1, maxLength: 40 }),
      }),
      fc.array(step, { minLength: 5, maxLength: 40 }),
      async (of, steps) => {
        const story = new Story(of);
        {
          await using bench = story.bench;
          await bench.run();
          await story.do({ do: "start" });
          for (const one of steps) {
            await story.do(one);
            story.check();
          }
        }
        assert.equal(story.bench.clock.waiting, 0, "timers are left");
      },
    ),
    { numRuns: 150 },
  );
});
