// Contents of one object that have no revision yet, in their order. There are never more than revisions are kept: an older one would be removed
// as soon as it was made.

import { objectVersion } from "../../base/object-content.ts";
import type { CachedObject } from "../cache/cached-object.ts";
import type { HistoricKind } from "./revision-object.ts";

export interface PendingContent {
  readonly cached: CachedObject;
  /** Wall-clock time, for people. */
  readonly changedAtMs: number;
  /** Monotonic. Before it, the revision is left to the server that took the write. */
  readonly leftUntilMs: number;
  /** Who wrote it, through this server. Undefined: not through this one, or its write has not come back yet. */
  author: string | undefined;
  /** Made when it is first asked for. */
  hash: string | undefined;
}

export interface PendingOptions {
  readonly kind: HistoricKind;
  readonly limit: number;
  /** Told by how many bytes there are more or less. */
  readonly onBytes: (difference: number) => void;
}

export class PendingContents {
  readonly #options: PendingOptions;
  #contents: PendingContent[] = [];

  constructor(options: PendingOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#contents.length;
  }

  get head(): PendingContent | undefined {
    return this.#contents[0];
  }

  has(revision: bigint): boolean {
    return this.#contents.some(({ cached }) => cached.revision === revision);
  }

  push(content: PendingContent): void {
    this.#contents.push(content);
    this.#options.onBytes(content.cached.bytes.length);
    if (this.#contents.length <= this.#options.limit) return;
    this.#mergeSame();
    this.keepNewest(this.#options.limit);
  }

  /** Whose write it was. Nothing if it was dropped meanwhile. */
  wrote(revision: bigint, author: string): void {
    const found = this.#contents.findLast(({ cached }) => cached.revision === revision);
    if (found !== undefined) found.author = author;
  }

  /** Removes what need not be looked at again: this one, and all before it. */
  doneWith(revision: bigint): void {
    while (this.head !== undefined && this.head.cached.revision <= revision) this.#dropHead();
  }

  keepNewest(count: number): void {
    while (this.#contents.length > count) this.#dropHead();
  }

  clear(): void {
    this.keepNewest(0);
  }

  hashOf(content: PendingContent): string {
    content.hash ??= objectVersion(this.#options.kind, content.cached.object);
    return content.hash;
  }

  /** Changes of metadata alone must not push contents out. The first of equal ones made the change. */
  #mergeSame(): void {
    const kept: PendingContent[] = [];
    for (const content of this.#contents) {
      const last = kept.at(-1);
      if (last !== undefined && this.hashOf(last) === this.hashOf(content)) {
        this.#options.onBytes(-content.cached.bytes.length);
      } else kept.push(content);
    }
    this.#contents = kept;
  }

  #dropHead(): void {
    const dropped = this.#contents.shift();
    if (dropped !== undefined) this.#options.onBytes(-dropped.cached.bytes.length);
  }
}
