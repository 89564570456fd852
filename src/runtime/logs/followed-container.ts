// The output of one container on its way into its log, and to those who watch it live; and the way to its stdin.

import type { Socket } from "node:net";
import type { Clock } from "../../base/clock.ts";
import { type ForeignDescriptor, takeDescriptor } from "../../mounts/take-descriptor.ts";
import type { TerminalSize } from "../runtime.ts";
import { AttachedClient } from "./attached-client.ts";
import { type ContainerInput, FifoInput } from "./container-input.ts";
import { ContainerTerminal } from "./container-terminal.ts";
import type { LogStream } from "./cri-log-line.ts";
import { FifoReader } from "./fifo-reader.ts";
import type { ContainerOutput } from "./keeper-protocol.ts";
import { LineSplitter } from "./line-splitter.ts";
import type { LogCompressor } from "./log-compressor.ts";
import { type LineBuffer, LogFile, type Rotation } from "./log-file.ts";
import type { WallTime } from "./wall-time.ts";

/** What all containers share. */
export interface Workshop {
  readonly clock: Clock;
  readonly time: WallTime;
  /** Bytes that were just read. */
  readonly input: Uint8Array;
  /** Lines that are about to be written. */
  readonly output: LineBuffer;
  readonly rotation: Rotation;
  readonly compressor: LogCompressor;
}

/** A container is gone with all its processes; who holds its output after that is not of the container. */
const DRAIN_TIMEOUT_MS = 10_000;

export class FollowedContainer {
  readonly of: ContainerOutput;
  readonly #workshop: Workshop;
  readonly #log: LogFile;
  readonly #readers: readonly FifoReader[];
  readonly #splitters: LineSplitter[] = [];
  readonly #closed: PromiseWithResolvers<void> = Promise.withResolvers();
  readonly #clients = new Set<AttachedClient>();
  #terminal: ContainerTerminal | undefined;
  /** Undefined if the container has no stdin, or it was closed for good. */
  #input: ContainerInput | undefined;
  #stamp = "";
  #timeout: Disposable | undefined;
  #isFinishing = false;

  constructor(of: ContainerOutput, workshop: Workshop) {
    this.of = of;
    this.#workshop = workshop;
    const { clock, time, output, rotation, compressor } = workshop;
    const path = of.logPath;
    this.#log = new LogFile({ path, buffer: output, rotation, time, clock, compressor });
    this.#readers = [this.#reader("stdout", of.stdoutFifo), this.#reader("stderr", of.stderrFifo)];
  }

  get isDrained(): boolean {
    return this.#readers.every((reader) => reader.isDrained) && this.#terminal?.isDrained !== false;
  }

  /** Returns when the FIFOs are open. Throws, and then nothing is left open. */
  open(): void {
    try {
      this.#log.open();
      for (const reader of this.#readers) reader.open();
      if (this.of.stdin) this.#input = FifoInput.open(this.of.stdin.fifo);
    } catch (err) {
      this.close();
      throw err;
    }
  }

  /** Returns its descriptor of the terminal. Throws if it has none and can take none. */
  takeTerminal(from: ForeignDescriptor | undefined): number {
    this.#terminal ??= from && this.#openTerminal(from);
    if (this.#terminal === undefined || this.#terminal.isDrained) {
      throw new Error("The container has no terminal any more: it was hung up");
    }
    return this.#terminal.fd;
  }

  resize(size: TerminalSize): void {
    this.#terminal?.resize(size);
  }

  /** Whether who attaches now can write to its stdin. */
  get hasStdin(): boolean {
    return this.#input !== undefined;
  }

  attach(socket: Socket, { hasStdin }: { readonly hasStdin: boolean }): AttachedClient {
    const client = new AttachedClient({
      socket,
      input: hasStdin ? this.#input : undefined,
      onInputEnd: () => {
        if (hasStdin && this.of.stdin?.isOnce === true) this.#endInput();
      },
    });
    this.#clients.add(client);
    socket.on("close", () => this.#clients.delete(client));
    return client;
  }

  probe(): void {
    for (const reader of this.#readers) reader.probe();
  }

  /** Settles when everything is in the log that was written before the last writer went away. */
  finish(): Promise<void> {
    if (!this.#isFinishing) {
      this.#isFinishing = true;
      this.#timeout = this.#workshop.clock.schedule(DRAIN_TIMEOUT_MS, () => this.#end());
      this.probe();
    }
    return this.#closed.promise;
  }

  /** Puts what is left into the log and lets go of everything: the container goes on, and the next keeper with it. */
  close(): void {
    for (const client of this.#clients) client.cut();
    this.#clients.clear();
    this.#timeout?.[Symbol.dispose]();
    for (const reader of this.#readers) reader.close();
    this.#input?.close();
    this.#input = undefined;
    this.#terminal?.close();
    this.#stamp = this.#workshop.time.stamp();
    for (const splitter of this.#splitters) splitter.end();
    this.#log.flush();
    this.#log.close();
    this.#closed.resolve();
  }

  /** The container has ended. */
  #end(): void {
    for (const client of this.#clients) client.end();
    this.#clients.clear();
    this.close();
  }

  #endIfDrained(): void {
    if (this.#isFinishing && this.isDrained) this.#end();
  }

  #endInput(): void {
    this.#input?.end();
    this.#input = undefined;
  }

  #openTerminal(from: ForeignDescriptor): ContainerTerminal {
    const master = takeDescriptor(from);
    const onBytes = this.#receiver("stdout");
    const terminal = new ContainerTerminal({
      master,
      onBytes,
      onDrained: () => this.#endIfDrained(),
    });
    const { stdin } = this.of;
    // Of the FIFO there is only its name of use.
    if (stdin !== undefined && this.#input !== undefined) {
      this.#input.close();
      this.#input = terminal.input(stdin.fifo);
    }
    return terminal;
  }

  #receiver(stream: LogStream): (bytes: Uint8Array) => void {
    const splitter = new LineSplitter((content, isPartial) =>
      this.#log.add({ stamp: this.#stamp, stream, isPartial, content }),
    );
    this.#splitters.push(splitter);
    return (bytes) => {
      // One for all lines that came together.
      this.#stamp = this.#workshop.time.stamp();
      splitter.push(bytes);
      this.#log.flush();
      for (const client of this.#clients) client.give(stream, bytes);
    };
  }

  #reader(stream: LogStream, path: string): FifoReader {
    return new FifoReader({
      path,
      clock: this.#workshop.clock,
      buffer: this.#workshop.input,
      onBytes: this.#receiver(stream),
      onDrained: () => this.#endIfDrained(),
    });
  }
}
