// The agent's own ends of a container's stdin and terminal. Nothing is read or written through them: they are held so that a keeper that dies
// takes neither away, and the next keeper takes the terminal from here.

import { closeSync } from "node:fs";
import { identify } from "../../mounts/process-calls.ts";
import type { OpenFile } from "../../mounts/system-calls.ts";
import { type ForeignDescriptor, takeDescriptor } from "../../mounts/take-descriptor.ts";
import { openWriter } from "./container-input.ts";
import type { ContainerStdin } from "./keeper-protocol.ts";

export class HeldEnds implements Disposable {
  #stdin: number | undefined;
  #terminal: OpenFile | undefined;

  /** Does nothing if it is held, or was closed for good. */
  holdStdin({ fifo }: ContainerStdin): void {
    this.#stdin ??= openWriter(fifo);
  }

  releaseStdin(): void {
    if (this.#stdin !== undefined) closeSync(this.#stdin);
    this.#stdin = undefined;
  }

  holdTerminal(from: ForeignDescriptor): void {
    this.#terminal ??= takeDescriptor(from);
  }

  /** For the next keeper. */
  get terminal(): ForeignDescriptor | undefined {
    const process = identify("self");
    return this.#terminal && process && { process, fd: this.#terminal.fd };
  }

  [Symbol.dispose](): void {
    this.releaseStdin();
    this.#terminal?.[Symbol.dispose]();
    this.#terminal = undefined;
  }
}
