// One program that a client runs in a container, from its start to its end or to its being cut off.

import type { Clock } from "../../base/clock.ts";
import type { ContainerEnd, ExecSession, TerminalSize } from "../runtime.ts";
import type { SessionStreams } from "./exec-streams.ts";
import { killAll, processesIn } from "./marked-processes.ts";

export type ProgramEnd = Pick<ContainerEnd, "exitCode" | "signal">;

/** A namespace that the program and all that it starts have, and nobody else. Undefined if it had ended before it was known. */
export interface Mark extends Disposable {
  readonly namespace: string | undefined;
}

export interface SessionParts {
  readonly exited: Promise<ProgramEnd>;
  readonly streams: SessionStreams;
  readonly mark: Mark;
  readonly clock: Clock;
}

export class ProcessSession implements ExecSession {
  readonly ended: Promise<ProgramEnd>;
  readonly #parts: SessionParts;
  /** Of the program and all that it has started. */
  #killing: Promise<void> | undefined;
  #isOver = false;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.ended = this.#end();
  }

  get stdin(): ExecSession["stdin"] {
    return this.#parts.streams.stdin;
  }

  get stdout(): ExecSession["stdout"] {
    return this.#parts.streams.stdout;
  }

  get stderr(): ExecSession["stderr"] {
    return this.#parts.streams.stderr;
  }

  resize(size: TerminalSize): void {
    this.#parts.streams.resize(size);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isOver) {
      return;
    }
    const { exited, streams, mark, clock } = this.#parts;
    const { namespace } = mark;
    if (namespace !== undefined) {
      this.#killing ??= killAll(() => processesIn(namespace), clock);
      await this.#killing;
    }
    await exited;
    streams[Symbol.dispose]();
    await this.ended;
  }

  async #end(): Promise<ProgramEnd> {
    const { exited, streams, mark, clock } = this.#parts;
    const { stdin, stdout, stderr } = streams;
    const end = await exited;
    await Promise.all([stdout.programEnded(clock), stderr?.programEnded(clock)]);
    // The number of a namespace is given to the next one at once: as long as somebody looks for it, it stays taken. Otherwise a program that has just been
    // started elsewhere is killed.
    if (this.#killing !== undefined) {
      await this.#killing.catch(() => undefined); // Whoever cuts it hears of that.
    }
    this.#isOver = true;
    mark[Symbol.dispose]();
    stdin?.destroy();
    return end;
  }
}
