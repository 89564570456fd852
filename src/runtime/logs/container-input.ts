// The writing ends of containers' stdin. As long as somebody has one open, the program sees no end of its input: the keeper does, and the agent
// holds a second one, so that the death of either is not the end. If both die before a new one comes, it is.

import { closeSync, constants, openSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import { isErrno } from "../../base/errors.ts";

export interface ContainerInput {
  /** `done` is called when there is room for more, or nobody who would read it. */
  write(bytes: Buffer, done: () => void): void;
  /** The program's end of file, after what was written. */
  end(): void;
  /** Lets go of it. */
  close(): void;
}

export class FifoInput implements ContainerInput {
  readonly #path: string;
  #fd: number | undefined;
  /** Made with the first write: nobody may have opened the other end yet. */
  #socket: Socket | undefined;

  /** Undefined if it was closed for good. */
  static open(path: string): FifoInput | undefined {
    const fd = openWriter(path);
    return fd === undefined ? undefined : new FifoInput(path, fd);
  }

  private constructor(path: string, fd: number) {
    this.#path = path;
    this.#fd = fd;
  }

  write(bytes: Buffer, done: () => void): void {
    const socket = this.#open();
    if (socket?.writable !== true) {
      done();
      return;
    }
    socket.write(bytes, () => done());
  }

  end(): void {
    // Whoever opens it anew, such as the next keeper, must not open it for the container too.
    rmSync(this.#path, { force: true });
    if (this.#socket === undefined) this.close();
    else this.#socket.destroySoon();
  }

  close(): void {
    this.#socket?.destroy();
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #open(): Socket | undefined {
    if (this.#socket === undefined && this.#fd !== undefined) {
      this.#socket = new Socket({ fd: this.#fd, readable: false, writable: true });
      this.#fd = undefined;
      // EPIPE: the program has closed its stdin. Others are told nothing when they write to it.
      this.#socket.on("error", () => undefined);
    }
    return this.#socket;
  }
}

/** A writing end of a FIFO that has no reader yet. Undefined if it is not there. */
export function openWriter(path: string): number | undefined {
  const { O_RDWR, O_WRONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
  let both: number;
  try {
    both = openSync(path, O_RDWR | O_NONBLOCK | O_NOFOLLOW);
  } catch (err) {
    if (isErrno(err, "ENOENT")) return undefined;
    throw err;
  }
  try {
    // A reader of our own would hide that the program has none.
    return openSync(path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW);
  } finally {
    closeSync(both);
  }
}
