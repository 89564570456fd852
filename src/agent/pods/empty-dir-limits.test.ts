import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Pod, Volume } from "../../api/types.ts";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { EmptyDirLimits } from "./empty-dir-limits.ts";
import type { Verdict } from "./pod-status.ts";
import { type PodWishes, testPod } from "./testing/test-pod.ts";

const MiB = 1024 * 1024;
const limited: Volume = { name: "scratch", emptyDir: { sizeLimit: "1Mi" } };

/** From a file, as the agent knows. */
const STATIC = "static-uid";

/** What one look at this pod leads to: a verdict, and which volumes were measured. */
async function looked(
  of: Pod,
  usedBytes: number | Error,
  stage = "syncing",
): Promise<{ verdict: Verdict | undefined; measured: string[] }> {
  const found: { verdict: Verdict | undefined; measured: string[] } = {
    verdict: undefined,
    measured: [],
  };
  const evict = (verdict: Verdict): void => {
    found.verdict = verdict;
  };
  const limits = new EmptyDirLimits({
    pods: () => [{ pod: of, stage, evict }],
    isStatic: ({ metadata }) => metadata.uid === STATIC,
    volumeUsage: ({ volume }) => {
      found.measured.push(volume);
      return usedBytes instanceof Error ? Promise.reject(usedBytes) : Promise.resolve(usedBytes);
    },
    clock: new FakeClock(),
    logger: new CaptureLogger(),
  });
  await limits.check(new AbortController().signal);
  return found;
}

const pod = (volumes: Volume[], wishes: PodWishes = {}): Pod =>
  testPod({ ...wishes, spec: { volumes, ...wishes.spec } });

describe("EmptyDirLimits", () => {
  it("evicts a pod that has more in an emptyDir than its limit", async () => {
    const { verdict } = await looked(pod([limited]), MiB + 1);
    assert.deepEqual(verdict, {
      reason: "Evicted",
      message: 'Usage of EmptyDir volume "scratch" exceeds the limit "1Mi". ',
    });
    assert.equal((await looked(pod([limited]), MiB)).verdict, undefined);
  });

  it("measures nothing that has no limit, or one that the kernel holds", async () => {
    const volumes: Volume[] = [
      { name: "free", emptyDir: {} },
      { name: "zero", emptyDir: { sizeLimit: "0" } },
      { name: "memory", emptyDir: { medium: "Memory", sizeLimit: "1Mi" } },
      { name: "config", configMap: { name: "x" } },
    ];
    assert.deepEqual(await looked(pod(volumes), 10 * MiB), { verdict: undefined, measured: [] });
  });

  it("leaves critical pods, static pods and pods that end anyway alone", async () => {
    for (const [of, stage] of [
      [pod([limited], { spec: { priority: 2_000_000_000 } }), "syncing"],
      [pod([limited], { metadata: { uid: STATIC } }), "syncing"],
      [pod([limited]), "terminating"],
    ] as const) {
      assert.equal((await looked(of, 10 * MiB, stage)).verdict, undefined);
    }
  });

  it("evicts a pod that only says of itself that it is static", async () => {
    const annotations = { "kubernetes.io/config.source": "file" };
    const { verdict } = await looked(pod([limited], { metadata: { annotations } }), 10 * MiB);
    assert.equal(verdict?.reason, "Evicted");
  });

  it("bears with a volume that cannot be measured", async () => {
    const { verdict, measured } = await looked(pod([limited]), new Error("EIO"));
    assert.deepEqual({ verdict, measured }, { verdict: undefined, measured: ["scratch"] });
  });

  it("looks every ten seconds", async () => {
    const clock = new FakeClock();
    let looks = 0;
    const limits = new EmptyDirLimits({
      pods: () => {
        looks++;
        return [];
      },
      isStatic: () => false,
      volumeUsage: () => Promise.resolve(0),
      clock,
      logger: new CaptureLogger(),
    });
    const stop = new AbortController();
    const running = limits.run(stop.signal);
    await clock.step(30_000);
    stop.abort();
    await running;
    assert.equal(looks, 3);
  });
});
