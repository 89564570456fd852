// One watch of one client: what it is interested in, and where its frames go.

import type { CacheEvent, EventEncoder, EventType } from "./cache-event.ts";
import type { CachedObject } from "./cached-object.ts";

/** Where frames go. `send` never blocks: a sink that is too far behind ends itself and says so. */
export interface WatchSink {
  /** False when the watcher is gone or was dropped: it will not take any more. */
  send(frame: Buffer): boolean;
  /** The client is told to list again; nothing follows. */
  expire(message: string): void;
  /** A clean end. */
  end(): void;
}

/** Which objects a watcher can be interested in at all; the narrowest index that holds them is used. */
export type WatchScope =
  | { readonly by: "all" }
  | { readonly by: "namespace"; readonly namespace: string }
  | { readonly by: "object"; readonly key: string }
  /** The kind's indexed field, such as the node of a pod. */
  | { readonly by: "field"; readonly value: string };

export interface WatcherOptions {
  readonly scope: WatchScope;
  /** Beyond the scope; undefined if everything in scope matches. */
  readonly matches: ((object: CachedObject) => boolean) | undefined;
  readonly encoder: EventEncoder;
  readonly sink: WatchSink;
  /** Wants to hear how far it is, now and then. */
  readonly bookmarks: boolean;
  /** Monotonic time. */
  readonly nowMs: number;
}

export class Watcher {
  readonly scope: WatchScope;
  readonly bookmarks: boolean;
  readonly encoder: EventEncoder;
  readonly sink: WatchSink;
  /** Monotonic time of the last bookmark, or of the beginning. */
  markedMs: number;
  readonly #matches: ((object: CachedObject) => boolean) | undefined;

  constructor(options: WatcherOptions) {
    this.scope = options.scope;
    this.bookmarks = options.bookmarks;
    this.encoder = options.encoder;
    this.sink = options.sink;
    this.markedMs = options.nowMs;
    this.#matches = options.matches;
  }

  /** False when the watcher takes no more. */
  deliver(event: CacheEvent): boolean {
    const frame = this.frameOf(event);
    return frame === undefined || this.sink.send(frame);
  }

  /** What the watcher is sent of an event; undefined if it does not see it. */
  frameOf(event: CacheEvent): Buffer | undefined {
    const type = this.#typeOf(event);
    return type && event.frame(type, this.encoder);
  }

  isInterestedIn(object: CachedObject): boolean {
    return this.#matches?.(object) ?? true;
  }

  /** What the event is for someone who sees only what the selector selects. */
  #typeOf(event: CacheEvent): EventType | undefined {
    if (this.#matches === undefined) return event.type;
    const before = event.previous !== undefined && this.#matches(event.previous);
    const after = event.type !== "DELETED" && this.#matches(event.object);
    if (before) return after ? "MODIFIED" : "DELETED";
    return after ? "ADDED" : undefined;
  }
}
