// The streams of a session as Node has them, over pipes or over a terminal of the container. The kernel's buffers are all that is
// between: who does not read makes the program wait.

import { Socket } from "node:net";
import { Readable, Writable } from "node:stream";
import { ReadStream } from "node:tty";
import type { Clock } from "../../base/clock.ts";
import { pipe, readableBytes } from "../../mounts/process-calls.ts";
import { type OpenFile, openFile } from "../../mounts/system-calls.ts";
import { openPeer, openTerminal, setTerminalSize } from "../../mounts/terminal-calls.ts";
import type { ExecSpec, TerminalSize } from "../runtime.ts";
import type { ExecStreams } from "./exec-instructions.ts";
import { readOnlyFile } from "./read-only-file.ts";

/** For what a program that has ended left in the background: it may hold the output for ever. */
const lastWordsMs = 100;

export interface SessionStreams extends Disposable {
  readonly stdin: Writable | undefined;
  readonly stdout: ProgramOutput;
  readonly stderr: ProgramOutput | undefined;
  resize(size: TerminalSize): void;
  /** For the launcher, as long as `theirs` is not disposed. */
  readonly theirs: { readonly paths: ExecStreams } & Disposable;
}

export function openStreams({ hasStdin, hasTty }: ExecSpec, root: OpenFile): SessionStreams {
  return hasTty ? terminalStreams(hasStdin, root) : pipeStreams(hasStdin);
}

function pipeStreams(hasStdin: boolean): SessionStreams {
  const theirs = new DisposableStack();
  const theirFd = (fd: number): string => pathTo(theirs.use(openFile(fd)).fd);
  const input = hasStdin ? pipe() : undefined;
  const output = pipe();
  const errors = pipe();
  const stdin = input && new Socket({ fd: input.writer, readable: false, writable: true });
  // The program need not read what it is given: that is no error of ours.
  stdin?.on("error", () => undefined);
  const stdout = new ProgramOutput(reading(output.reader), output.reader);
  const stderr = new ProgramOutput(reading(errors.reader), errors.reader);
  const paths = {
    stdin: input ? theirFd(input.reader) : readOnlyFile("/dev/null"),
    stdout: theirFd(output.writer),
    stderr: theirFd(errors.writer),
  };
  return {
    ...{ stdin, stdout, stderr },
    resize: () => undefined,
    theirs: { paths, [Symbol.dispose]: () => theirs.dispose() },
    [Symbol.dispose]: () => {
      theirs.dispose();
      stdin?.destroy();
      stdout.destroy();
      stderr.destroy();
    },
  };
}

function reading(fd: number): Socket {
  return new Socket({ fd, readable: true, writable: false });
}

function terminalStreams(hasStdin: boolean, root: OpenFile): SessionStreams {
  const master = openTerminal(root);
  const { fd } = master;
  let peer: OpenFile;
  try {
    peer = openPeer(master);
  } catch (err) {
    master[Symbol.dispose]();
    throw err;
  }
  using theirs = new DisposableStack();
  theirs.use(peer);
  const terminal = new ReadStream(fd);
  const stdin = hasStdin ? new TerminalInput(terminal) : undefined;
  stdin?.on("error", () => undefined);
  const stdout = new ProgramOutput(terminal, fd);
  const kept = theirs.move();
  return {
    ...{ stdin, stdout, stderr: undefined },
    resize: (size) => {
      if (!terminal.destroyed) {
        setTerminalSize(fd, size);
      }
    },
    theirs: {
      paths: { terminal: pathTo(peer.fd) },
      [Symbol.dispose]: () => kept.dispose(),
    },
    [Symbol.dispose]: () => {
      kept.dispose();
      stdin?.destroy();
      stdout.destroy();
    },
  };
}

/** Also for other processes that see our /proc. */
export function pathTo(fd: number): string {
  return `/proc/${process.pid}/fd/${fd}`;
}

const endOfFile = "\x04";

class TerminalInput extends Writable {
  readonly #terminal: ReadStream;
  #isInLine = false;

  constructor(terminal: ReadStream) {
    super();
    this.#terminal = terminal;
  }

  override _write(
    chunk: Buffer,
    _encoding: BufferEncoding,
    done: (err?: Error | null) => void,
  ): void {
    const last = chunk.at(-1);
    this.#isInLine = last !== undefined && last !== 0x0a && last !== 0x0d;
    this.#terminal.write(chunk, done);
  }

  override _final(done: (err?: Error | null) => void): void {
    // In the middle of a line the first one only sends off what there is of it.
    this.#terminal.write(this.#isInLine ? endOfFile.repeat(2) : endOfFile, done);
  }
}

/** What a program writes; ends when nobody can write any more, or soon after the program has ended. */
class ProgramOutput extends Readable {
  readonly #source: Socket;
  readonly #fd: number;
  readonly #whole: PromiseWithResolvers<void> = Promise.withResolvers();
  #received = 0;
  /** How many bytes are the program's; those of others after them are not waited for. */
  #wanted = Number.POSITIVE_INFINITY;

  constructor(source: Socket, fd: number) {
    super();
    this.#source = source;
    this.#fd = fd;
    source.on("data", (chunk: Buffer) => {
      this.#received += chunk.length;
      if (!this.push(chunk)) {
        source.pause();
      }
      this.#endIfWhole();
    });
    source.on("end", () => this.#end());
    // EIO: nobody has the terminal any more.
    source.on("error", () => this.#end());
    source.on("close", () => this.#end());
  }

  /** Settles when all of it was given to those who read. */
  get whole(): Promise<void> {
    return this.#whole.promise;
  }

  /** What was written until now will still be given. */
  async programEnded(clock: Clock): Promise<void> {
    const wanted = this.#source.bytesRead + this.#waiting();
    using _timer = clock.schedule(lastWordsMs, () => {
      this.#wanted = wanted;
      this.#endIfWhole();
    });
    await this.whole;
  }

  override _read(): void {
    this.#source.resume();
  }

  override _destroy(err: Error | null, done: (err?: Error | null) => void): void {
    this.#source.destroy();
    this.#whole.resolve();
    done(err);
  }

  #waiting(): number {
    try {
      return this.#source.destroyed ? 0 : readableBytes(this.#fd);
    } catch {
      // A terminal that is gone has nothing more to say.
      return 0;
    }
  }

  #endIfWhole(): void {
    if (this.#received >= this.#wanted) {
      this.#end();
    }
  }

  #end(): void {
    if (!this.readableEnded && !this.destroyed) {
      this.push(null);
    }
    this.#source.destroy();
    this.#whole.resolve();
  }
}
