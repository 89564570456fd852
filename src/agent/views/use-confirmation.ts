// Whether the processes of a container have the content that their files show: by their own word (the library's file), or because they
// were told and that succeeded. Silence is no confirmation, and no drift either: only who has spoken before can be missed.

import type { PodUse } from "../../api/config/pod-uses.ts";
import type { HeldContent } from "./held-content.ts";
import type { PodFacts } from "./pod-facts.ts";
import type { Acknowledgement, NodeReload } from "./view-sources.ts";

/** A process that takes longer than this to say that it has a content is missed. */
const CONFIRM_MS = 5000;

interface Confirmation {
  readonly by: "Library" | "Reload";
  /** Of the volume's files. */
  readonly files: string;
  readonly atMs: number;
}

export interface UseConfirmation {
  /** What all processes that speak have confirmed; the content before, while one of them is behind. */
  readonly confirmed: Confirmation | undefined;
  /** When all of them had noticed what is on disk. */
  readonly noticedAtMs: number | undefined;
  readonly reload: NodeReload | undefined;
  /** Whoever refused what is on disk, which the others may have. */
  readonly refusal: Acknowledgement | undefined;
  /** Who has not confirmed what is on disk, and when that becomes drift. */
  readonly missing: { readonly who: "process" | "reload"; readonly lateAtMs: number } | undefined;
}

/** Nobody said anything. */
export const silence: UseConfirmation = {
  ...{ confirmed: undefined, noticedAtMs: undefined, reload: undefined },
  ...{ refusal: undefined, missing: undefined },
};

export function useConfirmation(
  use: PodUse,
  { files, atMs = 0 }: HeldContent,
  { acks, reloads, nowMs }: PodFacts,
): UseConfirmation {
  if (files === undefined) return silence;
  const spoken = acks.filter((ack) => ack.container === use.container && isAbout(ack, use));
  const reload = reloads.find(
    ({ container, volume }) => container === use.container && volume === use.volume,
  );
  const own = byLibrary(spoken, files);
  const told = reload && byReload(reload);
  const isConfirmed = own?.files === files || (spoken.length === 0 && told?.files === files);
  const late = { spoken, reload: reload?.version === files ? reload : undefined };
  return {
    confirmed: spoken.length > 0 ? own : told,
    noticedAtMs: allAt(
      spoken,
      ({ noticed, applied }) => timeOf(files, noticed) ?? timeOf(files, applied),
    ),
    reload,
    refusal: spoken.find(
      ({ rejected, applied }) => rejected?.version === files && applied?.version !== files,
    ),
    missing: isConfirmed ? undefined : missing(late, { shownAtMs: atMs, nowMs }),
  };
}

/** A process that watches a part of the volume counts like one that watches all of it: what it names are versions of the volume. */
function isAbout({ path }: Acknowledgement, { mountPath }: PodUse): boolean {
  return path === mountPath || path.startsWith(`${mountPath}/`);
}

function byLibrary(spoken: readonly Acknowledgement[], files: string): Confirmation | undefined {
  const behind = spoken.find(({ applied }) => applied?.version !== files);
  if (behind !== undefined) {
    const { applied } = behind;
    return applied && { by: "Library", files: applied.version, atMs: applied.atMs };
  }
  const atMs = allAt(spoken, ({ applied }) => applied?.atMs);
  return atMs === undefined ? undefined : { by: "Library", files, atMs };
}

function byReload({ result, version, atMs }: NodeReload): Confirmation | undefined {
  return result === "Succeeded" ? { by: "Reload", files: version, atMs } : undefined;
}

function missing(
  {
    spoken,
    reload,
  }: { readonly spoken: readonly Acknowledgement[]; readonly reload: NodeReload | undefined },
  { shownAtMs, nowMs }: { readonly shownAtMs: number; readonly nowMs: number },
): UseConfirmation["missing"] {
  if (reload?.result === "Failing") return { who: "reload", lateAtMs: nowMs };
  if (spoken.length > 0) {
    const heardMs = spoken.map(({ noticed }) => noticed?.atMs ?? 0);
    return { who: "process", lateAtMs: Math.max(shownAtMs, ...heardMs) + CONFIRM_MS };
  }
  if (reload?.result !== "Pending") return undefined;
  return { who: "reload", lateAtMs: Math.max(shownAtMs, reload.atMs) + CONFIRM_MS };
}

function timeOf(
  files: string,
  said: { readonly version: string; readonly atMs: number } | undefined,
): number | undefined {
  return said?.version === files ? said.atMs : undefined;
}

/** The last of their times; undefined if one has none, or there are none. */
function allAt(
  spoken: readonly Acknowledgement[],
  timeOfOne: (ack: Acknowledgement) => number | undefined,
): number | undefined {
  const times = spoken.map(timeOfOne);
  const known = times.filter((one) => one !== undefined);
  return known.length > 0 && known.length === times.length ? Math.max(...known) : undefined;
}
