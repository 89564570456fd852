// What one container has of one object, by one way: what its environment was made of, what its files show. And whether that is what the
// object holds now: a container that uses some keys only has the newest content as soon as these are the same.

import type { PodUse } from "../../api/config/pod-uses.ts";
import { contentVersion } from "../../base/content-version.ts";
import type { ContainerStatus } from "../../runtime/runtime.ts";
import { startedWith } from "../env/start-note.ts";
import type { ReportedUse } from "../live-sub-path/live-sub-paths.ts";
import { type ObjectVersion, referenceKey } from "../objects/config-object.ts";
import { usesOf } from "../sub-path/volume-use.ts";
import { type PodFacts, referenceTo, type ShownVolume } from "./pod-facts.ts";
import type { ObjectStage } from "./view-sources.ts";

export interface HeldContent {
  /** "nothing": it has nothing of the object. "unknown": it has something, and nobody knows which version. */
  readonly object:
    | Pick<ObjectVersion, "uid" | "resourceVersion" | "version">
    | "nothing"
    | "unknown";
  /** Of the keys that it uses, keyed with the object's uid; undefined if only the whole object's version is known. */
  readonly used: string | undefined;
  readonly isImmutable: boolean;
  /** When it came there; undefined: in a former life of the agent. */
  readonly atMs: number | undefined;
  /** Why it does not follow its volume, for people; with the reason of `ReportedUse` for machines. */
  readonly stuck: { readonly reason: string; readonly message: string } | undefined;
  /** Of the volume's files that it sees; undefined for env and args. */
  readonly files: string | undefined;
}

/** Undefined: nobody knows, since a former version of the agent started the container. */
export function heldContent(
  use: PodUse,
  container: ContainerStatus,
  facts: PodFacts,
): HeldContent | undefined {
  if (use.how === "env" || use.how === "args") return noted(use, container);
  const volume = facts.volumes.get(use.volume);
  if (volume === undefined) return undefined;
  if (use.how === "volume") return shown(use, volume, facts);
  const seen = facts.subPaths.find(
    ({ container: name, mountPath }) => name === use.container && mountPath === use.mountPath,
  );
  return seen && throughSubPath(use, { seen, volume, container }, facts);
}

/** The same content, whichever version of the object it came from. */
export function isWanted(use: PodUse, held: HeldContent, facts: PodFacts): boolean {
  return isSame(use, held, { facts, which: "wanted" });
}

/** What this node's pods are to have, where that is not what the object holds. */
export function isAdmitted(use: PodUse, held: HeldContent, facts: PodFacts): boolean {
  return isSame(use, held, { facts, which: "admitted" });
}

function isSame(
  use: PodUse,
  { object, used }: HeldContent,
  { facts, which }: { readonly facts: PodFacts; readonly which: "wanted" | "admitted" },
): boolean {
  const of = referenceTo(use, facts);
  const stage = facts.stages.stage(of);
  const target = stage?.[which];
  if (object === "unknown" || stage === undefined) return false;
  if (target === undefined) return object === "nothing";
  const versionOfUsed = (uid: string): string | undefined =>
    facts.stages.usedVersions(of, use.keys, uid)[which];
  if (object === "nothing") return versionOfUsed(target.uid) === versionOfNothing(use, target.uid);
  if (object.version === target.version) return true;
  const own = used ?? usedOf(use, object.version, { facts, stage });
  return own !== undefined && versionOfUsed(object.uid) === own;
}

/** A volume does not note what it has of which keys; what it shows is mostly known by its version. */
function usedOf(
  use: PodUse,
  version: string,
  { facts, stage }: { readonly facts: PodFacts; readonly stage: ObjectStage },
): string | undefined {
  if (use.keys === undefined) return version;
  const { wanted, admitted } = facts.stages.usedVersions(referenceTo(use, facts), use.keys);
  if (version === stage.wanted?.version) return wanted;
  return version === stage.admitted?.version ? admitted : undefined;
}

function versionOfNothing({ kind }: PodUse, uid: string): string {
  return contentVersion({ kind, uid }, new Map());
}

function noted(
  use: PodUse,
  { annotations, startedAtMs }: ContainerStatus,
): HeldContent | undefined {
  const note = startedWith(annotations)?.find(
    ({ kind, name, how, mountPath }) =>
      kind === use.kind && name === use.name && how === use.how && mountPath === use.mountPath,
  );
  if (note === undefined) return undefined;
  const { object } = note;
  return {
    object: object ?? "nothing",
    used: object?.used,
    isImmutable: object?.isImmutable === true,
    atMs: startedAtMs,
    ...{ stuck: undefined, files: undefined },
  };
}

function shown(use: PodUse, volume: ShownVolume, facts: PodFacts): HeldContent {
  return ofVersions(use, volume.versions, {
    ...{ atMs: volume.shownAtMs, files: volume.version, stuck: undefined },
    facts,
  });
}

/** What follows sees what the volume shows; what does not, what was there at its start or at the last replacement that worked. */
function throughSubPath(
  use: PodUse,
  of: {
    readonly seen: ReportedUse;
    readonly volume: ShownVolume;
    readonly container: ContainerStatus;
  },
  facts: PodFacts,
): HeldContent {
  const { state } = of.seen;
  const isStuck = state.state === "frozen" || state.state === "behind";
  const stuck = isStuck ? { reason: wordFor(state), message: state.message } : undefined;
  const files = state.version;
  if (files !== undefined && files === of.volume.version) {
    return { ...shown(use, of.volume, facts), stuck };
  }
  const atStart = usesOf(of.container.annotations).find(
    ({ mountPath }) => mountPath === use.mountPath,
  );
  const note = atStart?.version === files ? noted(use, of.container) : undefined;
  if (note !== undefined) return { ...note, stuck, files };
  const past = files === undefined ? undefined : of.volume.past(files);
  if (past !== undefined) return ofVersions(use, past, { atMs: undefined, files, stuck, facts });
  return {
    ...{ object: "unknown", used: undefined, isImmutable: false, atMs: undefined },
    ...{ stuck, files },
  };
}

function wordFor(state: { readonly state: "frozen" | "behind"; readonly reason: string }): string {
  return state.state === "frozen" ? "frozen" : state.reason;
}

function ofVersions(
  use: PodUse,
  versions: readonly ObjectVersion[],
  of: Pick<HeldContent, "atMs" | "files" | "stuck"> & { readonly facts: PodFacts },
): HeldContent {
  const key = referenceKey(referenceTo(use, of.facts));
  const { atMs, files, stuck } = of;
  return {
    object: versions.find((one) => referenceKey(one) === key) ?? "nothing",
    ...{ used: undefined, isImmutable: false, atMs, files, stuck },
  };
}
