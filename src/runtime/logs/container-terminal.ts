// The keeper's end of a container's terminal: what the container writes comes out of it, what people type goes into it. As long as the
// keeper or the agent has it, the terminal is there; if both die at once the kernel hangs it up, and the container gets SIGHUP.

import { rmSync } from "node:fs";
import { ReadStream } from "node:tty";
import type { OpenFile } from "../../mounts/system-calls.ts";
import { setTerminalSize } from "../../mounts/terminal-calls.ts";
import type { TerminalSize } from "../runtime.ts";
import type { ContainerInput } from "./container-input.ts";

export interface ContainerTerminalOptions {
  /** From here on it is the terminal's to close. */
  readonly master: OpenFile;
  readonly onBytes: (bytes: Buffer) => void;
  /** Nobody has the other end open: the container has ended, or has given up its terminal, which is then not read again. */
  readonly onDrained: () => void;
}

const END_OF_FILE = "\x04";

export class ContainerTerminal {
  readonly #options: ContainerTerminalOptions;
  readonly #stream: ReadStream;
  #isDrained = false;
  #isInLine = false;

  constructor(options: ContainerTerminalOptions) {
    this.#options = options;
    this.#stream = new ReadStream(options.master.fd);
    this.#stream.on("data", (bytes: Buffer) => options.onBytes(bytes));
    // EIO: the other end is closed everywhere.
    this.#stream.on("error", () => this.#onHangUp());
    this.#stream.on("end", () => this.#onHangUp());
  }

  get fd(): number {
    return this.#options.master.fd;
  }

  get isDrained(): boolean {
    return this.#isDrained;
  }

  resize(size: TerminalSize): void {
    if (!this.#isDrained) setTerminalSize(this.fd, size);
  }

  /** What is typed. `closedMark` goes when it is closed for good. */
  input(closedMark: string): ContainerInput {
    return {
      write: (bytes, done) => {
        const last = bytes.at(-1);
        if (last !== undefined) this.#isInLine = last !== 0x0a && last !== 0x0d;
        this.#write(bytes, done);
      },
      end: () => {
        rmSync(closedMark, { force: true });
        // In the middle of a line the first one only sends off what there is of it.
        this.#write(this.#isInLine ? END_OF_FILE.repeat(2) : END_OF_FILE, () => undefined);
      },
      close: () => undefined,
    };
  }

  close(): void {
    this.#stream.destroy();
  }

  #write(bytes: Buffer | string, done: () => void): void {
    if (this.#stream.writable) this.#stream.write(bytes, () => done());
    else done();
  }

  #onHangUp(): void {
    this.#isDrained = true;
    this.#options.onDrained();
  }
}
