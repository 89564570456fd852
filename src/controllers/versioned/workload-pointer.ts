// Points the workloads that ask for it to the newest copies, all references of one in one patch: one rollout. What was pointed is noted
// on the copy after that, never before: a note without its patch would be taken for a rollback, and the workload would stay behind.

import { Controller } from "../../controller/controller.ts";
import type { ControllerContext } from "../../controller/controller-context.ts";
import type { Events } from "../../controller/event-recorder.ts";
import { referenceTo } from "../../controller/owner.ts";
import type { ConfigObjects } from "./config-objects.ts";
import { isMarkMoved } from "./copy-keeper.ts";
import { type KnownSource, type Move, pointingOf, type WorkloadObject } from "./pointing.ts";
import {
  asksForAny,
  givenKey,
  givenTo,
  NEWEST,
  newestSince,
  type SourceName,
  sourceKey,
  sourceOfCopy,
} from "./versioned-names.ts";
import { type WorkloadName, type Workloads, workloadKey, workloadOfKey } from "./workloads.ts";

/** Changes that come so close together are one rollout. */
const QUIET_MS = 500;
/** A net: the copies may catch up without an event. */
const CATCH_UP_MS = 1000;
const WORKERS = 4;
/** Notes about workloads that are gone are cleared away when there are so many: annotations have a limit. */
const MANY_NOTES = 100;

interface PointerParts {
  readonly objects: ConfigObjects;
  readonly workloads: Workloads;
  readonly events: Events;
}

export class WorkloadPointer {
  readonly #context: ControllerContext;
  readonly #parts: PointerParts;
  readonly #loop: Controller;
  /** By key of the workload: when what was found to do is done. */
  readonly #dueMs = new Map<string, number>();
  /** By key: what has been pointed and may not be noted yet, as `noteOf`. */
  readonly #pointed = new Map<string, Set<string>>();
  /** By key: the last thing said about what was taken back. */
  readonly #said = new Map<string, string>();

  constructor(context: ControllerContext, parts: PointerParts) {
    const { clock, random, logger } = context;
    const { objects, workloads } = parts;
    this.#context = context;
    this.#parts = parts;
    this.#loop = new Controller({
      name: "versioned-workloads",
      workers: WORKERS,
      synced: async () => void (await Promise.all([objects.synced(), workloads.synced()])),
      sync: (key, signal) => this.#sync(key, signal),
      ...{ clock, random, logger, loops: context.loops },
    });
    workloads.onChange((kind, { object }) => this.#loop.queue.add(workloadKey(kind, object)));
    objects.onChange((_, change) => {
      const isNews = change.type !== "updated" || isMarkMoved(change);
      if (!isNews || sourceOfCopy(change.object) === undefined) return;
      for (const key of workloads.asking(change.object.metadata.namespace ?? "")) {
        this.#loop.queue.add(key);
      }
    });
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#loop.run(signal);
  }

  async #sync(key: string, signal: AbortSignal): Promise<number | undefined> {
    const of = workloadOfKey(key);
    const { workloads, objects } = this.#parts;
    const workload = workloads.get(of);
    if (workload === undefined || !asksForAny(workload)) {
      for (const map of [this.#dueMs, this.#pointed, this.#said]) map.delete(key);
      return undefined;
    }
    if (!workloads.areSeen(of)) return CATCH_UP_MS;
    const sources: KnownSource[] = [];
    const { moves, arrived, held } = pointingOf(workload, (reference) => {
      const source = objects.sourceBehind(reference);
      const known = source && this.#know(key, workload, source);
      if (known !== undefined) sources.push(known);
      return known;
    });
    if (!sources.every(({ source }) => objects.areSeen(source))) return CATCH_UP_MS;
    this.#tellHeld(of, workload, held);
    const waitMs = this.#waitMs(key, moves.length > 0);
    if (waitMs > 0) return waitMs;
    if (moves.length > 0) await this.#point(of, workload, { moves, signal });
    const pointed = this.#pointed.get(key);
    const notes = [
      ...moves.map(({ known }) => known),
      ...arrived,
      ...sources.filter((known) => pointed?.has(noteOf(known)) === true),
    ];
    for (const known of notes) await this.#note(of, workload, { known, signal });
    this.#pointed.delete(key);
    return undefined;
  }

  #know(key: string, workload: WorkloadObject, source: SourceName): KnownSource | undefined {
    const copy = this.#parts.objects.newestOf(source);
    const since = copy && newestSince(copy);
    if (copy === undefined || since === undefined) return undefined;
    const isNoted = givenTo(copy).includes(workload.metadata.uid ?? "");
    const isPointed = this.#pointed.get(key)?.has(noteOf({ source, since })) === true;
    return { source, newest: copy.metadata.name ?? "", since, isGiven: isNoted || isPointed };
  }

  #waitMs(key: string, hasMoves: boolean): number {
    if (!hasMoves) {
      this.#dueMs.delete(key);
      return 0;
    }
    const nowMs = this.#context.clock.monotonicMs();
    const dueMs = this.#dueMs.get(key) ?? nowMs + QUIET_MS;
    this.#dueMs.set(key, dueMs);
    return dueMs - nowMs;
  }

  /** Refused if anything in it has changed since: what was decided on is no longer so. */
  async #point(
    of: WorkloadName,
    workload: WorkloadObject,
    { moves, signal }: { readonly moves: readonly Move[]; readonly signal: AbortSignal },
  ): Promise<void> {
    const { namespace, name } = of;
    const key = workloadKey(of.kind, workload);
    const { resourceVersion } = workload.metadata;
    const patch = [
      { op: "replace", path: "/metadata/resourceVersion", value: resourceVersion },
      ...moves.flatMap(({ known, references }) =>
        references.map(({ pointer }) => ({
          ...{ op: "replace", path: `/spec/template/spec${pointer}`, value: known.newest },
        })),
      ),
    ];
    const { workloads } = this.#parts;
    const options = { type: "json", signal } as const;
    const written = await workloads.client(of.kind).patch({ namespace, name }, patch, options);
    workloads.wrote(of, written);
    this.#dueMs.delete(key);
    const pointed = this.#pointed.get(key) ?? new Set();
    this.#pointed.set(key, pointed);
    for (const { known } of moves) pointed.add(noteOf(known));
    this.#record(of, workload, { reason: "ConfigVersion", message: moves.map(moved).join("; ") });
  }

  /** Refused if the copy is no longer the newest, or is so anew. */
  async #note(
    of: WorkloadName,
    { metadata: { uid = "" } }: WorkloadObject,
    { known, signal }: { readonly known: KnownSource; readonly signal: AbortSignal },
  ): Promise<void> {
    const { source, newest: name, since } = known;
    const { objects } = this.#parts;
    const copy = objects.newestOf(source);
    if (copy === undefined || newestSince(copy) !== since || givenTo(copy).includes(uid)) return;
    const patch = [
      { op: "test", path: annotationPath(NEWEST), value: since },
      { op: "add", path: annotationPath(givenKey(uid)), value: `${of.kind}/${of.name}` },
      ...this.#leftNotes(of.namespace, givenTo(copy)).map((gone) => ({
        ...{ op: "remove", path: annotationPath(givenKey(gone)) },
      })),
    ];
    const { namespace } = source;
    const options = { type: "json", signal } as const;
    const client = objects.client(source.kind);
    objects.wrote(source, await client.patch({ namespace, name }, patch, options));
  }

  #leftNotes(namespace: string, uids: readonly string[]): readonly string[] {
    if (uids.length < MANY_NOTES) return [];
    const alive = new Set(this.#parts.workloads.in(namespace).map(({ metadata }) => metadata.uid));
    return uids.filter((uid) => !alive.has(uid));
  }

  #tellHeld(of: WorkloadName, workload: WorkloadObject, held: readonly Move[]): void {
    const key = workloadKey(of.kind, workload);
    const message = held.map(stays).join("; ");
    if (message !== "" && message !== this.#said.get(key)) {
      this.#record(of, workload, { reason: "ConfigVersionHeld", message });
    }
    this.#said.set(key, message);
  }

  #record(
    of: WorkloadName,
    workload: WorkloadObject,
    event: { readonly reason: string; readonly message: string },
  ): void {
    const { workloads, events } = this.#parts;
    const object = referenceTo(workloads.client(of.kind).kind, workload);
    events.record({ object, type: "Normal", ...event });
  }
}

/** One content of one source, from the moment at which it became the newest. */
function noteOf({ source, since }: Pick<KnownSource, "source" | "since">): string {
  return `${sourceKey(source)}@${since}`;
}

function annotationPath(key: string): string {
  return `/metadata/annotations/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

function titleOf({ kind, name }: SourceName): string {
  return `${kind.toLowerCase()}/${name}`;
}

function moved({ known: { source, newest }, from }: Move): string {
  return `${titleOf(source)}: from ${from.join(", ")} to ${newest}`;
}

function stays({ known: { source, newest }, from }: Move): string {
  const title = titleOf(source);
  return `${title} is at ${newest} now, but the pod template was taken back to ${from.join(", ")}: it stays there until ${title} changes; to follow at once, name ${source.name} in the template`;
}
