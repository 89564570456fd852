// How long it takes, after a volume was swapped, until a running container sees the new version at all its subPath mounts.

import { LivePod } from "../../test/agent/live-pod.ts";
import { podUid } from "../../test/runtime/live-runtime.ts";
import { percentile, report } from "../report.ts";

/** Those of a quick run are few: the first ones pay for what all need. */
const WARM_UP = 5;

export async function benchLiveSubPath({ isQuick }: { readonly isQuick: boolean }): Promise<void> {
  for (const count of [1, 100, 1000]) {
    const times = await replacements(count, isQuick ? 20 : Math.max(50, 1000 / count));
    const p50 = percentile(times, 0.5);
    const aim = count === 1 ? { aim: { text: "< 2", met: p50 < 2 } } : {};
    const mounts = count === 1 ? "1 mount" : `${count.toLocaleString("en")} mounts`;
    report({ name: `live subPath replacement, ${mounts}, p50`, unit: "ms", ours: p50, ...aim });
    report({
      name: `live subPath replacement, ${mounts}, p99`,
      unit: "ms",
      ours: percentile(times, 0.99),
    });
  }
}

async function replacements(count: number, changes: number): Promise<readonly number[]> {
  const keys = Array.from({ length: count }, (_, i) => `key-${i}`);
  const data = (text: string) => Object.fromEntries(keys.map((key) => [key, text]));
  await using pod = await LivePod.start({
    mounts: Object.fromEntries(keys.map((key) => [`/etc/bench/${key}`, key])),
    first: data("first"),
  });
  pod.isFollowing = false;
  const times: number[] = [];
  for (let i = 0; i < WARM_UP + changes; i++) {
    await pod.swap(data(`value ${i}`));
    const beganMs = performance.now();
    await pod.live.ensure(podUid);
    if (i >= WARM_UP) times.push(performance.now() - beganMs);
  }
  if (pod.shows(`/etc/bench/key-${count - 1}`) !== `value ${WARM_UP + changes - 1}`) {
    throw new Error(
      `the container does not see the last version: ${JSON.stringify(pod.events[0])}`,
    );
  }
  return times;
}
