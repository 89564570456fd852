// A workload that asks for something: its rules, and what of the objects that it uses a restart depends on.

import { hash } from "node:crypto";
import { type ConfigKind, type PodUse, podUses } from "../../api/config/pod-uses.ts";
import {
  isReloadAnnotation,
  type ReloadRules,
  reloadRules,
} from "../../api/config/reload-rules.ts";
import type { ConfigDigest } from "./config-digest.ts";
import { type ObjectChange, objectName, type WantedObject } from "./reload-state.ts";
import type { ReloadTarget } from "./reload-target.ts";

/** What is known of the objects of one namespace. */
export interface NamespaceDigests {
  /** Undefined: there is none. */
  get(kind: ConfigKind, name: string): ConfigDigest | undefined;
  /** All that may be read. */
  all(): Iterable<ConfigDigest>;
  /** False: nothing can be said about objects of this kind. */
  isReadable(kind: ConfigKind): boolean;
}

/** A use whose restart is asked for, and why. */
export interface RestartUse {
  readonly use: PodUse;
  /** The process must start anew even if it can see the new files. */
  readonly needsStart: boolean;
}

/** Stands for keys that an object may get one day. */
const ANY_KEY = "\u0000";
/** A workload's subPaths count as frozen: whether they followed is asked where pods are looked at. */
const FROZEN = { subPathIsLive: false };
const LIVE = { subPathIsLive: true };
/** Of more keys one hash is kept, so that annotations stay small; it has this name, which no key can have. */
const MAX_KEYS = 100;
export const ALL_KEYS = "*";
const SHAPE_DIGITS = 8;
const UNSEEN = { annotations: {} };

export class AskingWorkload {
  readonly rules: ReloadRules;
  readonly #uses = new Map<string, PodUse[]>();
  readonly #asked: string;

  constructor({ annotations, podAnnotations, podSpec }: ReloadTarget) {
    this.rules = reloadRules({ workload: annotations, pod: podAnnotations });
    this.#asked = JSON.stringify([wishes(annotations), wishes(podAnnotations)]);
    if (!this.rules.asksForSomething) return;
    for (const use of podUses(podSpec)) {
      const uses = this.#uses.get(objectName(use)) ?? [];
      uses.push(use);
      this.#uses.set(objectName(use), uses);
    }
  }

  /** Whether it may have to do something when this object changes. */
  cares(object: ConfigDigest): boolean {
    const { name = "", annotations = {} } = object.metadata;
    const asked = { kind: object.kind, name, annotations: annotations ?? {} };
    return this.#uses.has(objectName(asked)) || this.rules.restartsUnusedFor(asked) !== undefined;
  }

  wanted(digests: NamespaceDigests): readonly WantedObject[] {
    if (!this.rules.asksForSomething) return [];
    const used = [...this.#uses.values()].flatMap(([first, ...rest]) => {
      if (first === undefined || !digests.isReadable(first.kind)) return [];
      const found = this.#wantedOf([first, ...rest], digests.get(first.kind, first.name));
      return found === undefined ? [] : [found];
    });
    return [...used, ...this.#unused(digests)];
  }

  /** The uses for which a restart is asked when these keys change; none for an object that only a list names. */
  restartUses(
    { kind, name, keys }: ObjectChange,
    digests: NamespaceDigests,
  ): readonly RestartUse[] {
    const annotations = digests.get(kind, name)?.metadata.annotations ?? {};
    const object = { kind, name, annotations };
    return (this.#uses.get(objectName(object)) ?? []).flatMap((use) => {
      const change = { ...object, keys: keys.includes(ALL_KEYS) ? (use.keys ?? [ANY_KEY]) : keys };
      if (this.rules.effectOf(use, change, FROZEN).effect !== "restart") return [];
      return [{ use, needsStart: this.rules.effectOf(use, change, LIVE).effect === "restart" }];
    });
  }

  /** The uses for which a restart is asked whichever of their keys changes. */
  alwaysRestarting(
    { kind, name }: Pick<ObjectChange, "kind" | "name">,
    digests: NamespaceDigests,
  ): readonly PodUse[] {
    const digest = digests.get(kind, name);
    const object = { kind, name, annotations: digest?.metadata.annotations ?? {} };
    const present = Object.keys(digest?.hashes ?? {});
    return (this.#uses.get(objectName(object)) ?? []).filter((use) =>
      (use.keys ?? [...present, ANY_KEY]).every(
        (key) => this.rules.effectOf(use, { ...object, keys: [key] }, FROZEN).effect === "restart",
      ),
    );
  }

  #wantedOf(
    uses: readonly [PodUse, ...PodUse[]],
    digest: ConfigDigest | undefined,
  ): WantedObject | undefined {
    const [{ kind, name }] = uses;
    const { annotations = {} } = digest?.metadata ?? UNSEEN;
    const restarts = (use: PodUse, key: string): boolean =>
      this.rules.effectOf(use, { kind, name, annotations: annotations ?? {}, keys: [key] }, FROZEN)
        .effect === "restart";
    const present = Object.keys(digest?.hashes ?? {});
    const asking = uses.filter((use) =>
      (use.keys ?? [...present, ANY_KEY]).some((key) => restarts(use, key)),
    );
    if (asking.length === 0) return undefined;
    const keys = present.filter((key) => asking.some((use) => restarts(use, key)));
    return {
      ...{ kind, name },
      shape: this.#shapeOf(asking),
      hashes: digest && chosen(digest.hashes, keys),
      formerHashes: chosen(digest?.formerHashes ?? {}, keys),
      isOptional: asking.some(({ optional }) => optional),
    };
  }

  /** Those that Reloader's lists name although nothing in the pod refers to them. */
  *#unused(digests: NamespaceDigests): Iterable<WantedObject> {
    if (!this.rules.mayRestartUnused) return;
    for (const digest of digests.all()) {
      const { name = "", annotations } = digest.metadata;
      const object = { kind: digest.kind, name, annotations: annotations ?? {} };
      if (this.#uses.has(objectName(object))) continue;
      if (this.rules.restartsUnusedFor(object) === undefined) continue;
      const keys = Object.keys(digest.hashes);
      const hashes = chosen(digest.hashes, keys);
      const formerHashes = chosen(digest.formerHashes, keys);
      const shape = this.#shapeOf([]);
      yield { kind: digest.kind, name, shape, hashes, formerHashes, isOptional: false };
    }
  }

  #shapeOf(uses: readonly PodUse[]): string {
    const text = JSON.stringify([this.#asked, uses]);
    return hash("sha256", text, "hex").slice(0, SHAPE_DIGITS);
  }
}

/** What is asked for, without what controllers write. */
function wishes(annotations: Readonly<Record<string, string>>): readonly (readonly string[])[] {
  const isWish = (name: string): boolean =>
    isReloadAnnotation(name) ||
    (name.includes("reloader.stakater.com/") && !name.startsWith("deployment."));
  return Object.entries(annotations)
    .filter(([name]) => isWish(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function chosen(
  hashes: Readonly<Record<string, string>>,
  keys: readonly string[],
): Readonly<Record<string, string>> {
  const found = keys
    .toSorted()
    .flatMap((key) => (hashes[key] === undefined ? [] : [[key, hashes[key]]]));
  if (found.length <= MAX_KEYS) return Object.fromEntries(found) as Record<string, string>;
  return {
    [ALL_KEYS]: hash("sha256", JSON.stringify(found), "hex").slice(0, SHAPE_DIGITS),
  };
}
