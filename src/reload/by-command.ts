// Telling a program by a command on this machine. What the command prints is nobody's business: it may be a secret.

import { spawn } from "node:child_process";
import { deadline } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import { killOnAbort } from "./kill-command.ts";
import type { ReloadTry } from "./reload-action.ts";

export interface CommandTarget {
  readonly argv: readonly string[];
  readonly timeoutMs: number;
  /** Undefined: as ours. */
  readonly env?: Readonly<Record<string, string>>;
  /** What it prints goes to our standard error: whoever gives the command answers for it. */
  readonly showsOutput?: boolean;
  readonly clock: Clock;
}

/** The command and all that it has started are killed when its time is up, or when nobody wants it any more. */
export function byCommand(target: CommandTarget): ReloadTry {
  const { argv, timeoutMs, clock } = target;
  return async (signal) => {
    signal.throwIfAborted();
    using limit = deadline({ clock, timeoutMs, signal });
    const end = await ended(target, limit.signal);
    signal.throwIfAborted();
    if (end === "ended with 0") return;
    const why = limit.signal.aborted ? `did not end within ${timeoutMs / 1000} s` : end;
    throw new Error(`the command ${JSON.stringify(argv[0] ?? "")} ${why}`);
  };
}

function ended(
  { argv, env, showsOutput = false, clock }: CommandTarget,
  signal: AbortSignal,
): Promise<string> {
  const [command = "", ...args] = argv;
  return new Promise((resolve) => {
    // In a group of its own, so that what it has started can be ended with it.
    const child = spawn(command, args, {
      stdio: showsOutput ? ["ignore", 2, 2] : "ignore",
      detached: true,
      ...(env !== undefined && { env: { ...env } }),
    });
    const settle = (end: string): void => {
      killing[Symbol.dispose]();
      resolve(end);
    };
    const onUnheard = (): void => settle("did not end when it was killed");
    const killing = killOnAbort(signal, { child, clock, onUnheard });
    child.once("error", (err) => settle(notStarted(err)));
    child.once("exit", (code, by) => settle(`ended with ${code ?? by}`));
  });
}

/** Why there is no process of a command, for a sentence that begins with it. */
export function notStarted(err: NodeJS.ErrnoException): string {
  const why = err.code === "ENOENT" ? "there is no such program" : (err.code ?? err.message);
  return `cannot be started: ${why}`;
}
