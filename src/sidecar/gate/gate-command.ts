// Asks a command for its verdict: 0 is yes. Of what it prints the end is kept, where programs say what is wrong.

import { type ChildProcess, spawn } from "node:child_process";
import { deadline } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { notStarted } from "../../reload/by-command.ts";
import { killOnAbort } from "../../reload/kill-command.ts";

export interface GateCommand {
  readonly argv: readonly string[];
  readonly timeoutMs: number;
  readonly clock: Clock;
}

export type CommandEnd =
  | { readonly result: "ok" }
  /** failed: it could not be asked, or gave no answer. */
  | {
      readonly result: "rejected" | "failed";
      readonly reason: string;
      /** At most MAX_OUTPUT_BYTES, from its end. */
      readonly output: string;
    };

const MAX_OUTPUT_BYTES = 4096;

/** The command and all that it has started are killed when its time is up. Rejects only with what `signal` aborted with. */
export async function runGateCommand(
  { argv, timeoutMs, clock }: GateCommand,
  signal: AbortSignal,
): Promise<CommandEnd> {
  signal.throwIfAborted();
  using limit = deadline({ clock, timeoutMs, signal });
  const { end, output } = await ended({ argv, clock }, limit.signal);
  signal.throwIfAborted();
  if (limit.signal.aborted) {
    const reason = `did not end within ${timeoutMs / 1000} s`;
    return { result: "failed", reason, output };
  }
  if (typeof end === "string") return { result: "failed", reason: end, output };
  if (end === 0) return { result: "ok" };
  // 126 and 127: a shell found no such program.
  const result = end === 126 || end === 127 ? "failed" : "rejected";
  return { result, reason: `ended with ${end}`, output };
}

/** `end`: an exit code, or how else it ended. */
function ended(
  { argv, clock }: Pick<GateCommand, "argv" | "clock">,
  signal: AbortSignal,
): Promise<{ readonly end: number | string; readonly output: string }> {
  const [command = "", ...args] = argv;
  return new Promise((resolve) => {
    // In a group of its own, so that what it has started can be ended with it.
    const child = started(command, args);
    if (child instanceof Error) {
      resolve({ end: notStarted(child), output: "" });
      return;
    }
    const tail = new Tail();
    // Without file descriptors there are none, and the error is still to come.
    const streams = [child.stdout, child.stderr].filter((stream) => stream != null);
    for (const stream of streams) {
      stream.on("data", (bytes: Buffer) => tail.add(bytes));
      stream.on("error", () => undefined); // What it says is lost; what it decides is not.
    }
    const settle = (end: number | string): void => {
      killing[Symbol.dispose]();
      resolve({ end, output: tail.text() });
    };
    const onUnheard = (): void => settle("did not end when it was killed");
    const killing = killOnAbort(signal, { child, clock, onUnheard });
    child.once("error", (err) => settle(notStarted(err)));
    child.once("close", (code, by) => settle(code ?? `ended with ${by}`));
  });
}

/** Some of what goes wrong is thrown, and some told later. */
function started(command: string, args: readonly string[]): ChildProcess | Error {
  try {
    return spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], detached: true });
  } catch (err) {
    return err instanceof Error ? err : new Error(String(err));
  }
}

class Tail {
  #bytes: Buffer = Buffer.alloc(0);

  add(bytes: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes]).subarray(-MAX_OUTPUT_BYTES);
  }

  text(): string {
    return this.#bytes.toString().trim();
  }
}
