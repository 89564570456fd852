import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ExecError } from "../../runtime/runtime.ts";
import { execCommand, probeExec } from "./exec-probe.ts";
import type { Outcome } from "./probe-outcome.ts";
import { ProbeBench, probedPod } from "./testing/probe-bench.ts";

const never = new AbortController().signal;

class Scene {
  readonly bench = new ProbeBench();
  containerId = "";

  static async make(onExec: ProbeBench["runtime"]["onExec"]): Promise<Scene> {
    const scene = new Scene();
    scene.bench.runtime.onExec = onExec;
    scene.containerId = (await scene.bench.startUnseen(probedPod({}))).id;
    return scene;
  }

  ask(argv: readonly string[] = ["sh", "-c", "check"], signal = never): Promise<Outcome> {
    const { runtime, clock } = this.bench;
    const { containerId } = this;
    return probeExec({ runtime, containerId, argv }, { clock, timeoutSeconds: 90, signal });
  }
}

const forever = (): Promise<never> => Promise.withResolvers<never>().promise;

describe("probeExec", () => {
  it("is content with 0, and says what the program said", async () => {
    const scene = await Scene.make(() => ({ stdout: "OK" }));
    assert.deepEqual(await scene.ask(), { result: "success", output: "OK" });
    assert.deepEqual(scene.bench.runtime.execs[0]?.spec, {
      argv: ["sh", "-c", "check"],
      hasStdin: false,
      hasTty: false,
    });
  });

  for (const exitCode of [1, 2, 126, 127, 137]) {
    it(`is not with ${exitCode}, and shows stdout before stderr`, async () => {
      const scene = await Scene.make(() => ({ exitCode, stderr: "bad", stdout: "so " }));
      assert.deepEqual(await scene.ask(), { result: "failure", output: "so bad" });
    });
  }

  it("keeps 10 KiB of what the program says, and reads all of it", async () => {
    const text = "logs-123".repeat(128 * 100);
    const scene = await Scene.make(() => ({ stdout: text, stderr: "unseen" }));
    const { output } = await scene.ask();
    assert.equal(output, text.slice(0, 10 * 1024));
  });

  it("ends the program after its time, and says so", async () => {
    const scene = await Scene.make(forever);
    const asked = scene.ask();
    await scene.bench.clock.step(89_999);
    const [session] = scene.bench.runtime.execs;
    assert.equal(session?.isCut, false);
    await scene.bench.clock.step(1);
    const { cleanup, ...outcome } = await asked;
    assert.deepEqual(outcome, {
      result: "failure",
      output: 'command timed out: "sh -c check" timed out after 1m30s',
    });
    await cleanup;
    assert.equal(session?.isCut, true);
  });

  it("does not count the time that the runtime needs to start it, but ends what was started too late", async () => {
    const scene = await Scene.make(forever);
    const { runtime, clock } = scene.bench;
    const gate = Promise.withResolvers<void>();
    const slow = {
      exec: async (...args: Parameters<typeof runtime.exec>) => {
        await gate.promise;
        return runtime.exec(...args);
      },
    };
    const { containerId } = scene;
    const limits = { clock, timeoutSeconds: 1, signal: never };
    const asked = probeExec({ runtime: slow, containerId, argv: ["x"] }, limits);
    await clock.step(120_999);
    assert.equal(clock.waiting, 1);
    await clock.step(1);
    const { result, cleanup } = await asked;
    assert.equal(result, "failure");
    gate.resolve();
    await cleanup;
    assert.equal(runtime.execs[0]?.isCut, true);
  });

  it("ends the program when nobody wants to know any more", async () => {
    const scene = await Scene.make(forever);
    const stop = new AbortController();
    const asked = scene.ask(["x"], stop.signal);
    await scene.bench.clock.step(0);
    stop.abort();
    await assert.rejects(asked, { name: "AbortError" });
    assert.equal(scene.bench.runtime.execs[0]?.isCut, true);
    assert.equal(scene.bench.clock.waiting, 0);
  });

  it("fails as the runtime does if the program cannot be started", async () => {
    const failure = new ExecError('exec: "x": executable file not found in $PATH');
    const scene = await Scene.make(() => {
      throw failure;
    });
    await assert.rejects(scene.ask(), failure);
  });
});

describe("execCommand", () => {
  it("puts in what the pod says of the environment, and nothing for what comes from elsewhere", () => {
    const fieldRef = { fieldPath: "metadata.name" };
    const env = [
      { name: "A", value: "script" },
      { name: "C", valueFrom: { fieldRef } },
    ];
    const container = { name: "app", resources: {}, env };
    const command = ["/bin/bash", "-c", "some $(A) $(B) $(C)."];
    assert.deepEqual(execCommand({ command }, container), [
      "/bin/bash",
      "-c",
      "some script $(B) .",
    ]);
  });
});
