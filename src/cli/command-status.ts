// How a command in a container ended, from the Status that is the server's last word.

import type { Status } from "../api/status-error.ts";

export interface CommandOutcome {
  readonly exitCode: number;
  /** For people, unless it ended well. */
  readonly message?: string;
}

/** "" means that the connection was lost. */
export function readCommandStatus(text: string): CommandOutcome {
  const status = parsed(text);
  if (status === undefined) {
    return { exitCode: 1, message: "error: the connection was lost before the command ended" };
  }
  if (status.status === "Success") return { exitCode: 0 };
  const exit = status.details?.causes?.find(({ reason }) => reason === "ExitCode")?.message;
  const exitCode = Number(exit ?? "");
  if (exit !== undefined && Number.isInteger(exitCode) && exitCode > 0) {
    return { exitCode, message: `command terminated with exit code ${exitCode}` };
  }
  return { exitCode: 1, message: `error: ${status.message ?? "the command could not be run"}` };
}

function parsed(text: string): Partial<Status> | undefined {
  try {
    const value = JSON.parse(text) as Partial<Status> | null;
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined; // Cut off, or nothing at all.
  }
}
