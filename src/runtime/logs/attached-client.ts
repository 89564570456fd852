// Somebody who watches a container live, over a connection of their own. What they do not take in time is lost to them: neither the
// container nor its log waits.

import type { Socket } from "node:net";
import { encodeFrame, frameDecoder } from "./attach-frames.ts";
import type { ContainerInput } from "./container-input.ts";
import type { LogStream } from "./cri-log-line.ts";

/** Of output that waits for one client. */
const MAX_WAITING_BYTES = 1024 * 1024;

export interface AttachedClientOptions {
  readonly socket: Socket;
  /** Undefined: what the client sends is thrown away. */
  readonly input: ContainerInput | undefined;
  /** Called once: it has ended its stdin, or left. Nothing that it sent is under way any more. */
  readonly onInputEnd: () => void;
}

export class AttachedClient {
  readonly #options: AttachedClientOptions;
  readonly #decode: (bytes: Buffer) => void;
  /** Writes to the container's stdin that are not done. */
  #underWay = 0;
  #hasInputEnded = false;

  constructor(options: AttachedClientOptions) {
    this.#options = options;
    this.#decode = frameDecoder((kind, bytes) => {
      if (kind === "stdin") this.#write(bytes);
      else if (kind === "end") this.#endInput();
    });
    options.socket.on("close", () => this.#endInput());
  }

  /** Throws on what is no frame. */
  receive(bytes: Buffer): void {
    this.#decode(bytes);
  }

  give(stream: LogStream, bytes: Uint8Array): void {
    const { socket } = this.#options;
    if (!socket.writable || socket.writableLength + bytes.length > MAX_WAITING_BYTES) return;
    socket.write(encodeFrame(stream, bytes));
  }

  /** The container has ended. */
  end(): void {
    const { socket } = this.#options;
    if (socket.writable) socket.end(encodeFrame("end"));
    // Paused while the container did not read; nobody will.
    socket.resume();
  }

  /** As if the keeper had died: the client looks for the next one. */
  cut(): void {
    this.#options.socket.destroy();
  }

  /** The client is not read before the container has taken what it sent: it waits as long as the container does not read. */
  #write(bytes: Buffer): void {
    const { input, socket } = this.#options;
    if (input === undefined || this.#hasInputEnded) return;
    this.#underWay++;
    socket.pause();
    input.write(bytes, () => {
      this.#underWay--;
      if (this.#underWay === 0) socket.resume();
    });
  }

  #endInput(): void {
    if (this.#hasInputEnded) return;
    this.#hasInputEnded = true;
    this.#options.onInputEnd();
  }
}
