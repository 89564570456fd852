// `driftless exec`: runs a command in a container, with our input and output, and ends as it ends.

import type { Pod } from "../api/types.ts";
import { isErrno } from "../base/errors.ts";
import { credentialsOf } from "../client/connection-credentials.ts";
import { resourcePath } from "../client/resource-path.ts";
import { statusErrorOf } from "../client/status-answer.ts";
import { CommandClient, CommandRefusedError } from "../streams/websocket/command-client.ts";
import { type CliContext, type ExitCode, printError, type Terminal } from "./cli-context.ts";
import { CliError, misuse } from "./cli-error.ts";
import { readCommandStatus } from "./command-status.ts";
import { chooseContainer } from "./container-choice.ts";
import { byActivity } from "./pod-order.ts";
import { PODS, podsOf } from "./pod-target.ts";

export interface ExecOptions {
  /** A pod's name, or KIND/NAME. */
  readonly word: string;
  readonly command: readonly string[];
  readonly container?: string | undefined;
  readonly hasStdin: boolean;
  readonly wantsTty: boolean;
  readonly isQuiet: boolean;
  readonly timeoutMs: number;
}

/** The command's own exit code. */
export async function exec(context: CliContext, options: ExecOptions): Promise<ExitCode> {
  if (options.command.length === 0) {
    throw misuse("you must specify at least one command for the container, behind --");
  }
  const { word, timeoutMs } = options;
  const [pod] = byActivity(await podsOf(context, { word, timeoutMs }));
  if (pod === undefined) throw new CliError(`there is no pod of ${word}`);
  const phase = pod.status?.phase ?? "";
  if (phase === "Succeeded" || phase === "Failed") {
    throw new CliError(
      `cannot exec into a container in a completed pod; current phase is ${phase}`,
    );
  }
  const { container, note } = chooseContainer(pod, options.container);
  if (note !== undefined && !options.isQuiet) printError(context, note);
  const terminal = terminalFor(context, options);
  const end = await run(context, { pod, container, terminal, options });
  if (end.message !== undefined) printError(context, end.message);
  return end.exitCode;
}

/** Undefined: without one, which is said if one was wanted. */
function terminalFor(context: CliContext, options: ExecOptions): Terminal | undefined {
  if (!options.wantsTty || !options.hasStdin) return undefined;
  const { terminal } = context.streams;
  if (terminal === undefined && !options.isQuiet) {
    printError(context, "Unable to use a TTY - input is not a terminal or the right kind of file");
  }
  return terminal;
}

interface Running {
  readonly pod: Pod;
  readonly container: string;
  readonly terminal: Terminal | undefined;
  readonly options: ExecOptions;
}

async function run(
  context: CliContext,
  running: Running,
): Promise<ReturnType<typeof readCommandStatus>> {
  const { terminal } = running;
  const client = await opened(context, running);
  using _raw = terminal?.raw();
  if (terminal !== undefined) client.resize(terminal.size);
  using _resizes = terminal?.onResize(() => client.resize(terminal.size));
  return readCommandStatus(await client.run(context.signal));
}

async function opened(context: CliContext, running: Running): Promise<CommandClient> {
  const { connection, clock, signal, streams } = context;
  const { hasStdin } = running.options;
  const credentials = credentialsOf(connection, clock);
  const { authority, certificate, key, token } = await credentials.identity(signal);
  const { isInsecure, serverName } = connection;
  const { stdin, stdout, stderr } = streams;
  try {
    return await CommandClient.open(
      {
        url: connection.server.replace(/^http/, "ws") + pathOf(running),
        tls: {
          rejectUnauthorized: !isInsecure,
          ...(authority !== undefined && { ca: authority }),
          ...(certificate !== undefined && { cert: certificate }),
          ...(key !== undefined && { key }),
          ...(serverName !== undefined && { servername: serverName }),
        },
        headers: {
          "user-agent": "driftless",
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
        clock,
        ...{ stdin: hasStdin ? stdin : undefined, stdout, stderr },
      },
      signal,
    );
  } catch (err) {
    if (err instanceof CommandRefusedError)
      throw statusErrorOf({ code: err.status, text: err.body });
    if (signal.aborted || !(err instanceof Error) || isErrno(err, "ABORT_ERR")) throw err;
    throw new Error(`Cannot reach the API server at ${connection.server}`, { cause: err });
  }
}

function pathOf({ pod, container, terminal, options }: Running): string {
  const { namespace, name = "" } = pod.metadata;
  const isTty = terminal !== undefined;
  const query = new URLSearchParams({ container, stdout: "true", stderr: String(!isTty) });
  if (options.hasStdin) query.set("stdin", "true");
  if (isTty) query.set("tty", "true");
  for (const word of options.command) query.append("command", word);
  return `${resourcePath(PODS, { namespace, name, subresource: "exec" })}?${query.toString()}`;
}
