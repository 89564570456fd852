// What the signals that we get ask of us, besides being passed on: to end, or to leave the program alone because it may be about to end.

export interface RequestsOptions {
  /** A hang-up is the end of a terminal, and not a request to read files again. */
  readonly hasTerminal: boolean;
}

/** May end a program, or mean something else to it. */
const HOLDING: ReadonlySet<string> = new Set(["SIGINT", "SIGQUIT", "SIGWINCH"]);
/** End us while there is no program to decide. */
const ENDING: ReadonlySet<string> = new Set(["SIGINT", "SIGQUIT"]);

export class Requests {
  readonly #options: RequestsOptions;
  readonly #ending = new AbortController();
  #endSignal: NodeJS.Signals | undefined;
  #holds = 0;

  constructor(options: RequestsOptions) {
    this.#options = options;
  }

  /** Why we have to end; undefined: we do not. */
  get endSignal(): NodeJS.Signals | undefined {
    return this.#endSignal;
  }

  /** Aborted when we have to end. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  get isHeld(): boolean {
    return this.#holds > 0;
  }

  /** "hold": until release(). "between": one has ended or was asked to, and another one is to come. */
  take(
    signal: NodeJS.Signals,
    program: "never" | "between" | "running",
  ): "end" | "hold" | undefined {
    const { hasTerminal } = this.#options;
    const isHangUp = signal === "SIGHUP" && (hasTerminal || program === "never");
    const ends = program !== "running" && (ENDING.has(signal) || isHangUp);
    if (signal === "SIGTERM" || ends) {
      this.#endSignal ??= signal;
      this.#ending.abort();
      return "end";
    }
    if (!HOLDING.has(signal) && !isHangUp) return undefined;
    this.#holds++;
    return "hold";
  }

  /** Once for each "hold", when its time is over. */
  release(): void {
    this.#holds--;
  }
}
