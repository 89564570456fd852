// Programs in containers, and containers with other processes than their own, without being root of the machine. Prints one line of JSON.

import { describe as describeError } from "../../src/base/errors.ts";
import type { ContainerSpec } from "../../src/runtime/runtime.ts";
import { LiveRuntime } from "./live-runtime.ts";
import { execSpec, Heard, runProgram } from "./run-program.ts";
import { processCount, processesWith, sleepMark } from "./running-processes.ts";

await using live = await LiveRuntime.start();
const pod = { podName: "web", podNamespace: "default", hostname: "web-host" };
await live.runtime.makeSandbox({ ...pod, podUid: "sharing", hasSharedProcesses: true });

/** What goes wrong, in a word; nothing if all is as it should be. */
async function problemsWith(processes: ContainerSpec["processes"]): Promise<readonly string[]> {
  const problems: string[] = [];
  const [mark, daemon] = [sleepMark(), sleepMark()];
  const left = await live.background(
    `(setsid sh -c '(sleep ${daemon} &)' &); echo up; exec sleep 1000`,
    { processes, podUid: processes === "pod" ? "sharing" : "pod-uid-1", name: "of" },
  );
  const where = { runtime: live.runtime, id: left.id };
  const piped = await runProgram(where, ["sh", "-c", "id -u; cat; exit 6"], { stdin: "in" });
  if (piped.stdout !== "0\nin" || piped.exitCode !== 6) problems.push(JSON.stringify(piped));
  const onTerminal = await runProgram(where, ["sh", "-c", "tty"], { hasTty: true });
  if (!/^\/dev\/pts\/\d+\r\n$/.test(onTerminal.stdout)) problems.push(JSON.stringify(onTerminal));
  const session = await live.runtime.exec(
    left.id,
    execSpec(["sh", "-c", `(setsid sh -c '(sleep ${mark} &)' &); echo up; exec sleep 1000`]),
  );
  await new Heard(session.stdout).until(/up/);
  await processCount(`sleep\0${mark}`, 1);
  await session[Symbol.asyncDispose]();
  if (processesWith(`sleep\0${mark}`).length > 0) problems.push("the session's daemon goes on");
  await processCount(`sleep\0${daemon}`, 1);
  await live.runtime.stop(left.id, { graceMs: 0 });
  if (processesWith(`sleep\0${daemon}`).length > 0) problems.push("the container's daemon goes on");
  return problems;
}

const result: Record<string, unknown> = {};
for (const processes of ["own", "pod", "host"] as const) {
  result[processes] = await problemsWith(processes).catch((err: unknown) => describeError(err));
}
process.stdout.write(`${JSON.stringify(result)}\n`);
