import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createMetrics, type Metrics } from "../../base/metrics.ts";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { type TempDir, tempDir } from "../../base/testing/temp-dir.ts";
import type { NewEvent } from "../../controller/event-recorder.ts";
import type { ReplaceOutcome } from "../../mounts/replace-mounts.ts";
import type { ContainerStatus } from "../../runtime/runtime.ts";
import { AgentPaths } from "../agent-paths.ts";
import { MOUNTS_NOTE, type VolumeUse } from "../sub-path/volume-use.ts";
import { LiveSubPaths } from "./live-sub-paths.ts";
import { subPathMetrics } from "./sub-path-metrics.ts";

type Outcomes = ReadonlyMap<string, ReplaceOutcome> | undefined;

const use: VolumeUse = {
  ...{ volume: "config", plugin: "kubernetes.io/configmap", container: "main" },
  ...{ mountPath: "/etc/a", index: 0, subPath: "a", version: "v1" },
  ...{ isLive: true, isFrozen: false, whyFrozen: undefined, isAbsent: false },
};

/** One container, which is this process, and a replacer that answers when it is told to. */
class Bench implements AsyncDisposable {
  readonly #dir: TempDir = tempDir();
  readonly #stop = new AbortController();
  readonly #handlers = new Set<(status: ContainerStatus) => void>();
  readonly #running: Promise<void>;
  readonly events: NewEvent[] = [];
  readonly metrics: Metrics = createMetrics();
  readonly live: LiveSubPaths;
  readonly answer: PromiseWithResolvers<Outcomes> = Promise.withResolvers();
  readonly status: ContainerStatus;

  private constructor(annotated: Partial<VolumeUse>) {
    this.status = {
      ...{ id: "c1", podUid: "u1", podName: "web", podNamespace: "shop", name: "main" },
      ...{
        attempt: 0,
        imageName: "host",
        imageId: "host",
        startedAtMs: 0,
        pid: process.pid,
        logPath: "",
      },
      ...{ stdin: "none", hasTty: false, end: undefined },
      annotations: { [MOUNTS_NOTE]: JSON.stringify([{ ...use, ...annotated }]) },
    };
    this.live = new LiveSubPaths({
      paths: new AgentPaths(this.#dir.path),
      runtime: {
        list: () => [],
        ready: Promise.resolve(),
        onExit: (handler) => {
          this.#handlers.add(handler);
          return { [Symbol.dispose]: () => void this.#handlers.delete(handler) };
        },
      },
      replacer: {
        replace: () => this.answer.promise,
        [Symbol.asyncDispose]: () => Promise.resolve(),
      },
      events: { record: (event) => void this.events.push(event) },
      metrics: subPathMetrics(this.metrics),
      clock: new FakeClock(),
      logger: new CaptureLogger(),
    });
    this.#running = this.live.run(this.#stop.signal);
  }

  static async start(annotated: Partial<VolumeUse> = {}): Promise<Bench> {
    const bench = new Bench(annotated);
    while (bench.#handlers.size === 0) await Promise.resolve();
    return bench;
  }

  end(): void {
    for (const handler of this.#handlers) handler(this.status);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.answer.resolve(undefined);
    this.#stop.abort();
    await this.#running;
    this.#dir[Symbol.dispose]();
  }
}

const gone: ReplaceOutcome = {
  ...{ kind: "behind", reason: "gone", detail: "it was taken away", version: "v1" },
};

describe("LiveSubPaths", () => {
  it("tells people of what could not be replaced, and counts it", async () => {
    await using bench = await Bench.start();
    bench.answer.resolve(new Map([["/etc/a", gone]]));
    await bench.live.started(bench.status);
    assert.deepEqual(
      bench.events.map(({ reason }) => reason),
      ["SubPathNotReplaced"],
    );
    assert.match(await bench.metrics.text(), /driftless_subpath_uses\{state="behind"\} 1/);
  });

  it("tells it of the container as the pod has it", async () => {
    await using bench = await Bench.start({ fieldPath: "spec.initContainers{main}" });
    bench.answer.resolve(new Map([["/etc/a", gone]]));
    await bench.live.started(bench.status);
    assert.equal(bench.events[0]?.object.fieldPath, "spec.initContainers{main}");
  });

  for (const how of ["an answer", "a failure"]) {
    it(`says and counts nothing of a container that ended before ${how} came`, async () => {
      await using bench = await Bench.start();
      const started = bench.live.started(bench.status);
      bench.end();
      if (how === "an answer") bench.answer.resolve(new Map([["/etc/a", gone]]));
      else bench.answer.reject(new Error("ENOENT"));
      await started;
      assert.deepEqual(bench.events, []);
      const text = await bench.metrics.text();
      assert.match(text, /driftless_subpath_uses\{state="live"\} 0/);
      assert.doesNotMatch(text, /driftless_subpath_uses\{state="behind"\} 1/);
    });
  }
});
