// One informer per kind for all controllers of a process: ten of them that look at pods cost one watch and one copy.

import type { ApiObject } from "../api/object.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { Random } from "../base/random.ts";
import type { ApiClient } from "../client/api-client.ts";
import { Informer } from "../client/informer.ts";
import { listWatchOf } from "../client/list-watch.ts";
import type { ResourceKind } from "../client/resource-path.ts";
import { controllerOf } from "./owner.ts";

export interface InformersOptions {
  readonly client: ApiClient;
  /** The only one that is looked at; all if missing. */
  readonly namespace?: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** What every informer finds objects by. */
export const BY_NAMESPACE = "namespace";
/** `ownedBy` the controller that owns it; `orphansOf` its namespace if none does. */
export const BY_OWNER = "owner";
/** Pods: the node that they are bound to, "" for those that are not. */
export const BY_NODE = "node";

interface OwnerMetadata {
  readonly namespace?: string | undefined;
  readonly uid?: string | undefined;
}

export class Informers {
  readonly #options: InformersOptions;
  readonly #informers = new Map<string, Informer<ApiObject>>();
  #isRunning = false;

  constructor(options: InformersOptions) {
    this.#options = options;
  }

  /** The one of this kind. To be asked for before `run`. */
  of<T extends ApiObject>(kind: ResourceKind): Informer<T> {
    const name = `${kind.group}/${kind.version}/${kind.resource}`;
    const held = this.#informers.get(name) ?? this.#make(kind, name);
    return held as unknown as Informer<T>;
  }

  /** Settles when all have their first state. */
  async synced(): Promise<void> {
    await Promise.all(Array.from(this.#informers.values(), (informer) => informer.synced));
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#isRunning = true;
    await Promise.all(Array.from(this.#informers.values(), (informer) => informer.run(signal)));
  }

  #make(kind: ResourceKind, name: string): Informer<ApiObject> {
    if (this.#isRunning) throw new Error(`Cannot follow ${name}: the informers run already`);
    const { client, namespace, ...rest } = this.#options;
    const informer = new Informer<ApiObject>({
      listWatch: listWatchOf<ApiObject>({ client, kind, namespace }),
      indexers: {
        [BY_NAMESPACE]: ({ metadata }) => [metadata.namespace ?? ""],
        [BY_OWNER]: ownerOf,
        ...(kind.group === "" && kind.kind === "Pod" && { [BY_NODE]: nodeOf }),
      },
      startsWithNewest: true,
      ...rest,
    });
    this.#informers.set(name, informer);
    return informer;
  }
}

/** What those are found by that this one manages: in its own namespace only, since anybody may write any uid into a reference. */
export function ownedBy({ namespace = "", uid = "" }: OwnerMetadata): string {
  return `${namespace}/${uid}`;
}

/** What those in this namespace that no controller owns are found by. */
export function orphansOf(namespace: string): string {
  return ownedBy({ namespace });
}

function nodeOf({ ["spec"]: spec }: ApiObject): readonly string[] {
  const { nodeName } = (spec ?? {}) as { readonly nodeName?: string };
  return [nodeName ?? ""];
}

function ownerOf(object: ApiObject): readonly string[] {
  const { namespace } = object.metadata;
  return [ownedBy({ namespace, uid: controllerOf(object)?.uid })];
}
