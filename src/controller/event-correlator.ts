// Keeps events from becoming a flood. Three steps, each as client-go does it: ten or more that differ only in their message
// become one; one that is there already is counted; and nobody may tell more than a bucket of 25 about one object, which fills by one
// every five minutes. What it remembers is bounded: the oldest goes.

import type { Event } from "../api/types.ts";
import type { Clock } from "../base/clock.ts";

const MAX_SIMILAR = 10;
const SIMILAR_WITHIN_MS = 600_000;
const BURST = 25;
const REFILL_MS = 300_000;
const MAX_REMEMBERED = 4096;

export type Correlated =
  | { readonly do: "create"; readonly event: Event }
  /** The event of this name is on the server already, and is now as `event` says. */
  | { readonly do: "count"; readonly event: Event }
  | { readonly do: "drop" };

interface Similar {
  readonly messages: Set<string>;
  lastMs: number;
}

interface Seen {
  readonly name: string;
  readonly firstTimestamp: string | null;
  readonly count: number;
}

interface Bucket {
  tokens: number;
  filledMs: number;
}

export class EventCorrelator {
  readonly #clock: Clock;
  readonly #similar = new Recent<Similar>();
  readonly #seen = new Recent<Seen>();
  readonly #buckets = new Recent<Bucket>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `event` is complete, as it would be created. */
  correlate(event: Event): Correlated {
    const { event: told, key } = this.#aggregated(event);
    const seen = this.#seen.get(key);
    const { firstTimestamp = null } = seen ?? told;
    const count = (seen?.count ?? 0) + 1;
    const name = seen?.name ?? told.metadata.name ?? "";
    this.#seen.set(key, { name, firstTimestamp, count });
    if (!this.#mayTell(event)) return { do: "drop" };
    const counted = { ...told, metadata: { ...told.metadata, name }, firstTimestamp, count };
    return { do: seen === undefined ? "create" : "count", event: counted };
  }

  #aggregated(event: Event): { readonly event: Event; readonly key: string } {
    const { message = "" } = event;
    const key = keyOf(event, event.reason);
    const nowMs = this.#clock.monotonicMs();
    let similar = this.#similar.get(key);
    if (similar === undefined || nowMs - similar.lastMs > SIMILAR_WITHIN_MS) {
      similar = { messages: new Set(), lastMs: nowMs };
    }
    similar.messages.add(message);
    similar.lastMs = nowMs;
    this.#similar.set(key, similar);
    if (similar.messages.size < MAX_SIMILAR) {
      return { event, key: keyOf(event, event.reason, event.involvedObject.fieldPath, message) };
    }
    const [oldest = message] = similar.messages;
    similar.messages.delete(oldest);
    return { event: { ...event, message: `(combined from similar events): ${message}` }, key };
  }

  #mayTell(event: Event): boolean {
    const key = keyOf(event);
    const nowMs = this.#clock.monotonicMs();
    const bucket = this.#buckets.get(key) ?? { tokens: BURST, filledMs: nowMs };
    bucket.tokens = Math.min(BURST, bucket.tokens + (nowMs - bucket.filledMs) / REFILL_MS);
    bucket.filledMs = nowMs;
    this.#buckets.set(key, bucket);
    if (bucket.tokens < 1) return false;
    bucket.tokens--;
    return true;
  }
}

function keyOf(event: Event, ...more: readonly (string | undefined)[]): string {
  const { source, involvedObject, type } = event;
  const { kind, namespace, name, uid, apiVersion } = involvedObject;
  return JSON.stringify([
    source.component,
    source.host,
    ...[kind, namespace, name, uid, apiVersion, type],
    ...more,
  ]);
}

/** A map that forgets what was not set for the longest time. */
class Recent<V> {
  readonly #map = new Map<string, V>();

  get(key: string): V | undefined {
    return this.#map.get(key);
  }

  set(key: string, value: V): void {
    this.#map.delete(key);
    this.#map.set(key, value);
    const [oldest] = this.#map.keys();
    if (this.#map.size > MAX_REMEMBERED && oldest !== undefined) this.#map.delete(oldest);
  }
}
