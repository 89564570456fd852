// What the everyday verbs share: the flags that say which server, and a session with it on the process's own streams.

import { homedir } from "node:os";
import type { ReadStream, WriteStream } from "node:tty";
import { Command, InvalidArgumentError, Option } from "commander";
import { systemClock } from "../base/clock.ts";
import type { CliContext, CliStreams, ExitCode, Terminal } from "../cli/cli-context.ts";
import { reportError } from "../cli/cli-error.ts";
import { findConnection } from "../cli/find-connection.ts";
import { ApiClient } from "../client/api-client.ts";

export interface CliFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
}

/** A list of everything can take a while; a server that hangs should not take forever. */
const REQUEST_TIMEOUT_MS = 60_000;

export function cliCommand(name: string): Command {
  return new Command(name)
    .option("-n, --namespace <namespace>", "the namespace (default: the context's)")
    .option(
      "--kubeconfig <file>",
      "how to reach the server (default: KUBECONFIG, ~/.driftless/kubeconfig or ~/.kube/config)",
    )
    .option("--context <name>", "the context in it to use");
}

/** Runs a verb and sets the exit code; what goes wrong is shown as kubectl shows it. */
export async function runCli(
  flags: CliFlags,
  verb: (context: CliContext) => Promise<ExitCode>,
): Promise<void> {
  const streams = processStreams();
  // "driftless get pods | head" ends when head has seen enough.
  process.stdout.on("error", () => process.exit(process.exitCode ?? 0));
  try {
    const { kubeconfig, context } = flags;
    const connection = findConnection({ kubeconfig, context, env: process.env, home: homedir() });
    using client = new ApiClient({ connection, clock: systemClock, timeoutMs: REQUEST_TIMEOUT_MS });
    process.exitCode = await verb({
      client,
      connection,
      namespace: flags.namespace ?? connection.namespace,
      isNamespaceGiven: flags.namespace !== undefined,
      streams,
      clock: systemClock,
      signal: new AbortController().signal,
    });
  } catch (err) {
    process.exitCode = reportError({ streams }, err);
  }
  // What is left to read there is for nobody.
  process.stdin.destroy();
}

/** Without a word it is the client's, as for kubectl. */
export function dryRunOption(): Option {
  return new Option(
    "--dry-run [how]",
    "change nothing: none, client, or server, which checks it too",
  )
    .choices(["none", "client", "server"])
    .preset("client")
    .default("none");
}

/** "--wait", "--wait=false": people know both from kubectl. */
export function switchOption(flags: string, description: string, otherwise: boolean): Option {
  return new Option(flags, description)
    .preset("true")
    .default(otherwise)
    .argParser((text: string) => {
      if (text !== "true" && text !== "false") throw new InvalidArgumentError("Say true or false.");
      return text === "true";
    });
}

/** For flags that are repeated. */
export function collected(value: string, all: readonly string[]): readonly string[] {
  return [...all, value];
}

export function wholeNumber(text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw new InvalidArgumentError("Say a whole number.");
  return Number(text);
}

function processStreams(): CliStreams {
  const { stdin, stdout, stderr } = process;
  return {
    stdin,
    stdout,
    stderr,
    isWatched: stderr.isTTY && stdout.isTTY,
    ...(stdin.isTTY && { terminal: terminalOf(stdin, stdout) }),
  };
}

function terminalOf(stdin: ReadStream, stdout: WriteStream): Terminal {
  return {
    get size() {
      return { columns: stdout.columns ?? 80, rows: stdout.rows ?? 24 };
    },
    onResize(handler) {
      stdout.on("resize", handler);
      return { [Symbol.dispose]: () => void stdout.off("resize", handler) };
    },
    raw() {
      stdin.setRawMode(true);
      return { [Symbol.dispose]: () => void stdin.setRawMode(false) };
    },
  };
}
