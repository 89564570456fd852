// Replaces mounts in a running container, so that at no time anything else is seen than what was there before or what is there
// after. The steps, and what a crash after each leaves behind:
//
//  (1) finish what was interrupted in a former life: of two mounts at a place, take away the upper one, the older
//  (2) open what is to be shown, and take a mount of it that is attached nowhere. Nothing
//  (3) write down the old mount and the new one. Nothing but that
//  (4) go into the container's mount namespace. Nothing: it is this thread's business only
//  (5) find the place by the mount that is known to be there, and open it. A place that somebody covered is left alone
//  (6) put the new mount beneath the old one. Two mounts, the old one still seen: (1) of the next life
//  (7) make sure that the old one stands on the new one, and on nothing else. The same
//  (8) take away the old one: all see the new one. Never without (7), or what the mounts hide would be seen
//  (9) go home, and write down that it is done. The next life finds out in (1)
// (10) wake those who watch. They hear of the old version's removal too
// (11) put the same beneath the mount from which the container's next start would mount. Two mounts there: (1) of the next life
// (12) take away the upper one
//
// All mounts of a container go through a step before any goes through the next one.

import { constants } from "node:fs";
import { isErrno } from "../base/errors.ts";
import { fileMark, isSameMount, type MountMark, markOf } from "./mount-mark.ts";
import type { MountNote, MountRecord, MountRecords } from "./mount-record.ts";
import type { MountTable } from "./mount-table.ts";
import { LostError, type NamespaceVisitor } from "./namespace-visitor.ts";
import { openOwn, putBeneathOwn, settleOwn } from "./own-places.ts";
import type { ProcessIdentity } from "./process-calls.ts";
import { openBeneath, openNoLinks } from "./safe-path.ts";
import {
  cloneTree,
  MOUNT_ATTR_NODEV,
  MOUNT_ATTR_RDONLY,
  MOVE_MOUNT_BENEATH,
  MS_PRIVATE,
  mountSetattr,
  moveMount,
  O_PATH,
  type OpenFile,
} from "./system-calls.ts";
import { WakeUpCalls } from "./wake-watchers.ts";

export interface ReplaceRequest {
  /** Whose mounts they are. */
  readonly process: ProcessIdentity;
  /** A file that is ours: what we know of its mounts. */
  readonly record: string;
  /** A directory that is empty, to be shown for one that is gone. */
  readonly empty: string;
  readonly mounts: readonly MountToReplace[];
}

export interface MountToReplace {
  /** In the record, and in the answer. */
  readonly name: string;
  /** The path is relative, and no link leads it out of the root. */
  readonly source: { readonly root: string; readonly path: string };
  /** Of the source; only remembered. */
  readonly version: string | undefined;
  /** What was mounted when the container started; undefined if nobody knows. */
  readonly atStart: MountNote | undefined;
  /** Where the same is mounted in our own namespace, if it is. */
  readonly ownPlace: string;
}

export type ReplaceOutcome =
  /** The container sees the source, or an empty directory if there is none. */
  | { readonly kind: "same" | "replaced"; readonly isEmpty: boolean }
  | {
      readonly kind: "behind";
      readonly reason: BehindReason;
      /** For people. */
      readonly detail: string;
      /** Of what it sees. */
      readonly version: string | undefined;
    };

/**
 * "missing": there is no source any more. "sort": a file became a directory, or a directory a file. "covered": somebody mounted
 * something over it, or over its place. "nested": something is mounted inside of it. "gone": somebody took it away. "failed": the
 * kernel refused.
 */
export type BehindReason = "missing" | "sort" | "covered" | "nested" | "gone" | "failed";

/** So many are replaced in one visit: each needs some open files. */
const MAX_AT_ONCE = 250;

/** Called after each step, for tests that end the process there. */
type OnStep = (step: number) => void;

export interface ReplaceParts {
  readonly visitor: NamespaceVisitor;
  readonly records: MountRecords;
  readonly onStep?: OnStep;
}

/** What came of it, and what is left to do when whoever waits for it has been told. */
export interface Replaced extends Disposable {
  /** By name. */
  readonly outcomes: ReadonlyMap<string, ReplaceOutcome>;
  /** From step (10) on. */
  finish(): void;
}

/** Throws NoVisitError if the container is gone; else what goes wrong is in the answer. */
export function replaceMounts(request: ReplaceRequest, parts: ReplaceParts): Replaced {
  using files = new DisposableStack();
  const { record, isOfBefore } = parts.records.read(request.record);
  if (isOfBefore) {
    const ownPlaces = request.mounts.map(({ ownPlace }) => ownPlace);
    quietly(() => settleOwn(ownPlaces, parts.visitor)); // (1)
  }
  const known: Known = { record, table: undefined };
  const all: Replacement[] = [];
  const outcomes = new Map<string, ReplaceOutcome>();
  for (let i = 0; i < request.mounts.length; i += MAX_AT_ONCE) {
    const mounts = request.mounts.slice(i, i + MAX_AT_ONCE);
    const some = files.use(new Replacement({ ...request, mounts }, parts, known));
    all.push(some);
    for (const [name, outcome] of some.run()) outcomes.set(name, outcome);
  }
  const kept = files.move();
  return {
    outcomes,
    finish: () => {
      for (const some of all) some.finish();
    },
    [Symbol.dispose]: () => kept[Symbol.dispose](),
  };
}

class BehindError extends Error {
  override readonly name = "BehindError";
  readonly reason: BehindReason;

  constructor(reason: BehindReason, detail: string) {
    super(detail);
    this.reason = reason;
  }
}

/** One that is to be replaced. */
interface Work {
  readonly wanted: MountToReplace;
  readonly source: OpenFile;
  readonly isEmpty: boolean;
  /** The root of the mount in our own namespace, if there is one. */
  readonly own: OpenFile | undefined;
  readonly old: MountMark;
  readonly tree: OpenFile;
  readonly next: MountMark;
}

interface PlacedWork extends Work {
  /** The root of the old mount. */
  readonly place: OpenFile;
}

/** What all parts of a request share. */
interface Known {
  readonly record: MountRecord;
  /** Of the container, as it was when it was last looked at: good enough to find a place, which is then looked at itself. */
  table: MountTable | undefined;
}

class Replacement implements Disposable {
  readonly #request: ReplaceRequest;
  readonly #visitor: NamespaceVisitor;
  readonly #records: MountRecords;
  readonly #onStep: OnStep;
  readonly #known: Known;
  /** What is needed until the end, and what only until (9). */
  readonly #files = new DisposableStack();
  readonly #inside = new DisposableStack();
  readonly #calls: WakeUpCalls;
  readonly #record: MountRecord;
  readonly #outcomes = new Map<string, ReplaceOutcome>();
  #done: readonly Work[] = [];

  constructor(request: ReplaceRequest, { visitor, records, onStep }: ReplaceParts, known: Known) {
    this.#request = request;
    this.#visitor = visitor;
    this.#records = records;
    this.#known = known;
    this.#onStep = onStep ?? (() => undefined);
    this.#calls = this.#files.use(new WakeUpCalls(visitor));
    this.#record = known.record;
  }

  [Symbol.dispose](): void {
    this.#inside[Symbol.dispose]();
    this.#files[Symbol.dispose]();
  }

  run(): ReadonlyMap<string, ReplaceOutcome> {
    const { process, mounts } = this.#request;
    this.#finishInterrupted(); // (1)
    const left = mounts.filter(({ name }) => !this.#outcomes.has(name));
    const works = this.#each(left, (mount) => this.#take(mount)); // (2)
    this.#onStep(2);
    if (works.length === 0) return this.#outcomes;
    for (const { wanted, next } of works) {
      const note = this.#note(wanted);
      this.#record.set(wanted.name, { ...note, next: { mark: next, version: wanted.version } });
    }
    const names = works.map(({ wanted }) => wanted.name);
    this.#write(names); // (3)
    this.#onStep(3);
    this.#done = this.#visitor.visit(process, () => this.#replace(works)); // (4) to (8)
    this.#write(names); // (9)
    this.#inside[Symbol.dispose]();
    this.#onStep(9);
    return this.#outcomes;
  }

  finish(): void {
    this.#calls.wake(); // (10)
    this.#onStep(10);
    const owns = this.#done.flatMap(({ own, source }) =>
      own && quietly(() => putBeneathOwn(own, source)) === true ? [own] : [],
    ); // (11)
    this.#onStep(11);
    for (const own of owns) quietly(() => this.#visitor.unmount(own)); // (12)
    this.#onStep(12);
  }

  #write(names: readonly string[]): void {
    this.#records.write(this.#request.record, this.#record, names);
  }

  #note({ name, atStart }: MountToReplace): MountNote {
    const note = this.#record.get(name) ?? atStart;
    if (note === undefined) throw new BehindError("gone", "nobody knows which mount it is");
    return note;
  }

  #finishInterrupted(): void {
    const { process, mounts } = this.#request;
    const interrupted = mounts.filter(({ name }) => this.#record.get(name)?.next !== undefined);
    if (interrupted.length === 0) return;
    this.#visitor.visit(process, () => {
      const table = this.#visitor.table();
      this.#each(interrupted, (mount) => this.#finish(mount, table));
    });
    this.#write(interrupted.map(({ name }) => name));
    this.#onStep(1);
  }

  #finish(mount: MountToReplace, table: MountTable): undefined {
    const { next, ...note } = this.#note(mount);
    if (next === undefined) return;
    const upper = table.get(note.shown.id);
    const lower = table.get(next.mark.id);
    const isDone = upper === undefined && lower !== undefined;
    if (upper && lower && upper.parentId === lower.id) {
      using place = openPlace(note.shown, table);
      this.#visitor.unmount(place);
    } else if (upper && lower && lower.parentId === upper.id) {
      // Somebody covered the place when it was put there, so it came between: as if it had never been.
      using place = openPlace(next.mark, table);
      this.#visitor.unmount(place);
      this.#record.set(mount.name, note);
      return;
    } else if (!isDone) {
      this.#record.set(mount.name, note);
      return;
    }
    this.#record.set(mount.name, { shown: next.mark, version: next.version });
  }

  #take(wanted: MountToReplace): Work | undefined {
    const { shown } = this.#note(wanted);
    const found = openSource(wanted);
    if (found === undefined && !shown.file.isDirectory) {
      throw new BehindError("missing", "the volume does not have it any more");
    }
    const isEmpty = found === undefined;
    const source = this.#files.use(found ?? openNoLinks(this.#request.empty));
    const file = fileMark(source);
    if (file.isDirectory !== shown.file.isDirectory) {
      const [was, is] = file.isDirectory ? ["file", "directory"] : ["directory", "file"];
      throw new BehindError("sort", `it was a ${was} when the container started, and is a ${is}`);
    }
    if (file.inode === shown.file.inode) {
      this.#outcomes.set(wanted.name, { kind: "same", isEmpty });
      return undefined;
    }
    const tree = this.#inside.use(cloneTree(source, { isRecursive: false }));
    const set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV;
    mountSetattr(tree, { set, propagation: MS_PRIVATE, isRecursive: false });
    const own = openOwn(wanted.ownPlace);
    if (own) this.#files.use(own);
    return { wanted, source, isEmpty, own, old: shown, tree, next: markOf(tree) };
  }

  #replace(works: readonly Work[]): readonly Work[] {
    this.#onStep(4);
    const before = this.#known.table ?? this.#visitor.table();
    const placed = this.#eachWork(works, (work) => this.#open(work, before)); // (5)
    this.#onStep(5);
    const moved = this.#eachWork(placed, (work) => {
      moveMount(work.tree, work.place, { flags: MOVE_MOUNT_BENEATH }); // (6)
      return work;
    });
    this.#onStep(6);
    if (moved.length === 0) return [];
    const between = this.#visitor.table();
    this.#known.table = between;
    const checked = this.#each(moved, (work) => this.#check(work, between)); // (7)
    this.#onStep(7);
    const done = this.#each(checked, (work) => {
      this.#visitor.unmount(work.place); // (8)
      return work;
    });
    for (const { wanted, next, isEmpty } of done) {
      this.#record.set(wanted.name, { shown: next, version: wanted.version });
      this.#outcomes.set(wanted.name, { kind: "replaced", isEmpty });
    }
    this.#onStep(8);
    return done;
  }

  #open(work: Work, table: MountTable): PlacedWork {
    const { old } = work;
    const place = openPlace(old, table);
    this.#inside.defer(() => place[Symbol.dispose]());
    const { own } = work;
    if (own && fileMark(own).inode === old.file.inode) this.#calls.forOld(own);
    else this.#calls.forOldMount(place);
    this.#calls.forParent(table.get(old.id)?.path ?? "", table);
    return { ...work, place };
  }

  #check<T extends Work>(work: T, table: MountTable): T {
    const { old, next } = work;
    const upper = table.get(old.id);
    if (
      upper?.parentId !== next.id ||
      table.on(old.id).length > 0 ||
      table.on(next.id).length !== 1
    ) {
      throw new BehindError("covered", "something was mounted over it at this moment");
    }
    return work;
  }

  /** As #each, before anything has happened to them: one that fails is as it was. */
  #eachWork<T extends Work, R>(works: readonly T[], act: (work: T) => R): readonly R[] {
    return this.#each(works, (work) => {
      try {
        return act(work);
      } catch (err) {
        const { next: _, ...note } = this.#note(work.wanted);
        this.#record.set(work.wanted.name, note);
        throw err;
      }
    });
  }

  /** The answers of those that have one. One that fails does not concern the others. */
  #each<T extends MountToReplace | Work, R>(
    all: readonly T[],
    act: (one: T) => R | undefined,
  ): readonly R[] {
    return all.flatMap((one) => {
      const wanted = wantedOf(one);
      try {
        const answer = act(one);
        return answer === undefined ? [] : [answer];
      } catch (err) {
        if (err instanceof LostError) throw err;
        this.#outcomes.set(wanted.name, this.#behind(wanted, err));
        return [];
      }
    });
  }

  #behind({ name, atStart }: MountToReplace, err: unknown): ReplaceOutcome {
    const version = (this.#record.get(name) ?? atStart)?.version;
    const reason = err instanceof BehindError ? err.reason : "failed";
    return { kind: "behind", reason, detail: err instanceof Error ? err.message : "", version };
  }
}

function wantedOf(one: MountToReplace | Work): MountToReplace {
  return "wanted" in one ? one.wanted : one;
}

/** Undefined if there is nothing. */
function openSource({ source: { root, path } }: MountToReplace): OpenFile | undefined {
  try {
    return openBeneath(root, path, { links: "beneath" });
  } catch (err) {
    if (isErrno(err, "ENOENT", "ENOTDIR")) return undefined;
    throw err;
  }
}

/** The place at which this mount is seen, in the namespace of the table, without following any link. */
function openPlace(mark: MountMark, table: MountTable): OpenFile {
  const mount = table.get(mark.id);
  if (mount === undefined) throw new BehindError("gone", "it was taken away inside the container");
  const on = table.on(mark.id);
  if (table.isHidden(mount) || on.some(({ path }) => path === mount.path)) {
    throw new BehindError("covered", "something is mounted over it inside the container");
  }
  if (on.length > 0) throw new BehindError("nested", "something else is mounted inside of it");
  const place = openNoLinks(mount.path, O_PATH | constants.O_NOFOLLOW);
  if (!isSameMount(markOf(place), mark)) {
    place[Symbol.dispose]();
    throw new BehindError("covered", "something else is at its place inside the container");
  }
  return place;
}

/** The next start of the container looks at its place anyway. */
function quietly<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
