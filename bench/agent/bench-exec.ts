// Running one more program in a container: how long until `true` has ended, from the runtime itself and through API server and
// tunnel; and how many bytes a second go through `cat` and back, against `cat | cat`.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { LiveRuntime } from "../../test/runtime/live-runtime.ts";
import { DriftlessNode } from "../../test/support/driftless-node.ts";
import { DriftlessServer } from "../../test/support/driftless-server.ts";
import { median, percentile, ratioAim, report } from "../report.ts";
import { makePod, running } from "./bench-pods.ts";
import { execBySocket } from "./exec-socket.ts";
import { nodeStartMs } from "./node-start.ts";

const MIB = 1024 * 1024;
const CHUNK_BYTES = 32 * 1024;
/** The first ones pay for what all need. */
const WARM_UP = 3;

export async function benchExec({ isQuick }: { readonly isQuick: boolean }): Promise<void> {
  const count = isQuick ? 20 : 200;
  {
    await using live = await LiveRuntime.start();
    const { id } = await live.background("echo up; sleep infinity");
    await latency("exec true, by the runtime", count, async () => {
      const spec = { argv: ["true"], hasStdin: false, hasTty: false };
      await using session = await live.runtime.exec(id, spec);
      const { exitCode } = await session.ended;
      if (exitCode !== 0) throw new Error(`true ended with ${exitCode}`);
    });
  }
  await using server = await DriftlessServer.start({ flags: ["--store", "sqlite"] });
  await using node = await DriftlessNode.start({ server, name: "bench" });
  const pod = "bench";
  await makePod(server, { name: pod, node: node.name, configMaps: [] });
  await running(server, pod);
  await latency("exec true, through server and tunnel", count, async () => {
    await execBySocket({ server, pod, argv: ["true"] });
  });
  await throughput(server, { pod, mib: isQuick ? 16 : 128, rounds: isQuick ? 3 : 5 });
}

async function latency(name: string, count: number, run: () => Promise<void>): Promise<void> {
  const ours: number[] = [];
  const plain: number[] = [];
  for (let i = 0; i < WARM_UP + count; i++) {
    const startMs = await nodeStartMs();
    const began = performance.now();
    await run();
    if (i < WARM_UP) continue;
    ours.push(performance.now() - began);
    plain.push(startMs);
  }
  report({
    name: `${name}, p50`,
    unit: "ms",
    ours: median(ours),
    baseline: median(plain),
    aim: ratioAim(5, median(ours), median(plain)),
  });
  report({
    name: `${name}, p99`,
    unit: "ms",
    ours: percentile(ours, 0.99),
    baseline: percentile(plain, 0.99),
  });
}

async function throughput(
  server: DriftlessServer,
  { pod, mib, rounds }: { readonly pod: string; readonly mib: number; readonly rounds: number },
): Promise<void> {
  const ours: number[] = [];
  const plain: number[] = [];
  for (let round = 0; round < rounds; round++) {
    plain.push(await throughPipes(mib * MIB));
    const began = performance.now();
    const received = await execBySocket({ server, pod, argv: ["cat"], inputBytes: mib * MIB });
    ours.push(performance.now() - began);
    if (received !== mib * MIB) throw new Error(`${received} bytes came back of ${mib} MiB`);
  }
  const speed = (ms: number): number => (mib * 1000) / ms;
  report({
    name: "exec cat, there and back through server and tunnel",
    unit: "MiB/s",
    ours: speed(median(ours)),
    baseline: speed(median(plain)),
  });
}

/** The same bytes from this process through `cat | cat` and back. */
async function throughPipes(bytes: number): Promise<number> {
  const began = performance.now();
  const child = spawn("sh", ["-c", "cat | cat"], { stdio: ["pipe", "pipe", "ignore"] });
  const closed = once(child, "close");
  let received = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    received += chunk.length;
  });
  const chunk = Buffer.alloc(CHUNK_BYTES);
  for (let left = bytes; left > 0; left -= CHUNK_BYTES) {
    if (!child.stdin.write(chunk)) await once(child.stdin, "drain");
  }
  child.stdin.end();
  await closed;
  if (received !== bytes) throw new Error(`${received} of ${bytes} bytes came through cat | cat`);
  return performance.now() - began;
}
