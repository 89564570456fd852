// This side of a thread: sends requests, hears answers, and notices when it dies.

import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { StoreUnavailableError } from "../store.ts";
import { buffersOf, type Chunks } from "./packed-bytes.ts";

export interface StoreThreadOptions<Answer> {
  /** Of its file, without the extension. */
  readonly name: string;
  readonly directory: string;
  readonly onAnswer: (answer: Answer) => void;
}

export class StoreThread<Request extends { readonly kind: string }, Answer> {
  readonly #worker: Worker;
  /** Rejects when the thread ends before close(). Otherwise it resolves when it has ended. */
  readonly ended: Promise<void>;
  #isClosing = false;

  constructor({ name, directory, onAnswer }: StoreThreadOptions<Answer>) {
    // The sources run as they are, and compiled.
    const file = new URL(`./${name}${extname(import.meta.filename)}`, import.meta.url);
    this.#worker = new Worker(file, { name, workerData: { directory } });
    this.#worker.on("message", onAnswer);
    this.ended = new Promise((resolve, reject) => {
      this.#worker.once("error", (cause) => {
        reject(new StoreUnavailableError(`Cannot use the store: ${name} died`, { cause }));
      });
      this.#worker.once("exit", (code) => {
        if (this.#isClosing) resolve();
        else reject(new StoreUnavailableError(`Cannot use the store: ${name} ended with ${code}`));
      });
    });
    // Whoever waits for it hears it; a failure before that must not end the process.
    this.ended.catch(() => undefined);
  }

  /** The chunks of the request move over; nobody may use them here any more. */
  post(request: Request, chunks: Chunks = []): void {
    this.#worker.postMessage(request, buffersOf(chunks));
  }

  /** Lets it answer everything that it was sent before, and waits for its end. */
  async close(request: Request): Promise<void> {
    this.#isClosing = true;
    this.post(request);
    await this.ended;
  }
}
