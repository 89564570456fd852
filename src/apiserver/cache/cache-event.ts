// One change of one object, encoded at most once per form for all who watch.

import type { StatusError } from "../../api/status-error.ts";
import type { CachedObject } from "./cached-object.ts";

export type EventType = "ADDED" | "MODIFIED" | "DELETED";

/** Turns an object into what one kind of watcher is sent. */
export interface EventEncoder {
  /** Encoders with the same id give the same bytes, which are then made once. Undefined: shares with nobody. */
  readonly id: string | undefined;
  encode(type: EventType, object: CachedObject): Buffer;
  /** Says how far the watch is; `endsInitial` marks that what existed before has been sent. */
  bookmark(revision: bigint, endsInitial: boolean): Buffer;
  error(error: StatusError): Buffer;
}

export class CacheEvent {
  readonly revision: bigint;
  readonly type: EventType;
  /** The new state. For DELETED the last one, with the revision of the deletion. */
  readonly object: CachedObject;
  /** The state before. Undefined for ADDED. */
  readonly previous: CachedObject | undefined;
  /** By type and encoder: the type depends on the watcher's selector. */
  readonly #frames = new Map<string, Buffer>();
  #left: CachedObject | undefined;

  constructor(options: {
    readonly type: EventType;
    readonly object: CachedObject;
    readonly previous: CachedObject | undefined;
  }) {
    this.revision = options.object.revision;
    this.type = options.type;
    this.object = options.object;
    this.previous = options.previous;
  }

  frame(type: EventType, encoder: EventEncoder): Buffer {
    if (encoder.id === undefined) return encoder.encode(type, this.#shown(type));
    const id = `${type} ${encoder.id}`;
    let frame = this.#frames.get(id);
    if (frame === undefined) {
      frame = encoder.encode(type, this.#shown(type));
      this.#frames.set(id, frame);
    }
    return frame;
  }

  /** All who watched have it: what is kept for those who come later is the object alone. */
  release(): void {
    this.#frames.clear();
    this.#left = undefined;
    this.previous?.release();
  }

  /** Whoever sees the object leave is shown its last content with the revision of the change. */
  #shown(type: EventType): CachedObject {
    if (type !== "DELETED" || this.type === "DELETED") return this.object;
    this.#left ??= (this.previous ?? this.object).at(this.revision);
    return this.#left;
  }
}
