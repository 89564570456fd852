// The yardstick for whatever begins with a new process of Node, as containers and the programs in them do: Node that starts and ends.

import { spawn } from "node:child_process";
import { once } from "node:events";

/** Milliseconds until the last of so many at once has ended. */
export async function nodeStartMs(count = 1): Promise<number> {
  const began = performance.now();
  const all = Array.from({ length: count }, () =>
    once(spawn(process.execPath, ["-e", "0"], { stdio: "ignore" }), "exit"),
  );
  await Promise.all(all);
  return performance.now() - began;
}
