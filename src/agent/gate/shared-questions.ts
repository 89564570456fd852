// A question that many ask at once is asked once; who comes while it is under way waits for the next, since the answer to this one may be older
// than they are.

interface Asked {
  readonly done: Promise<void>;
  /** For all who came since. */
  next: Promise<void> | undefined;
}

export class SharedQuestions {
  /** What is under way. */
  readonly #asked = new Map<string, Asked>();

  /** Settles with the answer to a question that was put after the call. */
  ask(about: string, question: (about: string) => Promise<void>): Promise<void> {
    const asked = this.#asked.get(about);
    if (asked === undefined) return this.#put(about, question);
    const again = (): Promise<void> => this.#put(about, question);
    asked.next ??= asked.done.then(again, again);
    return asked.next;
  }

  #put(about: string, question: (about: string) => Promise<void>): Promise<void> {
    const done = question(about);
    const asked: Asked = { done, next: undefined };
    this.#asked.set(about, asked);
    const over = (): void => {
      if (this.#asked.get(about) === asked && asked.next === undefined) this.#asked.delete(about);
    };
    done.then(over, over);
    return done;
  }
}
