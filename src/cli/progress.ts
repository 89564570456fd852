// One line that says what is waited for, for people at a terminal; it is not there before it is worth reading, and leaves nothing behind.

import type { CliContext } from "./cli-context.ts";

/** Most things are done by then. */
const SHOW_AFTER_MS = 700;
const TICK_MS = 1000;

export class Progress implements Disposable {
  readonly #context: Pick<CliContext, "streams" | "clock">;
  #timer: Disposable | undefined;
  #isShown = false;

  constructor(context: Pick<CliContext, "streams" | "clock">) {
    this.#context = context;
  }

  /** Until it is disposed. */
  show(text: string): Disposable {
    const { streams, clock } = this.#context;
    if (!streams.isWatched) return { [Symbol.dispose]: () => undefined };
    const beganMs = clock.monotonicMs();
    const draw = (): void => {
      const seconds = Math.round((clock.monotonicMs() - beganMs) / 1000);
      streams.stderr.write(`\r\x1b[K${text} (${seconds}s)`);
      this.#isShown = true;
      this.#timer = clock.schedule(TICK_MS, draw);
    };
    this.#timer = clock.schedule(SHOW_AFTER_MS, draw);
    return this;
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    if (this.#isShown) this.#context.streams.stderr.write("\r\x1b[K");
    this.#isShown = false;
  }
}
