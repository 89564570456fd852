// What the agent gives to somebody who attaches to a container. It outlives the keeper: when that dies the next one is attached to, and
// what was written in between is lost to those who watch, not to the log.

import { Readable, Writable } from "node:stream";
import type { Attachment, TerminalSize } from "../runtime.ts";
import { type FrameKind, MAX_FRAME_BYTES } from "./attach-frames.ts";
import type { KeeperConnection } from "./keeper-connection.ts";

/** Of output that nobody has read, for each stream. */
const MAX_WAITING_BYTES = 1024 * 1024;

interface AttachedConnection {
  readonly connection: KeeperConnection;
  /** The container has a stdin that is open, and it was asked for. */
  readonly hasStdin: boolean;
}

export interface KeeperAttachmentOptions {
  readonly hasTty: boolean;
  /** Attaches; undefined when the container has ended. */
  readonly connect: (
    onFrame: (kind: FrameKind, bytes: Buffer) => void,
  ) => Promise<AttachedConnection | undefined>;
  readonly resize: (size: TerminalSize) => void;
  /** Called when this client ends its stdin or leaves, before the keeper is told. */
  readonly onInputEnd: () => void;
  /** Called once, when nothing more comes. */
  readonly onEnd: (attachment: KeeperAttachment) => void;
}

export class KeeperAttachment implements Attachment {
  readonly stdout: Readable = outputStream();
  readonly stderr: Readable | undefined;
  readonly hasTty: boolean;
  readonly #options: KeeperAttachmentOptions;
  #connection: KeeperConnection | undefined;
  #stdin: Writable | undefined;
  #hasEnded = false;
  #hasInputEnded = false;

  /** Settles when what the container writes from then on will be seen. */
  static async begin(options: KeeperAttachmentOptions): Promise<KeeperAttachment> {
    const attachment = new KeeperAttachment(options);
    const hasStdin = await attachment.#connect();
    if (hasStdin) attachment.#stdin = attachment.#inputStream();
    return attachment;
  }

  private constructor(options: KeeperAttachmentOptions) {
    this.#options = options;
    this.hasTty = options.hasTty;
    this.stderr = options.hasTty ? undefined : outputStream();
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get stdin(): Writable | undefined {
    return this.#stdin;
  }

  resize(size: TerminalSize): void {
    if (!this.#hasEnded) this.#options.resize(size);
  }

  [Symbol.dispose](): void {
    this.#endInput();
    this.#end();
    this.#connection?.close();
  }

  /** Returns whether there is a stdin. */
  async #connect(): Promise<boolean> {
    const attached = await this.#options.connect((kind, bytes) => this.#onFrame(kind, bytes));
    if (attached === undefined) {
      this.#end();
      return false;
    }
    const { connection, hasStdin } = attached;
    this.#connection = connection;
    if (this.#hasEnded) connection.close();
    void connection.closed.then(() => this.#onLost());
    return hasStdin;
  }

  #onFrame(kind: FrameKind, bytes: Buffer): void {
    if (kind === "end") this.#end();
    const stream = kind === "stdout" ? this.stdout : kind === "stderr" ? this.stderr : undefined;
    if (stream === undefined || stream.destroyed || this.#hasEnded) return;
    if (stream.readableLength + bytes.length <= MAX_WAITING_BYTES) stream.push(bytes);
  }

  #onLost(): void {
    this.#connection = undefined;
    if (!this.#hasEnded) this.#connect().catch(() => this.#end());
  }

  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#options.onEnd(this);
    for (const stream of [this.stdout, this.stderr]) {
      if (stream && !stream.destroyed) stream.push(null);
    }
    this.#stdin?.destroy();
  }

  #endInput(): void {
    if (this.#hasInputEnded || this.#stdin === undefined) return;
    this.#hasInputEnded = true;
    this.#options.onInputEnd();
  }

  #inputStream(): Writable {
    const stream = new Writable({
      write: (chunk: Buffer, _encoding, done) => this.#send(chunk, done),
      final: (done) => {
        this.#endInput();
        if (this.#connection) this.#connection.send("end", new Uint8Array(0), done);
        else done();
      },
    });
    // The container has ended before it had read everything: that is no failure of who wrote.
    stream.on("error", () => undefined);
    return stream;
  }

  #send(chunk: Buffer, done: () => void): void {
    // What is typed while there is no keeper is lost.
    if (this.#connection === undefined || chunk.length === 0) {
      done();
      return;
    }
    const rest = chunk.subarray(MAX_FRAME_BYTES);
    this.#connection.send("stdin", chunk.subarray(0, MAX_FRAME_BYTES), () =>
      this.#send(rest, done),
    );
  }
}

/** Pushed into; its bound is kept by who pushes. */
function outputStream(): Readable {
  const stream = new Readable({ read: () => undefined });
  stream.on("error", () => undefined);
  return stream;
}
