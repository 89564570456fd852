// Tells the API server what happened. Recording costs nothing and never waits: events go into a bounded queue and from there to
// the server, one after the other. When the server is away for long the oldest are lost; nothing else ever waits for them.

import { apiTime } from "../api/api-time.ts";
import { kindOf } from "../api/kinds.ts";
import type { ApiObject } from "../api/object.ts";
import { isAlreadyExists, isNotFound, StatusError } from "../api/status-error.ts";
import type { Event, ObjectReference } from "../api/types.ts";
import { isAbort } from "../base/abort.ts";
import { AsyncQueue } from "../base/async-queue.ts";
import { Backoff } from "../base/backoff.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { Random } from "../base/random.ts";
import type { ApiClient } from "../client/api-client.ts";
import { ResourceClient } from "../client/resource-client.ts";
import { EventCorrelator } from "./event-correlator.ts";

export interface NewEvent {
  readonly object: ObjectReference;
  readonly type: "Normal" | "Warning";
  /** One CamelCase word: "FailedMount". */
  readonly reason: string;
  /** For people. Never a secret. */
  readonly message: string;
}

/** Whoever can be told of events. */
export interface Events {
  record(event: NewEvent): void;
}

export interface EventRecorderOptions {
  readonly client: ApiClient;
  /** Who says so: "driftless-agent". */
  readonly component: string;
  /** Where; "" for parts that belong to no machine. */
  readonly host: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

const MAX_QUEUED = 1000;
/** As client-go: then the event is given up. */
const MAX_TRIES = 12;
const MAX_MESSAGE_LENGTH = 1024;
const MAX_NAME_LENGTH = 253;

const kind = kindOf("v1", "Event");

export class EventRecorder implements Events {
  readonly #options: EventRecorderOptions;
  readonly #events: ResourceClient<Event & ApiObject>;
  readonly #correlator: EventCorrelator;
  readonly #queue = new AsyncQueue<Event, "dropOldest">({
    capacity: MAX_QUEUED,
    whenFull: "dropOldest",
  });
  #isOver = false;
  #count = 0;

  constructor(options: EventRecorderOptions) {
    if (kind === undefined) throw new Error("Cannot record events: the API has no such kind");
    this.#options = options;
    this.#events = new ResourceClient<Event & ApiObject>(options.client, kind);
    this.#correlator = new EventCorrelator(options.clock);
  }

  /** How many were lost because the server did not take them in time. */
  get dropped(): number {
    return this.#queue.dropped;
  }

  record(event: NewEvent): void {
    if (!this.#isOver) this.#queue.push(this.#complete(event));
  }

  /** What is still queued when `signal` aborts is lost. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = (): void => {
      this.#isOver = true;
      this.#queue.abort(signal.reason);
    };
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    try {
      for await (const event of this.#queue) await this.#tell(event, signal);
    } catch (err) {
      if (!isAbort(err, signal)) throw err;
    } finally {
      signal.removeEventListener("abort", stop);
      this.#isOver = true;
    }
  }

  async #tell(event: Event, signal: AbortSignal): Promise<void> {
    const { clock, random, logger } = this.#options;
    const correlated = this.#correlator.correlate(event);
    if (correlated.do === "drop") return;
    const pause = new Backoff({
      ...{ baseMs: 500, factor: 2, maxMs: 30_000, jitter: 0.5, resetAfterMs: 60_000 },
      ...{ clock, random },
    });
    for (let tries = 1; ; tries++) {
      try {
        await this.#send(correlated, signal);
        return;
      } catch (err) {
        if (signal.aborted) throw err;
        if (isRefusal(err) || tries === MAX_TRIES) {
          const { namespace, name } = event.involvedObject;
          logger.warn("event lost", { err, reason: event.reason, namespace, name });
          return;
        }
      }
      await pause.wait(signal);
    }
  }

  async #send(
    { do: what, event }: { readonly do: "create" | "count"; readonly event: Event },
    signal: AbortSignal,
  ): Promise<void> {
    const { namespace, name = "" } = event.metadata;
    if (what === "count") {
      const { count, lastTimestamp, message } = event;
      const patch = { count, lastTimestamp, message };
      try {
        await this.#events.patch({ namespace, name }, patch, { type: "strategic", signal });
        return;
      } catch (err) {
        // Events do not live long: this one has gone meanwhile.
        if (!isNotFound(err)) throw err;
      }
    }
    try {
      await this.#events.create(event as Event & ApiObject, { signal });
    } catch (err) {
      // The answer to an earlier try was lost on its way.
      if (!isAlreadyExists(err)) throw err;
    }
  }

  #complete({ object, type, reason, message }: NewEvent): Event {
    const { component, host, clock } = this.#options;
    const nowMs = clock.now();
    const at = apiTime(nowMs);
    // Nanoseconds in the original; here the last digits count events, so that no two have the same name.
    const stamp = (BigInt(nowMs) * 1_000_000n + BigInt(this.#count++ % 1_000_000)).toString(16);
    const name = `${(object.name ?? "").slice(0, MAX_NAME_LENGTH - 1 - stamp.length)}.${stamp}`;
    return {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name, namespace: object.namespace || "default" },
      involvedObject: object,
      reason,
      message: shortened(message),
      source: { component, ...(host !== "" && { host }) },
      firstTimestamp: at,
      lastTimestamp: at,
      count: 1,
      type,
      eventTime: null,
      reportingComponent: component,
      reportingInstance: host,
    };
  }
}

/** For machines without a server: events are lines of the log. */
export function loggedEvents(logger: Logger): Events {
  return {
    record({ object, type, reason, message }) {
      const { namespace, name } = object;
      const fields = { namespace, name, type, reason, text: message };
      if (type === "Warning") logger.warn("event", fields);
      else logger.info("event", fields);
    },
  };
}

/** The server has read it and does not want it: it will not want it the next time either. */
function isRefusal(err: unknown): boolean {
  return err instanceof StatusError && err.code < 500 && err.code !== 429;
}

/** Servers refuse longer ones. */
function shortened(message: string): string {
  if (message.length <= MAX_MESSAGE_LENGTH) return message;
  return `${message.slice(0, MAX_MESSAGE_LENGTH - 3)}...`;
}
