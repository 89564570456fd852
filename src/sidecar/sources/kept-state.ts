// What a source knows, kept through faults: a content is replaced by a newer one and by nothing else. Handlers hear when the content, or what is wrong with it, changes.

import { compareUtf8, versionOf } from "../../base/content-version.ts";
import type { SourceContent, SourceFile, SourceState } from "../source.ts";

export class KeptState {
  #state: SourceState = { state: "waiting", problem: undefined };
  readonly #handlers = new Set<() => void>();

  current(): SourceState {
    return this.#state;
  }

  onChange(handler: () => void): Disposable {
    // Each registration is its own, whoever's function it is.
    const own = (): void => handler();
    this.#handlers.add(own);
    return { [Symbol.dispose]: () => this.#handlers.delete(own) };
  }

  /** The content is this; `problem` is what may be wrong with it nevertheless. */
  know(files: ReadonlyMap<string, SourceFile>, problem?: string): void {
    const content = contentOf(files);
    const before = this.#state;
    const isSame = before.state === "known" && isSameContent(before.content, content);
    // The same content stays the same object, for whoever compares.
    const kept = isSame ? before.content : content;
    this.#set({ state: "known", content: kept, problem }, !isSame);
  }

  /** The content stays. Undefined: all is well again. */
  fail(problem: string | undefined): void {
    this.#set({ ...this.#state, problem }, false);
  }

  #set(next: SourceState, isNews: boolean): void {
    const isTold = isNews || next.problem !== this.#state.problem;
    this.#state = next;
    if (isTold) for (const handler of this.#handlers) handler();
  }
}

/** The version does not say what is secret, and where it goes. */
function isSameContent(one: SourceContent, other: SourceContent): boolean {
  if (one.version !== other.version) return false;
  return [...other.files].every(([name, { isSecret, folder }]) => {
    const file = one.files.get(name);
    return file?.isSecret === isSecret && file.folder === folder;
  });
}

/** In the order of names; the version is of names and contents. */
export function contentOf(files: ReadonlyMap<string, SourceFile>): SourceContent {
  const sorted = [...files].toSorted(([a], [b]) => compareUtf8(a, b));
  const version = versionOf(sorted.map(([path, { data }]) => ({ path, data })));
  return { files: new Map(sorted), version };
}
