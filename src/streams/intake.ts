// How much of a client's doing may be in memory. A connection carries several streams, and neither SPDY as kubectl speaks
// it nor WebSocket can hold back one of them: the whole connection is no longer read while too much waits, for the
// readers of its streams or for the client to take its answers (it may ask for many and read none).

/** A terminal's keys and sizes still come through while a program leaves as much unread. */
export const maxUnreadBytes = 1_048_576;
const maxUnansweredBytes = 65_536;

export interface IntakeOptions {
  readonly pause: () => void;
  readonly resume: () => void;
}

export class Intake {
  readonly #options: IntakeOptions;
  #unreadBytes = 0;
  #unansweredBytes = 0;
  #isPaused = false;

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  /** Bytes came for a stream and wait there. */
  add(bytes: number): void {
    this.#unreadBytes += bytes;
    this.#regulate();
  }

  /** They were read, or thrown away. */
  take(bytes: number): void {
    this.#unreadBytes -= bytes;
    this.#regulate();
  }

  /** An answer of this size is written; the function is to be called when it has left. */
  answer(bytes: number): () => void {
    this.#unansweredBytes += bytes;
    this.#regulate();
    return () => {
      this.#unansweredBytes -= bytes;
      this.#regulate();
    };
  }

  #regulate(): void {
    const share = Math.max(
      this.#unreadBytes / maxUnreadBytes,
      this.#unansweredBytes / maxUnansweredBytes,
    );
    if (!this.#isPaused && share > 1) {
      this.#isPaused = true;
      this.#options.pause();
    } else if (this.#isPaused && share <= 0.5) {
      this.#isPaused = false;
      this.#options.resume();
    }
  }
}
