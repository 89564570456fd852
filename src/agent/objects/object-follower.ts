// Follows one object: a reflector over a list of one name. It also tells what an ObjectWatch keeps to itself: at which version of
// the server each state was, which question it answers, and whether changes can be heard of at this moment.

import type { ApiObject } from "../../api/object.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Random } from "../../base/random.ts";
import type { ApiClient } from "../../client/api-client.ts";
import { type ListWatch, listWatchOf, type WatchEvent } from "../../client/list-watch.ts";
import { type ChangeType, Reflector, type ReflectorSink } from "../../client/reflector.ts";
import type { ObjectReference } from "./config-object.ts";
import { decodedObject, resourceKinds, type Seen } from "./object-source.ts";

/** Who is told. Nothing here may throw. */
export interface FollowerTarget<Question> {
  /** Called when the server is asked for the state. What comes back is handed over with the answer. */
  asks(): Question;
  /** `isNewest`: nothing older than what the server had when it was asked. */
  state(seen: Seen, answering: { readonly question: Question; readonly isNewest: boolean }): void;
  event(seen: Seen): void;
  /** The server does not do what it should, and is asked again after a pause. */
  failed(err: unknown): void;
  /** Whether what was told is complete and further changes are heard of. */
  following(isFollowing: boolean): void;
}

export interface FollowerParts {
  readonly client: ApiClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Run it once. */
export class ObjectFollower<Question> implements ReflectorSink<ApiObject> {
  readonly #of: ObjectReference;
  readonly #parts: FollowerParts;
  readonly #target: FollowerTarget<Question>;
  /** The last one that was asked for the state: a reflector asks one thing at a time. */
  #asked: { readonly question: Question; readonly isNewest: boolean } | undefined;
  #isOpen = false;

  constructor(of: ObjectReference, parts: FollowerParts, target: FollowerTarget<Question>) {
    this.#of = of;
    this.#parts = parts;
    this.#target = target;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, logger } = this.#parts;
    const listWatch = this.#observed();
    const parts = { clock, random, logger };
    await new Reflector({ listWatch, sink: this, startsWithNewest: true, ...parts }).run(signal);
  }

  /** For the reflector. */
  replace(items: readonly ApiObject[], asOf: string): void {
    const [item] = items;
    const object = item && decodedObject(this.#of.kind, item);
    if (this.#asked !== undefined) this.#target.state({ object, asOf }, this.#asked);
    this.#target.following(this.#isOpen);
  }

  /** For the reflector. */
  event(type: ChangeType, item: ApiObject): void {
    const asOf = item.metadata.resourceVersion ?? "";
    const object = type === "DELETED" ? undefined : decodedObject(this.#of.kind, item);
    this.#target.event({ object, asOf });
  }

  /** For the reflector. */
  failed(err: unknown): void {
    this.#target.failed(err);
  }

  /** For the reflector: what is old is sorted out by the target, which knows of more than this. */
  held(): undefined {
    return undefined;
  }

  #observed(): ListWatch<ApiObject> {
    const { kind, namespace, name } = this.#of;
    const fieldSelector = `metadata.name=${name}`;
    const { client } = this.#parts;
    const inner = listWatchOf<ApiObject>({
      client,
      kind: resourceKinds[kind],
      namespace,
      fieldSelector,
    });
    return {
      ...inner,
      list: (version, signal) => {
        this.#asks(version);
        return inner.list(version, signal);
      },
      watch: async (parameters, signal) => {
        const { sendInitialEvents, resourceVersion } = parameters;
        if (sendInitialEvents) this.#asks(resourceVersion);
        const events = await inner.watch(parameters, signal);
        this.#isOpen = true;
        if (!sendInitialEvents) this.#target.following(true);
        return this.#untilClosed(events);
      },
    };
  }

  #asks(version: string): void {
    this.#asked = { question: this.#target.asks(), isNewest: version === "" };
  }

  async *#untilClosed(events: AsyncIterable<WatchEvent>): AsyncGenerator<WatchEvent> {
    try {
      yield* events;
    } finally {
      this.#isOpen = false;
      this.#target.following(false);
    }
  }
}
