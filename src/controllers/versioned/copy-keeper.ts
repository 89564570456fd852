// Sees to it that each source that asks for it has a copy of what it holds now, and that this copy, and no other, is marked as the newest.
// The order:
//   1. the mark is taken from all others: two marks would let a workload be taken for one that has been pointed to a later copy already;
//   2. the copy is made with the mark, or an older one gets it: its content came back. It begins anew: who was given it before counts
//      no longer.
// A crash in between leaves no mark, and the next look goes on with 2.

import type { ApiObject } from "../../api/object.ts";
import { isAlreadyExists, isNotFound, StatusError } from "../../api/status-error.ts";
import { Controller } from "../../controller/controller.ts";
import type { ControllerContext } from "../../controller/controller-context.ts";
import type { Events } from "../../controller/event-recorder.ts";
import { referenceTo } from "../../controller/owner.ts";
import { isNamespaceTerminating } from "../pods/pod-control.ts";
import { copyOf, type SourceObject, whyNotCopied } from "./config-copy.ts";
import type { ConfigObjects } from "./config-objects.ts";
import {
  givenKey,
  givenTo,
  NEWEST,
  newestSince,
  type SourceName,
  sourceKey,
  sourceOfCopy,
  sourceOfKey,
  UNNEEDED_SINCE,
} from "./versioned-names.ts";

/** Writes that follow each other closer than this are one version. */
const QUIET_MS = 500;
/** A net: the copy may catch up without an event. */
const CATCH_UP_MS = 1000;
/** The right to make copies may be given later. */
const FORBIDDEN_MS = 60_000;
const WORKERS = 4;

export class CopyKeeper {
  readonly #objects: ConfigObjects;
  readonly #events: Events;
  readonly #loop: Controller;
  /** By source: why it has no copy of what it holds. */
  readonly #said = new Map<string, string>();

  constructor(
    context: ControllerContext,
    { objects, events }: { readonly objects: ConfigObjects; readonly events: Events },
  ) {
    const { clock, random, logger } = context;
    this.#objects = objects;
    this.#events = events;
    this.#loop = new Controller({
      name: "versioned-copies",
      workers: WORKERS,
      synced: () => objects.synced(),
      sync: (key, signal) => this.#sync(sourceOfKey(key), signal),
      ...{ clock, random, logger, loops: context.loops },
    });
    objects.onChange((kind, change) => {
      const { namespace = "", name = "" } = change.object.metadata;
      const source = sourceOfCopy(change.object);
      const key = sourceKey({ kind, namespace, name: source ?? name });
      if (source === undefined) {
        if (concernsSource(objects, { kind, namespace, name })) {
          this.#loop.queue.addAfter(key, QUIET_MS);
        }
      } else if (change.type !== "updated" || isMarkMoved(change)) {
        this.#loop.queue.add(key);
      }
    });
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#loop.run(signal);
  }

  async #sync(of: SourceName, signal: AbortSignal): Promise<number | undefined> {
    const objects = this.#objects;
    if (!objects.areSeen(of)) return CATCH_UP_MS;
    const source = await this.#read(of, signal);
    const wanted = source && copyOf(of.kind, source).metadata.name;
    const copies = objects.copiesOf(of);
    for (const copy of copies) {
      const isWanted = copy.metadata.name === wanted;
      if (!isWanted && newestSince(copy) !== undefined) await this.#unmark(of, copy, signal);
    }
    if (source !== undefined) {
      const held = copies.find(({ metadata }) => metadata.name === wanted);
      return held === undefined
        ? this.#make(of, source, signal)
        : this.#keep(of, held, { source, signal });
    }
    if (copies.length === 0) objects.forget(of);
    if (objects.source(of) === undefined) this.#said.delete(sourceKey(of));
    return undefined;
  }

  /** As the server has it now; undefined if it is gone or no copies of it are wanted or can be made. */
  async #read(of: SourceName, signal: AbortSignal): Promise<SourceObject | undefined> {
    if (this.#objects.source(of) === undefined) return undefined;
    try {
      const source = await this.#objects.client(of.kind).get(of, { signal });
      const why = whyNotCopied(source);
      if (why === undefined) return source;
      this.#notKept(of, source, why);
    } catch (err) {
      if (!isNotFound(err)) throw err;
    }
    return undefined;
  }

  async #make(
    of: SourceName,
    source: SourceObject,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const copy = copyOf(of.kind, source);
    const { namespace, name = "" } = copy.metadata;
    const client = this.#objects.client(of.kind);
    try {
      this.#objects.wrote(of, await client.create(copy, { signal }));
      const message = `${name} holds what is in it now`;
      this.#record(of, source, { type: "Normal", reason: "VersionCreated", message });
      return undefined;
    } catch (err) {
      if (isNamespaceTerminating(err)) return undefined;
      if (isForbidden(err)) {
        this.#notKept(of, source, `${err.message}; an administrator can allow it`);
        return FORBIDDEN_MS;
      }
      if (!isAlreadyExists(err)) throw err;
    }
    const there = await client.get({ namespace, name }, { signal });
    if (sourceOfCopy(there) === of.name) {
      this.#objects.wrote(of, there);
      return CATCH_UP_MS;
    }
    this.#notKept(
      of,
      source,
      `there is another ${of.kind} called ${name}; rename or delete that one`,
    );
    return undefined;
  }

  async #keep(
    of: SourceName,
    copy: ApiObject,
    { source, signal }: { readonly source: SourceObject; readonly signal: AbortSignal },
  ): Promise<undefined> {
    if (newestSince(copy) !== undefined) return;
    const given = givenTo(copy).map((uid) => [givenKey(uid), null] as const);
    const annotations = {
      ...Object.fromEntries(given),
      [UNNEEDED_SINCE]: null,
      [NEWEST]: source.metadata.resourceVersion ?? "",
    };
    await this.#annotate(of, copy, { annotations, signal });
  }

  async #unmark(of: SourceName, copy: ApiObject, signal: AbortSignal): Promise<void> {
    await this.#annotate(of, copy, { annotations: { [NEWEST]: null }, signal });
  }

  /** Refused if anything in it has changed since: what was decided on is no longer so. */
  async #annotate(
    of: SourceName,
    { metadata: { namespace, name = "", resourceVersion } }: ApiObject,
    change: {
      readonly annotations: Readonly<Record<string, string | null>>;
      readonly signal: AbortSignal;
    },
  ): Promise<void> {
    const { annotations, signal } = change;
    const patch = { metadata: { resourceVersion, annotations } };
    const client = this.#objects.client(of.kind);
    this.#objects.wrote(
      of,
      await client.patch({ namespace, name }, patch, { type: "merge", signal }),
    );
  }

  /** Once for each reason. */
  #notKept(of: SourceName, source: ApiObject, why: string): void {
    const key = sourceKey(of);
    if (this.#said.get(key) === why) return;
    this.#said.set(key, why);
    const message = `no versions are kept: ${why}`;
    this.#record(of, source, { type: "Warning", reason: "VersionNotKept", message });
  }

  #record(
    of: SourceName,
    source: ApiObject,
    event: {
      readonly type: "Normal" | "Warning";
      readonly reason: string;
      readonly message: string;
    },
  ): void {
    const object = referenceTo(this.#objects.client(of.kind).kind, source);
    this.#events.record({ object, ...event });
  }
}

function isForbidden(err: unknown): err is StatusError {
  return err instanceof StatusError && err.code === 403;
}

/** Most ConfigMaps and Secrets are no sources: they cost nothing. */
function concernsSource(objects: ConfigObjects, of: SourceName): boolean {
  return objects.source(of) !== undefined || objects.copiesOf(of).length > 0;
}

export function isMarkMoved(change: {
  readonly object: ApiObject;
  readonly old: ApiObject;
}): boolean {
  return newestSince(change.object) !== newestSince(change.old);
}
