// What there is of ConfigMaps and Secrets, as far as this controller looks at all of them: metadata. Contents are read one by one, of
// sources that ask for it, and are not kept.

import type { ApiObject } from "../../api/object.ts";
import { type Change, Informer } from "../../client/informer.ts";
import { listWatchOf } from "../../client/list-watch.ts";
import { ResourceClient } from "../../client/resource-client.ts";
import type { ControllerContext } from "../../controller/controller-context.ts";
import { OwnWrites } from "../../controller/own-writes.ts";
import { servedKind } from "../pods/pod-object.ts";
import type { SourceObject } from "./config-copy.ts";
import {
  isVersioned,
  newestSince,
  type SourceKind,
  type SourceName,
  sourceKey,
  sourceNameOf,
  sourceOfCopy,
} from "./versioned-names.ts";

export const SOURCE_KINDS: readonly SourceKind[] = ["ConfigMap", "Secret"];
const BY_SOURCE = "source";
const BY_HOME = "home";

export class ConfigObjects {
  readonly #informers: Readonly<Record<SourceKind, Informer<ApiObject>>>;
  readonly #clients: Readonly<Record<SourceKind, ResourceClient<SourceObject>>>;
  readonly #own: Readonly<Record<SourceKind, OwnWrites>>;

  constructor(context: ControllerContext) {
    const { client, clock } = context;
    const clientOf = (kind: SourceKind): ResourceClient<SourceObject> =>
      new ResourceClient<SourceObject>(client, servedKind("v1", kind));
    this.#informers = {
      ConfigMap: metadataInformer(context, "ConfigMap"),
      Secret: metadataInformer(context, "Secret"),
    };
    this.#clients = { ConfigMap: clientOf("ConfigMap"), Secret: clientOf("Secret") };
    this.#own = {
      ConfigMap: new OwnWrites({ informer: this.#informers.ConfigMap, clock }),
      Secret: new OwnWrites({ informer: this.#informers.Secret, clock }),
    };
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(SOURCE_KINDS.map((kind) => this.#informers[kind].run(signal)));
  }

  async synced(): Promise<void> {
    await Promise.all(SOURCE_KINDS.map((kind) => this.#informers[kind].synced));
  }

  client(kind: SourceKind): ResourceClient<SourceObject> {
    return this.#clients[kind];
  }

  onChange(handler: (kind: SourceKind, change: Change<ApiObject>) => void): void {
    for (const kind of SOURCE_KINDS) {
      this.#informers[kind].onChange((change) => handler(kind, change));
    }
  }

  /** Only if it asks for copies. */
  source({ kind, namespace, name }: SourceName): ApiObject | undefined {
    const found = this.#informers[kind].get(`${namespace}/${name}`);
    return found && isVersioned(found) ? found : undefined;
  }

  copiesOf({ kind, namespace, name }: SourceName): readonly ApiObject[] {
    return this.#informers[kind].byIndex(BY_SOURCE, `${namespace}/${name}`);
  }

  copiesIn(kind: SourceKind, namespace: string): readonly ApiObject[] {
    return this.#informers[kind].byIndex(BY_HOME, namespace);
  }

  newestOf(of: SourceName): ApiObject | undefined {
    return this.copiesOf(of).find((copy) => newestSince(copy) !== undefined);
  }

  /** Whose content somebody means who names this: a source that asks for copies, or one of its copies, also one that is gone. */
  sourceBehind(reference: SourceName): SourceName | undefined {
    const { kind, namespace, name } = reference;
    const found = this.#informers[kind].get(`${namespace}/${name}`);
    const source = (found && sourceOfCopy(found)) ?? (found ? name : sourceNameOf(name));
    if (source === undefined) return undefined;
    const of = { kind, namespace, name: source };
    return this.source(of) && of;
  }

  /** The server has this for the source: nothing is decided about it before the copy here shows it. */
  wrote(of: SourceName, object: ApiObject): void {
    this.#own[of.kind].wrote(sourceKey(of), object);
  }

  areSeen(of: SourceName): boolean {
    return this.#own[of.kind].areSeen(sourceKey(of));
  }

  forget(of: SourceName): void {
    this.#own[of.kind].forget(sourceKey(of));
  }
}

function metadataInformer(context: ControllerContext, kind: SourceKind): Informer<ApiObject> {
  const { client, clock, random, logger } = context;
  const served = servedKind("v1", kind);
  return new Informer<ApiObject>({
    listWatch: listWatchOf<ApiObject>({ client, kind: served, isMetadataOnly: true }),
    indexers: {
      [BY_SOURCE]: (object) => {
        const source = sourceOfCopy(object);
        return source === undefined ? [] : [`${object.metadata.namespace ?? ""}/${source}`];
      },
      [BY_HOME]: (object) =>
        sourceOfCopy(object) === undefined ? [] : [object.metadata.namespace ?? ""],
    },
    startsWithNewest: true,
    ...{ clock, random, logger },
  });
}
