// Telling a program by a signal. A signal that nobody handles is lost or deadly, so whoever sends it should look first.

import { constants } from "node:os";
import type { ReloadTry } from "./reload-action.ts";

export interface SignalTarget {
  /** "SIGHUP" */
  readonly signal: string;
  /** Says why it was not sent; undefined if it was. */
  readonly send: (number: number, name: string) => string | undefined;
}

export function bySignal({ signal: name, send }: SignalTarget): ReloadTry {
  return async (signal) => {
    signal.throwIfAborted();
    const number = (constants.signals as Readonly<Record<string, number>>)[name];
    if (number === undefined) throw new Error(`${JSON.stringify(name)} is not a signal here`);
    const failure = send(number, name);
    if (failure !== undefined) throw new Error(`${name} was not sent: ${failure}`);
    await Promise.resolve();
  };
}

/** Signals whose sense is to end a program: they need no handler. */
const ENDING: ReadonlySet<string> = new Set(["SIGTERM", "SIGINT", "SIGQUIT", "SIGKILL"]);

/**
 * Why a process would not hear this signal, from its /proc/PID/status; undefined if it would. A handler, or a mask behind which it waits for
 * it, is what hears. Without them the first process of a container never gets it, and any other dies of most. Who waits sleeps: a shell that starts a
 * command, and whoever calls posix_spawn, blocks all signals until that runs, and dies of what came meanwhile.
 */
export function whyDeaf(status: string, number: number, name: string): string | undefined {
  if (ENDING.has(name)) return undefined;
  const isIn = (field: string): boolean => {
    const mask = new RegExp(`^${field}:\\s*([0-9a-f]+)$`, "m").exec(status)?.[1];
    return mask !== undefined && ((BigInt(`0x${mask}`) >> BigInt(number - 1)) & 1n) === 1n;
  };
  if (isIn("SigCgt")) return undefined;
  if (isIn("SigBlk")) {
    return /^State:\s*S/m.test(status) ? undefined : "the process has blocked it for the moment";
  }
  return isIn("SigIgn") ? "the process ignores it" : "the process has no handler for it";
}
