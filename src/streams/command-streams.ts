// A client of exec or attach, whatever protocol it speaks: SPDY/3.1 as older kubectl, WebSocket as newer ones and the libraries.

import type { Readable, Writable } from "node:stream";

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** What the client asked for, in the request's query. */
export interface CommandRequest {
  readonly hasStdin: boolean;
  readonly hasStdout: boolean;
  /** Never with a terminal. */
  readonly hasStderr: boolean;
  readonly hasTty: boolean;
}

export interface CommandStreams extends Disposable {
  /** Ends when the client closes its half, which not every protocol can say. */
  readonly stdin: Readable | undefined;
  /** Writes wait for the client: a slow one slows the program, and nobody's memory fills up. */
  readonly stdout: Writable | undefined;
  readonly stderr: Writable | undefined;
  /** Called with each size that the client's terminal gets; with the last one at once if some came before. */
  onResize(handler: (size: TerminalSize) => void): void;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
  /** Says how it ended, after all output, and closes the connection when the client has it. */
  finish(end: CommandEnd): Promise<void>;
  /** Cuts the connection, if `finish` has not ended it. */
  [Symbol.dispose](): void;
}

export type CommandEnd =
  | { readonly exitCode: number }
  /** It could not be run, or not to its end: a message for the client, as a Status. */
  | { readonly failure: string };
