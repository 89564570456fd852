// One object by its name, kept up to date. Made to be cheap: a node watches thousands of single ConfigMaps and Secrets, all
// over a few connections, and each has nothing of its own but a stream.

import type { ApiObject } from "../api/object.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { Random } from "../base/random.ts";
import type { ApiClient } from "./api-client.ts";
import { listWatchOf } from "./list-watch.ts";
import { type ChangeType, Reflector, type ReflectorSink } from "./reflector.ts";
import type { ResourceKind } from "./resource-path.ts";

export interface ObjectWatchOptions<T> {
  readonly client: ApiClient;
  readonly kind: ResourceKind;
  readonly namespace?: string | undefined;
  readonly name: string;
  /**
   * Called with the object when it is there or has changed, with undefined when it is not there or is gone, and always once
   * when the first state is known. Another uid means another object. What it throws is logged.
   */
  readonly onChange: (object: T | undefined, before: T | undefined) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

export class ObjectWatch<T extends ApiObject> implements ReflectorSink<T> {
  readonly #options: ObjectWatchOptions<T>;
  #object: T | undefined;
  #hasSynced = false;
  #failure: unknown;

  constructor(options: ObjectWatchOptions<T>) {
    this.#options = options;
  }

  /** Begins with the newest state that the server has. Run it again after it has ended, and it begins anew. */
  async run(signal: AbortSignal): Promise<void> {
    const { client, kind, namespace, name, clock, random, logger } = this.#options;
    const fieldSelector = `metadata.name=${name}`;
    const listWatch = listWatchOf<T>({ client, kind, namespace, fieldSelector });
    const parts = { clock, random, logger };
    await new Reflector({ listWatch, sink: this, startsWithNewest: true, ...parts }).run(signal);
    this.#hasSynced = false;
  }

  /** While it runs: whether `object` is what the server had, or that it had none. */
  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** What the server last refused with, if it has told of nothing since: Forbidden, for example. */
  get failure(): unknown {
    return this.#failure;
  }

  /** As it was last seen; it stays when the server cannot be reached. Not to be changed. */
  get object(): T | undefined {
    return this.#object;
  }

  /** For the reflector. */
  replace(items: readonly T[]): void {
    this.#failure = undefined;
    const [object] = items;
    const isNews = !this.#hasSynced || !isSameVersion(object, this.#object);
    this.#hasSynced = true;
    if (isNews) this.#set(object);
  }

  /** For the reflector. */
  event(type: ChangeType, object: T): void {
    this.#failure = undefined;
    if (type !== "DELETED") this.#set(object);
    else if (this.#object !== undefined) this.#set(undefined);
  }

  /** For the reflector. */
  failed(err: unknown): void {
    this.#failure = err;
  }

  /** For the reflector. */
  held(): T | undefined {
    return this.#object;
  }

  #set(object: T | undefined): void {
    const { onChange, logger, namespace, name, kind } = this.#options;
    const before = this.#object;
    this.#object = object;
    try {
      onChange(object, before);
    } catch (err) {
      logger.error("handler failed", { err, resource: kind.resource, namespace, name });
    }
  }
}

function isSameVersion(one: ApiObject | undefined, other: ApiObject | undefined): boolean {
  return (
    one?.metadata.uid === other?.metadata.uid &&
    one?.metadata.resourceVersion === other?.metadata.resourceVersion
  );
}
