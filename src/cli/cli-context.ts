// What every verb works with: a server, and streams in place of the process's own, so that tests can look at all of it.

import type { Readable, Writable } from "node:stream";
import type { Clock } from "../base/clock.ts";
import type { ApiClient } from "../client/api-client.ts";
import type { Connection } from "../client/kubeconfig.ts";

interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** The terminal that input comes from. */
export interface Terminal {
  readonly size: TerminalSize;
  onResize(handler: () => void): Disposable;
  /** Every key goes through as it is, Ctrl-C too, until it is disposed. */
  raw(): Disposable;
}

export interface CliStreams {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Missing if input is not a terminal. */
  readonly terminal?: Terminal;
  /** Progress is shown only to people who look. */
  readonly isWatched: boolean;
}

export interface CliContext {
  readonly client: ApiClient;
  /** For what the client cannot do: streams in both directions. */
  readonly connection: Connection;
  readonly namespace: string;
  /** Somebody said -n: objects of other namespaces are refused. */
  readonly isNamespaceGiven: boolean;
  readonly streams: CliStreams;
  readonly clock: Clock;
  /** Ends what would go on. */
  readonly signal: AbortSignal;
}

/** 0 done, 1 failed; exec passes on others. */
export type ExitCode = number;

export function print({ streams }: Pick<CliContext, "streams">, text: string): void {
  if (text !== "") streams.stdout.write(text);
}

export function printError({ streams }: Pick<CliContext, "streams">, text: string): void {
  streams.stderr.write(text.endsWith("\n") ? text : `${text}\n`);
}
