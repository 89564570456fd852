// Telling a program by a command on this machine. What the command prints is nobody's business: it may be a secret.

import { spawn } from "node:child_process";
import { deadline } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import type { ReloadTry } from "./reload-action.ts";

export interface CommandTarget {
  readonly argv: readonly string[];
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** The command and all that it has started are killed when its time is up, or when nobody wants it any more. */
export function byCommand({ argv, timeoutMs, clock }: CommandTarget): ReloadTry {
  return async (signal) => {
    signal.throwIfAborted();
    using limit = deadline({ clock, timeoutMs, signal });
    const end = await ended(argv, limit.signal);
    signal.throwIfAborted();
    if (end === "0") return;
    const why = limit.signal.aborted
      ? `did not end within ${timeoutMs / 1000} s`
      : `ended with ${end}`;
    throw new Error(`the command ${JSON.stringify(argv[0] ?? "")} ${why}`);
  };
}

function ended(argv: readonly string[], signal: AbortSignal): Promise<string> {
  const [command = "", ...args] = argv;
  return new Promise((resolve) => {
    // In a group of its own, so that what it has started can be ended with it.
    const child = spawn(command, args, { stdio: "ignore", detached: true });
    const kill = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      } catch {
        // It has ended meanwhile.
      }
    };
    signal.addEventListener("abort", kill, { once: true });
    const settle = (end: string): void => {
      signal.removeEventListener("abort", kill);
      resolve(end);
    };
    child.once("error", (err: NodeJS.ErrnoException) => settle(err.code ?? "an error"));
    child.once("exit", (code, by) => settle(String(code ?? by)));
  });
}
