// Doing it: one try to tell one container, by a signal to its first process, a request from this machine, or a command in it.

import { readFileSync } from "node:fs";
import { deadline } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { ProcessIdentity } from "../../mounts/process-calls.ts";
import { byHttp } from "../../reload/by-http.ts";
import { bySignal, whyDeaf } from "../../reload/by-signal.ts";
import type { ReloadTry } from "../../reload/reload-action.ts";
import { ExecError, type ExecSession, type Runtime } from "../../runtime/runtime.ts";
import { unlessAborted } from "../pods/unless-aborted.ts";
import type { NodeAction } from "./wanted-actions.ts";

export interface TryParts {
  readonly runtime: Pick<Runtime, "exec">;
  /** Returns false if the process is gone: process-calls.ts. */
  readonly signalProcess: (who: ProcessIdentity, signal: number) => boolean;
  readonly clock: Clock;
}

export interface TriedContainer {
  readonly id: string;
  /** Its first. */
  readonly process: ProcessIdentity;
}

const HTTP_TIMEOUT_MS = 10_000;
const EXEC_TIMEOUT_MS = 30_000;

export function containerTry(
  parts: TryParts,
  container: TriedContainer,
  action: NodeAction,
): ReloadTry {
  const { clock, signalProcess } = parts;
  switch (action.type) {
    case "signal":
      return bySignal({
        signal: action.signal,
        send: (number, name) => {
          const { process } = container;
          const status = statusOf(process);
          const deaf = status === undefined ? undefined : whyDeaf(status, number, name);
          if (deaf !== undefined) return deaf;
          return signalProcess(process, number) ? undefined : "the container has ended";
        },
      });
    case "http":
      // Pods share the machine's network, and their certificates are their own.
      return byHttp({ ...action, timeoutMs: HTTP_TIMEOUT_MS, trustsAnyCertificate: true, clock });
    case "exec":
      return (signal) => inContainer(parts, { ...container, command: action.command }, signal);
  }
}

/** Of whoever has its number now: the signal goes to nobody else than the process. */
function statusOf({ pid }: ProcessIdentity): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/status`).toString("latin1");
  } catch {
    return undefined; // It is gone.
  }
}

/** What the command says may be secret: only how it ended is told. */
async function inContainer(
  { runtime, clock }: TryParts,
  { id, command }: { readonly id: string; readonly command: string },
  signal: AbortSignal,
): Promise<void> {
  using limit = deadline({ clock, timeoutMs: EXEC_TIMEOUT_MS, signal });
  const argv = ["sh", "-c", command];
  const starting = runtime.exec(id, { argv, hasStdin: false, hasTty: false });
  try {
    await using session = await unlessAborted(starting, limit.signal);
    for (const stream of [session.stdout, session.stderr]) {
      // Read, so that the command never waits.
      stream?.on("error", () => undefined).resume();
    }
    const { exitCode } = await unlessAborted(session.ended, limit.signal);
    if (exitCode !== 0) throw new Error(`the command ended with ${exitCode}`);
  } catch (err) {
    // One that starts after its time is ended as soon as it has.
    if (limit.signal.aborted) void starting.then(ended, () => undefined);
    signal.throwIfAborted();
    if (limit.signal.aborted) {
      throw new Error(`the command did not end within ${EXEC_TIMEOUT_MS / 1000} s`, { cause: err });
    }
    if (err instanceof ExecError)
      throw new Error("the command could not be started", { cause: err });
    throw err;
  }
}

async function ended(session: ExecSession): Promise<void> {
  await session[Symbol.asyncDispose]();
}
