// A source that says what a test lets it say.

import { aborted } from "../../base/abort.ts";
import { versionOf } from "../../base/content-version.ts";
import type { Source, SourceFile, SourceState } from "../source.ts";

export class FakeSource implements Source {
  readonly name: string;
  readonly #handlers = new Set<() => void>();
  #state: SourceState = { state: "waiting", problem: undefined };

  constructor(name: string, texts?: Readonly<Record<string, string>>) {
    this.name = name;
    if (texts !== undefined) this.set(texts);
  }

  current(): SourceState {
    return this.#state;
  }

  onChange(handler: () => void): Disposable {
    this.#handlers.add(handler);
    return { [Symbol.dispose]: () => void this.#handlers.delete(handler) };
  }

  set(texts: Readonly<Record<string, string>>): void {
    const data = Object.entries(texts).map(([path, text]) => ({ path, data: Buffer.from(text) }));
    const files = new Map<string, SourceFile>(
      data.map((one) => [one.path, { data: one.data, isSecret: false, origin: this.name }]),
    );
    this.#state = {
      state: "known",
      content: { files, version: versionOf(data) },
      problem: undefined,
    };
    for (const handler of this.#handlers) handler();
  }

  fail(problem: string): void {
    this.#state = { ...this.#state, problem };
    for (const handler of this.#handlers) handler();
  }

  async run(signal: AbortSignal): Promise<void> {
    await aborted(signal);
  }
}
