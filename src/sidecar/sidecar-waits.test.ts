import { deepEqual, equal } from "node:assert/strict";
import { describe, it } from "node:test";
import { createMetrics } from "../base/metrics.ts";
import { CaptureLogger } from "../base/testing/capture-logger.ts";
import { FakeClock } from "../base/testing/fake-clock.ts";
import { seededRandom } from "../base/testing/seeded-random.ts";
import { readCompose } from "./compose-file.ts";
import type { Candidate, PublishResult } from "./publisher.ts";
import { Reporter } from "./report/reporter.ts";
import { createSidecarMetrics } from "./report/sidecar-metrics.ts";
import { Sidecar, type SidecarPublisher } from "./sidecar.ts";
import { FakeSource } from "./testing/fake-source.ts";

/** Whatever it is given is live at once. */
class Published implements SidecarPublisher {
  readonly isFresh = false;
  readonly all: { readonly version: string; readonly atMs: number }[] = [];
  readonly #clock: FakeClock;
  #live: Candidate | undefined;

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  live(): Candidate | undefined {
    return this.#live;
  }

  restore(): undefined {
    return undefined;
  }

  async publish(candidate: Candidate): Promise<PublishResult> {
    const { version } = candidate;
    if (version === this.#live?.version) return { result: "unchanged", version };
    this.#live = candidate;
    this.all.push({ version, atMs: this.#clock.monotonicMs() });
    return { result: "published", version };
  }

  upkeep(): undefined {
    return undefined;
  }
}

/** Publishes what its one source says, and returns when it did so, since the first change. */
async function publishedMs(
  isFirstAtOnce: boolean,
  changesAtMs: readonly number[],
): Promise<number[]> {
  const clock = new FakeClock();
  const logger = new CaptureLogger();
  const source = new FakeSource("one", { a: "first" });
  const publisher = new Published(clock);
  const metrics = createSidecarMetrics(createMetrics());
  const none = { acknowledgement: undefined, events: undefined, failsReadiness: false };
  const sidecar = new Sidecar({
    ...{
      sources: [source],
      publisher,
      reporter: new Reporter({ metrics, ...none, clock, logger }),
    },
    waits: { minWaitMs: 100, maxWaitMs: 1000, isFirstAtOnce },
    compose: (contents) => ({
      candidate: { files: new Map(), version: contents.get("one")?.version ?? "" },
      ...{ made: new Map(), notes: [], unsetVariables: 0 },
    }),
    reloading: { doubt: () => undefined, want: () => undefined, run: () => Promise.resolve() },
    ...{ clock, random: seededRandom(1), logger },
  });
  const stop = new AbortController();
  const running = sidecar.run(stop.signal);
  await clock.step(5000);
  const beganMs = clock.monotonicMs();
  for (const [i, atMs] of changesAtMs.entries()) {
    await clock.step(beganMs + atMs - clock.monotonicMs());
    source.set({ a: `change ${i}` });
    await clock.step(0);
  }
  await clock.step(5000);
  stop.abort();
  await running;
  return publisher.all.slice(1).map(({ atMs }) => atMs - beganMs);
}

describe("the waits of a sidecar", () => {
  it("let the first change after a quiet time through where only one thing can change", async () => {
    deepEqual(await publishedMs(true, [0]), [0]);
    deepEqual(await publishedMs(true, [0, 3000]), [0, 3000]);
  });

  it("merge what follows the first", async () => {
    deepEqual(await publishedMs(true, [0, 10, 20, 90]), [0, 190]);
    deepEqual(await publishedMs(true, [0, 60, 120, 180, 240]), [0, 340]);
  });

  it("merge everything where several things can change", async () => {
    deepEqual(await publishedMs(false, [0, 10, 20, 90]), [190]);
  });

  it("are not for what can change only alone, unless they are set", () => {
    const isAtOnce = (text: string): boolean | undefined =>
      readCompose(`${text}\noutput: /out`, "c.yaml").reload.isFirstAtOnce;
    equal(isAtOnce("sources: { a: /a }"), true);
    equal(isAtOnce("sources: { a: /a, e: { environment: [A] } }"), true);
    equal(isAtOnce("sources: { a: { configMap: a } }"), true);
    equal(isAtOnce("sources: { a: https://x/y }"), true);
    equal(isAtOnce("sources: { a: /a, b: /b }"), false);
    equal(isAtOnce("sources: { a: { configMap: [a, b] } }"), false);
    equal(isAtOnce("sources: { a: { objects: { kinds: [ConfigMap], labels: { a: b } } } }"), false);
    equal(isAtOnce("sources: { a: /a }\nreload: { minWait: 1s, actions: [] }"), false);
    equal(isAtOnce("sources: { a: /a }\nreload: { touch: /x }"), true);
  });
});
