// A container is well if a program that is run in it ends with 0. What the program says is kept as far as an event can show it; the
// rest is read and thrown away, so that it never waits for us.

import type { Readable } from "node:stream";
import { expand } from "../../api/config/expansion.ts";
import type { Container, ExecAction } from "../../api/types.ts";
import { deadline } from "../../base/abort.ts";
import type { ExecSession, Runtime } from "../../runtime/runtime.ts";
import { goSeconds } from "./go-seconds.ts";
import type { Outcome, ProbeLimits } from "./probe-outcome.ts";

const MAX_OUTPUT_BYTES = 10 * 1024;
/** As long as the original waits for its runtime. */
const START_MS = 120_000;

export interface ExecTarget {
  readonly runtime: Pick<Runtime, "exec">;
  readonly containerId: string;
  readonly argv: readonly string[];
}

/** The command with what the pod itself says of the environment: variables that come from elsewhere are empty, as in the original. */
export function execCommand({ command }: ExecAction, { env }: Container): readonly string[] {
  const variables = new Map((env ?? []).map(({ name, value }) => [name, value ?? ""]));
  return (command ?? []).map((text) => expand(text, (name) => variables.get(name)));
}

/**
 * Throws what the runtime throws if the program cannot be started. The probe's time is the program's: what the runtime needs to start
 * it is not counted. After it the program and all that it started are ended.
 */
export async function probeExec(
  { runtime, containerId, argv }: ExecTarget,
  limits: ProbeLimits,
): Promise<Outcome> {
  const { timeoutSeconds, signal } = limits;
  signal.throwIfAborted();
  const starting = runtime.exec(containerId, { argv, hasStdin: false, hasTty: false });
  const session = await orLate(starting, limits, START_MS);
  const answered = session === "late" ? session : await orLate(answer(session), limits, 0);
  if (answered !== "late") return answered;
  const cleanup = end(starting);
  if (signal.aborted) {
    await cleanup;
    throw signal.reason as Error;
  }
  const text = JSON.stringify(argv.join(" "));
  const output = `command timed out: ${text} timed out after ${goSeconds(timeoutSeconds)}`;
  return { result: "failure", output, cleanup };
}

async function orLate<T>(
  work: Promise<T>,
  { clock, timeoutSeconds, signal }: ProbeLimits,
  extraMs: number,
): Promise<T | "late"> {
  using limit = deadline({ clock, timeoutMs: timeoutSeconds * 1000 + extraMs, signal });
  const late = new Promise<"late">((resolve) => {
    if (limit.signal.aborted) resolve("late");
    limit.signal.addEventListener("abort", () => resolve("late"), { once: true });
  });
  return await Promise.race([work, late]);
}

async function answer({ stdout, stderr, ended }: ExecSession): Promise<Outcome> {
  const outputs = [keep(stdout), ...(stderr === undefined ? [] : [keep(stderr)])];
  const { exitCode } = await ended;
  const all = Buffer.concat(outputs.map((take) => take()));
  const output = all.subarray(0, MAX_OUTPUT_BYTES).toString();
  return { result: exitCode === 0 ? "success" : "failure", output };
}

function keep(stream: Readable): () => Buffer {
  const chunks: Buffer[] = [];
  let length = 0;
  stream.on("data", (chunk: Buffer) => {
    if (length < MAX_OUTPUT_BYTES) chunks.push(chunk);
    length += chunk.length;
  });
  stream.on("error", () => undefined); // The program's end says how it went.
  return () => {
    // What was given to the stream in this turn is not told of yet.
    while (stream.read() !== null);
    return Buffer.concat(chunks);
  };
}

async function end(starting: Promise<ExecSession>): Promise<void> {
  try {
    const session = await starting;
    await session[Symbol.asyncDispose]();
  } catch {
    // It was never started, or went by itself.
  }
}
