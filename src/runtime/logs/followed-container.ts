// The output of one container on its way into its log.

import type { Clock } from "../../base/clock.ts";
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
    return this.#readers.every((reader) => reader.isDrained);
  }

  /** Returns when both FIFOs are open for reading. Throws, and then nothing is left open. */
  open(): void {
    try {
      this.#log.open();
      for (const reader of this.#readers) reader.open();
    } catch (err) {
      this.close();
      throw err;
    }
  }

  probe(): void {
    for (const reader of this.#readers) reader.probe();
  }

  /** Settles when everything is in the log that was written before the last writer went away. */
  finish(): Promise<void> {
    if (!this.#isFinishing) {
      this.#isFinishing = true;
      this.#timeout = this.#workshop.clock.schedule(DRAIN_TIMEOUT_MS, () => this.close());
      this.probe();
    }
    return this.#closed.promise;
  }

  /** Puts what is left into the log and lets go of everything. */
  close(): void {
    this.#timeout?.[Symbol.dispose]();
    for (const reader of this.#readers) reader.close();
    this.#stamp = this.#workshop.time.stamp();
    for (const splitter of this.#splitters) splitter.end();
    this.#log.flush();
    this.#log.close();
    this.#closed.resolve();
  }

  #reader(stream: LogStream, path: string): FifoReader {
    const splitter = new LineSplitter((content, isPartial) =>
      this.#log.add({ stamp: this.#stamp, stream, isPartial, content }),
    );
    this.#splitters.push(splitter);
    return new FifoReader({
      path,
      buffer: this.#workshop.input,
      onBytes: (bytes) => {
        // One for all lines that came together.
        this.#stamp = this.#workshop.time.stamp();
        splitter.push(bytes);
        this.#log.flush();
      },
      onDrained: () => {
        if (this.#isFinishing && this.isDrained) this.close();
      },
    });
  }
}
