// The end of a command that has had its time: it is killed, with all that it has started. Even that is waited for no longer than a moment, because it need not come: what hangs in
// the kernel (a file of a server that is away) outlives SIGKILL, who has become somebody else is not ours to kill, and who is traced ends for us when the tracer says so.

import type { ChildProcess } from "node:child_process";
import type { Clock } from "../base/clock.ts";

export interface KilledCommand {
  /** The leader of a group of its own. */
  readonly child: ChildProcess;
  readonly clock: Clock;
  /** It was killed, and nobody has heard of its end since. It no longer keeps us from ours. */
  readonly onUnheard: () => void;
}

/** What was killed is gone at once, or nobody can do more. */
const KILLED_MS = 2000;

/** Kills it when `signal` aborts. To be disposed of when it has ended. */
export function killOnAbort(
  signal: AbortSignal,
  { child, clock, onUnheard }: KilledCommand,
): Disposable {
  const stack = new DisposableStack();
  const giveUp = (): void => {
    child.unref();
    onUnheard();
  };
  const kill = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has ended meanwhile, or is not ours to kill.
    }
    // Somebody who left the group may hold them open for ever.
    for (const stream of [child.stdout, child.stderr]) stream?.destroy();
    stack.use(clock.schedule(KILLED_MS, giveUp));
  };
  signal.addEventListener("abort", kill, { once: true });
  stack.defer(() => signal.removeEventListener("abort", kill));
  return stack;
}
