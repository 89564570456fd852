// One version of one object, as bytes that are ready to send and, on demand, as a value.
//
// Stored bytes begin with kind, apiVersion and metadata, and lack the resourceVersion, which is known only after the
// write. So the answer is made of the stored bytes by putting the revision in behind `"metadata":{`: an object is
// serialised once in its life, however many read it.

import { inspect } from "node:util";
import { apiVersionOf, type Kind } from "../../api/kind.ts";
import type { ApiObject } from "../../api/object.ts";

/** How the bytes of a kind begin. */
export class ObjectHead {
  /** `{"kind":"ConfigMap","apiVersion":"v1","metadata":{` */
  readonly bytes: Buffer;
  /** Where `"metadata"` begins: what comes before is left out in lists. */
  readonly itemOffset: number;

  constructor(kind: Pick<Kind, "group" | "version" | "kind">) {
    const type = `{"kind":${JSON.stringify(kind.kind)},"apiVersion":${JSON.stringify(apiVersionOf(kind))},`;
    this.bytes = Buffer.from(`${type}"metadata":{`);
    this.itemOffset = Buffer.byteLength(type);
  }
}

export class CachedObject {
  static {
    // It may be a Secret: whoever prints one by accident sees which, and nothing of it.
    Object.defineProperty(CachedObject.prototype, inspect.custom, {
      value(this: CachedObject): string {
        return this.toString();
      },
    });
  }

  /** "namespace/name", or "name" for kinds without namespaces. */
  readonly key: string;
  readonly revision: bigint;
  /** The whole object in JSON. Shared: never changed. */
  readonly bytes: Buffer;
  readonly #head: ObjectHead;
  #object: ApiObject | undefined;

  private constructor(options: {
    readonly key: string;
    readonly revision: bigint;
    readonly bytes: Buffer;
    readonly head: ObjectHead;
    readonly object?: ApiObject | undefined;
  }) {
    this.key = options.key;
    this.revision = options.revision;
    this.bytes = options.bytes;
    this.#head = options.head;
    this.#object = options.object;
  }

  /** Throws if the stored bytes are not an object of this kind. */
  static fromStored(options: {
    readonly key: string;
    readonly value: Uint8Array;
    readonly revision: bigint;
    readonly head: ObjectHead;
  }): CachedObject {
    const { key, value, revision, head } = options;
    return new CachedObject({ key, revision, head, bytes: spliced(head, value, revision) });
  }

  /** The same content at another revision: what a watcher is shown when the object leaves its view. */
  at(revision: bigint): CachedObject {
    const { key } = this;
    const head = this.#head;
    const old = `"resourceVersion":"${this.revision}",`.length;
    const rest = this.bytes.subarray(head.bytes.length + old);
    const bytes = Buffer.concat([head.bytes, revisionField(revision), rest]);
    return new CachedObject({ key, revision, head, bytes });
  }

  /** Without kind and apiVersion, as lists show it. Two pieces, so that nothing is copied. */
  item(): readonly [Buffer, Buffer] {
    return [openBrace, this.bytes.subarray(this.#head.itemOffset)];
  }

  /** Shared by all readers: never change it. */
  get object(): ApiObject {
    this.#object ??= JSON.parse(this.bytes.toString()) as ApiObject;
    return this.#object;
  }

  /** True if these stored bytes say the same: a write would change nothing. */
  hasContent(stored: Buffer): boolean {
    const start = this.#head.bytes.length;
    const old = start + `"resourceVersion":"${this.revision}",`.length;
    return (
      stored.length - start === this.bytes.length - old &&
      stored.compare(this.bytes, old, undefined, start) === 0
    );
  }

  toString(): string {
    return `[object ${this.key} at ${this.revision}]`;
  }

  toJSON(): string {
    return this.toString();
  }

  /** Keeps only the bytes: it is no longer the current version, and few will ask. */
  release(): void {
    this.#object = undefined;
  }

  /** Spares the parsing when the writer still has the value. */
  adopt(object: ApiObject): void {
    this.#object ??= object;
  }
}

/** What is stored: without the resourceVersion, and beginning with the kind's head. */
export function encodeForStore(
  kind: Pick<Kind, "group" | "version" | "kind">,
  object: ApiObject,
): Buffer {
  const { kind: _, apiVersion: __, metadata, ...rest } = object;
  return Buffer.from(
    JSON.stringify({
      kind: kind.kind,
      apiVersion: apiVersionOf(kind),
      metadata: { ...metadata, resourceVersion: undefined },
      ...rest,
    }),
  );
}

const openBrace = Buffer.from("{");

function spliced(head: ObjectHead, value: Uint8Array, revision: bigint): Buffer {
  const stored = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  const { length } = head.bytes;
  if (stored.compare(head.bytes, 0, length, 0, length) === 0 && stored[length] === quote) {
    return Buffer.concat([head.bytes, revisionField(revision), stored.subarray(length)]);
  }
  throw new Error(
    `Cannot read a stored object: it begins with ${JSON.stringify(stored.subarray(0, 60).toString())}`,
  );
}

function revisionField(revision: bigint): Buffer {
  return Buffer.from(`"resourceVersion":"${revision}",`);
}

const quote = 0x22;
