// How a command's end is told to the client, on the stream for errors. Version 4 brought a Status as JSON; before, only a
// failure was told, as a text.

import type { CommandEnd } from "./command-streams.ts";

export type StatusFormat = "json" | "text";

/** What to send; empty if nothing is. */
export function commandStatus(end: CommandEnd, format: StatusFormat): string {
  const status = statusOf(end);
  return format === "json" ? JSON.stringify(status) : (status.message ?? "");
}

interface CommandStatus {
  readonly metadata: Readonly<Record<never, never>>;
  readonly status: "Success" | "Failure";
  readonly message?: string;
  readonly reason?: string;
  readonly details?: {
    readonly causes: readonly { readonly reason?: string; readonly message: string }[];
  };
  readonly code?: number;
}

function statusOf(end: CommandEnd): CommandStatus {
  if ("failure" in end) {
    return {
      metadata: {},
      status: "Failure",
      message: `Internal error occurred: ${end.failure}`,
      reason: "InternalError",
      details: { causes: [{ message: end.failure }] },
      code: 500,
    };
  }
  const { exitCode } = end;
  if (exitCode === 0) {
    return { metadata: {}, status: "Success" };
  }
  return {
    metadata: {},
    status: "Failure",
    message: `command terminated with non-zero exit code: error executing command, exit code ${exitCode}`,
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: `${exitCode}` }] },
  };
}
