// The streams of a command, made of what a protocol brings. The order of the end is here: output first, then the status,
// then the good-bye, and the connection only when the client has all of it.

import { addAbortListener } from "node:events";
import { commandStatus, type StatusFormat } from "./command-status.ts";
import type {
  CommandEnd,
  CommandRequest,
  CommandStreams,
  TerminalSize,
} from "./command-streams.ts";
import { flushed, type Substream } from "./substream.ts";
import { TerminalSizeReader } from "./terminal-sizes.ts";

/** How a protocol names the streams of a command. */
export type CommandStreamName = "stdin" | "stdout" | "stderr" | "error" | "resize";

export interface CommandTransport {
  readonly streams: ReadonlyMap<CommandStreamName, Substream>;
  readonly format: StatusFormat;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
  /** Resolves when the client has taken everything and the connection is closed. */
  close(): Promise<void>;
  cut(): void;
}

export class CommandSession implements CommandStreams {
  readonly stdin: Substream | undefined;
  readonly stdout: Substream | undefined;
  readonly stderr: Substream | undefined;
  readonly #transport: CommandTransport;
  readonly #gone = new AbortController();
  readonly #sizes = new TerminalSizeReader();
  #lastSize: TerminalSize | undefined;
  #onSize: ((size: TerminalSize) => void) | undefined;
  #isFinishing = false;

  constructor(transport: CommandTransport, wanted: CommandRequest) {
    this.#transport = transport;
    const { streams, signal } = transport;
    this.stdin = wanted.hasStdin ? streams.get("stdin") : undefined;
    this.stdout = wanted.hasStdout ? streams.get("stdout") : undefined;
    this.stderr = wanted.hasStderr && !wanted.hasTty ? streams.get("stderr") : undefined;
    for (const stream of streams.values()) {
      // The client has nothing to say on the others, and whatever it does say must not stay here.
      if (stream !== this.stdin && stream !== streams.get("resize")) stream.resume();
    }
    streams.get("resize")?.on("data", (bytes: Buffer) => this.#resize(bytes));
    if (signal.aborted) {
      this.#lose();
    } else {
      addAbortListener(signal, () => this.#lose());
    }
  }

  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  onResize(handler: (size: TerminalSize) => void): void {
    this.#onSize = handler;
    if (this.#lastSize) handler(this.#lastSize);
  }

  async finish(end: CommandEnd): Promise<void> {
    const { streams, format, signal } = this.#transport;
    if (signal.aborted) return;
    // (1) All output, or a client that stops reading at the status would miss some.
    const outputs = [this.stdout, this.stderr].filter((stream) => stream !== undefined);
    await Promise.all(outputs.map(flushed));
    if (signal.aborted) return;
    // (2) The status, and the end of its stream: older clients read up to there.
    this.#isFinishing = true;
    const error = streams.get("error");
    const status = commandStatus(end, format);
    if (error && !error.destroyed) {
      if (status !== "") error.write(status);
      await flushed(error);
    }
    // (3) What the client still sends is not read by anybody: it must not keep its good-bye from being heard.
    this.stdin?.destroy();
    if (!signal.aborted) await this.#transport.close();
  }

  [Symbol.dispose](): void {
    this.#transport.cut();
  }

  #resize(bytes: Buffer): void {
    for (const size of this.#sizes.read(bytes)) {
      this.#lastSize = size;
      this.#onSize?.(size);
    }
  }

  #lose(): void {
    // A client that has the status and leaves is not one that is gone.
    if (!this.#isFinishing) this.#gone.abort(this.#transport.signal.reason);
  }
}
