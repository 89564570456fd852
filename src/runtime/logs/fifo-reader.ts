// Reads a FIFO with epoll, whoever writes to it and however often they come and go.
//
// A reader that opens a FIFO before any writer sees no end: the kernel tells of a hang-up only after a writer has come and gone. So no write end
// has to be held until the container has started. When one has gone, the FIFO is opened anew at once (the new end first, so that there
// is always a reader) and the next writer is served. To learn whether there is a writer at all, open and close a write end: if
// nobody else has one, that is the hang-up.

import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { Socket } from "node:net";
import type { Clock } from "../../base/clock.ts";

export interface FifoReaderOptions {
  readonly path: string;
  readonly clock: Clock;
  /** Where bytes are put; may be shared by all readers, as it is only used during onBytes. */
  readonly buffer: Uint8Array;
  readonly onBytes: (bytes: Uint8Array) => void;
  /** Everything is read and nobody has it open for writing. May be called again. */
  readonly onDrained: () => void;
}

export class FifoReader {
  readonly #options: FifoReaderOptions;
  #socket: Socket | undefined;
  #fd = -1;
  #isDrained = false;

  constructor(options: FifoReaderOptions) {
    this.#options = options;
  }

  /** Whether there was no writer, the last time that was known, and nothing has come since. */
  get isDrained(): boolean {
    return this.#isDrained;
  }

  /** Returns when the read end is there. */
  open(): void {
    const { path } = this.#options;
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    if (!fstatSync(fd).isFIFO()) {
      closeSync(fd);
      throw new Error(`Cannot follow "${path}": it is not a FIFO`);
    }
    this.#listen(fd);
  }

  /** If nobody has it open for writing, onDrained will be called, after all that is left was read. */
  probe(): void {
    if (this.#fd < 0) return;
    this.#isDrained = false;
    // By its descriptor: it may have lost its name already.
    const { O_WRONLY, O_NONBLOCK } = constants;
    closeSync(openSync(`/proc/self/fd/${this.#fd}`, O_WRONLY | O_NONBLOCK));
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
    this.#fd = -1;
  }

  #listen(fd: number): void {
    const socket = new Socket({
      fd,
      readable: true,
      writable: false,
      onread: {
        buffer: this.#options.buffer,
        callback: (count, bytes) => {
          this.#isDrained = false;
          this.#options.onBytes(bytes.subarray(0, count));
          return count < this.#options.buffer.length || this.#letOthersRead(socket);
        },
      },
    });
    this.#socket = socket;
    this.#fd = fd;
    socket.once("end", () => this.#onEnd(socket));
    // Reading a pipe does not fail; should it, that is its end.
    socket.once("error", () => this.#onEnd(socket));
    socket.resume();
  }

  /** Node goes on with the same pipe, up to 32 times, as long as the buffer gets full: a container that floods its output would keep all others waiting. */
  #letOthersRead(socket: Socket): false {
    this.#options.clock.schedule(0, () => void socket.resume());
    return false;
  }

  #onEnd(socket: Socket): void {
    if (this.#socket !== socket) return;
    const { O_RDONLY, O_NONBLOCK } = constants;
    this.#listen(openSync(`/proc/self/fd/${this.#fd}`, O_RDONLY | O_NONBLOCK));
    socket.destroy();
    this.#isDrained = true;
    this.#options.onDrained();
  }
}
