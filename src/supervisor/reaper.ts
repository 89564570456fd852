// Zombies, for the first process of a container: whoever loses its parent becomes its child, and stays in the process table until it is
// waited for. Node waits for what it has started, one by one; all others are let go here, and never one of Node's, whose end it would miss.

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Clock } from "../base/clock.ts";

interface Started {
  readonly pid?: number | undefined;
  once(event: "exit" | "error", listener: () => void): unknown;
}

export interface ReaperOptions {
  /** A child that has ended, and is not waited for; it stays so. */
  readonly endedChild: () => number | undefined;
  /** Waits for it. */
  readonly forgetChild: (pid: number) => boolean;
  readonly clock: Clock;
}

/** Node hears of its own children in the same turn; this is for a turn that takes long. */
const AGAIN_MS = 20;
/** A signal may stand for many ends, and one that comes while Node starts may be lost. */
const NET_MS = 10_000;
/** What Node says whenever it starts a process, whoever asks it to. */
const CHANNEL = "child_process";

export class Reaper implements Disposable {
  readonly #options: ReaperOptions;
  readonly #own = new Set<Started>();
  #timer: Disposable | undefined;
  #count = 0;

  constructor(options: ReaperOptions) {
    this.#options = options;
  }

  /** How many it has let go. */
  get count(): number {
    return this.#count;
  }

  /** Before the first process is started. */
  start(): void {
    subscribe(CHANNEL, this.#onStart);
    process.on("SIGCHLD", this.#look);
    this.#look();
  }

  [Symbol.dispose](): void {
    unsubscribe(CHANNEL, this.#onStart);
    process.off("SIGCHLD", this.#look);
    this.#timer?.[Symbol.dispose]();
  }

  readonly #onStart = (message: unknown): void => {
    const { process: started } = message as { readonly process: Started };
    this.#own.add(started);
    const forget = (): void => void this.#own.delete(started);
    started.once("exit", forget);
    started.once("error", () => started.pid === undefined && forget());
  };

  readonly #look = (): void => {
    const { endedChild, forgetChild, clock } = this.#options;
    this.#timer?.[Symbol.dispose]();
    let nextMs = NET_MS;
    for (let pid = endedChild(); pid !== undefined; pid = endedChild()) {
      if (this.#isOwn(pid)) {
        // Others may be behind it: it is Node's turn first.
        nextMs = AGAIN_MS;
        break;
      }
      if (!forgetChild(pid)) break;
      this.#count++;
    }
    this.#timer = clock.schedule(nextMs, this.#look);
  };

  #isOwn(wanted: number): boolean {
    return [...this.#own].some(({ pid }) => pid === wanted);
  }
}
