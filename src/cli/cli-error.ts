// Errors as kubectl tells them: what the server says in the server's words, everything else behind "error: ".

import { StatusError } from "../api/status-error.ts";
import { describe, isErrno } from "../base/errors.ts";
import { type CliContext, type ExitCode, printError } from "./cli-context.ts";

/** Something that people can mend. Its message is shown as it is. */
export class CliError extends Error {
  override readonly name = "CliError";
  /** 2: it was called wrongly. */
  readonly exitCode: 1 | 2;

  constructor(message: string, options: { readonly cause?: unknown; readonly exitCode?: 2 } = {}) {
    super(message, { cause: options.cause });
    this.exitCode = options.exitCode ?? 1;
  }
}

/** Called in a way that means nothing. */
export function misuse(message: string): CliError {
  return new CliError(message, { exitCode: 2 });
}

/** Without a line break at its end. */
export function errorText(err: unknown): string {
  if (err instanceof StatusError) return statusText(err);
  if (err instanceof CliError) return `error: ${err.message}`;
  const refused = refusedBy(err);
  if (refused !== undefined) return refused;
  return `error: ${describe(err)}`;
}

/** Shows it, and says with which code to end. */
export function reportError(context: Pick<CliContext, "streams">, err: unknown): ExitCode {
  printError(context, errorText(err));
  return err instanceof CliError ? err.exitCode : 1;
}

/** Does each in turn, also after one has failed, and tells of every failure. */
export async function eachReported<T>(
  context: Pick<CliContext, "streams">,
  items: Iterable<T>,
  work: (item: T) => Promise<void>,
): Promise<ExitCode> {
  let code: ExitCode = 0;
  for (const item of items) {
    try {
      await work(item);
    } catch (err) {
      code = Math.max(code, reportError(context, err));
    }
  }
  return code;
}

function statusText(err: StatusError): string {
  if (err.reason === "Invalid") return invalidText(err);
  if (err.reason === "Unauthorized") {
    return `error: You must be logged in to the server (${err.message})`;
  }
  return err.reason === ""
    ? `Error from server: ${err.message}`
    : `Error from server (${err.reason}): ${err.message}`;
}

function invalidText({ details, message }: StatusError): string {
  if (details === undefined) return `The request is invalid: ${message}`;
  const { kind = "", name = "", causes = [] } = details;
  const what = `The ${kind} ${JSON.stringify(name)} is invalid`;
  const texts = [...new Set(causes.map((one) => `${one.field ?? ""}: ${one.message ?? ""}`))];
  if (texts.length === 0) return kind === "" ? `The request is invalid: ${message}` : what;
  if (texts.length === 1) return `${what}: ${texts.join("")}`;
  return `${what}: \n${texts.map((text) => `* ${text}`).join("\n")}`;
}

function refusedBy(err: unknown): string | undefined {
  const server = /^Cannot reach the API server at (\S+)/.exec((err as Error | null)?.message ?? "");
  for (let cause = err; cause instanceof Error; cause = cause.cause) {
    if (!isErrno(cause, "ECONNREFUSED") || server?.[1] === undefined) continue;
    const { host } = new URL(server[1]);
    return `The connection to the server ${host} was refused - is it running, and is this the right host and port?`;
  }
  return undefined;
}
