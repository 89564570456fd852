// Why a container does not have what it should, where delivery alone will not mend it: the closed set of reasons, each with what is the
// matter and what would fix it. The first that fits is said: what somebody did to the files, then what holds new content back, then what
// cannot follow, then what failed, then who does not answer.

import type { PodUse } from "../../api/config/pod-uses.ts";
import { SHORT_VERSION_DIGITS } from "../../base/content-version.ts";
import { describe } from "../../base/errors.ts";
import { DATA_LINK } from "../../files/layout.ts";
import { type HeldContent, isAdmitted } from "./held-content.ts";
import type { PodFacts } from "./pod-facts.ts";
import type { UseConfirmation } from "./use-confirmation.ts";
import type { Acknowledgement, ObjectStage, Tampering } from "./view-sources.ts";

type DriftReason =
  | "ArgsFrozen"
  | "EnvFrozen"
  | "GateRejected"
  | "ImmutableRecreated"
  | "NotConfirmed"
  | "RolloutHeld"
  | "SubPathFrozen"
  | "TamperedOnDisk"
  | "WriteFailed";

export interface FoundDrift {
  readonly reason: DriftReason;
  readonly message: string;
  /** Undefined: since now, or since it was first reported. */
  readonly sinceMs: number | undefined;
}

export interface JudgedUse {
  readonly use: PodUse;
  readonly stage: ObjectStage | undefined;
  /** Undefined: its container has not started. */
  readonly held: HeldContent | undefined;
  /** It has what the object holds. */
  readonly isWanted: boolean;
  readonly confirmation: UseConfirmation;
}

export function useDrift(judged: JudgedUse, facts: PodFacts): FoundDrift | undefined {
  const { use, stage, held } = judged;
  const tampering = held?.files === undefined ? undefined : tamperingOf(use, held, facts);
  if (tampering) return tampered(tampering, held?.stuck !== undefined);
  if (judged.isWanted) return unconfirmed(judged, facts);
  if (stage === undefined) return undefined;
  return (
    heldBack(use, { stage, held, facts }) ??
    (held && frozen(use, held, stage)) ??
    (held?.files === undefined ? undefined : writeFailed(use, facts))
  );
}

/** What is frozen may show files of another time, and of those of now it shows only its own. */
function tamperingOf(
  { volume, container, mountPath }: PodUse,
  { stuck, files }: HeldContent,
  { tampering, subPaths, containers }: PodFacts,
): Tampering | undefined {
  const ofVolume = tampering.filter((one) => one.volume === volume && one.files.length > 0);
  if (stuck === undefined) return ofVolume.find(({ isPast }) => !isPast);
  const seen = subPaths.find((one) => one.container === container && one.mountPath === mountPath);
  const own = seen?.subPath ?? "";
  const isSeen = (file: string): boolean =>
    file === DATA_LINK || file === own || file.startsWith(`${own}/`);
  const { startedAtMs = 0 } = containers.get(container)?.[0] ?? {};
  return ofVolume.find(
    ({ version, isPast, sinceMs, files: changed }) =>
      version === files && changed.some(isSeen) && !(isPast && startedAtMs > sinceMs),
  );
}

const MAX_NAMES = 5;

function tampered({ volume, files, sinceMs }: Tampering, isFrozen: boolean): FoundDrift {
  const named = files.slice(0, MAX_NAMES).map((file) => JSON.stringify(file));
  const more = files.length > MAX_NAMES ? ` and ${files.length - MAX_NAMES} more` : "";
  return {
    reason: "TamperedOnDisk",
    message: `Somebody else than the agent changed files of volume ${JSON.stringify(volume)} on the node: ${named.join(", ")}${more}. ${isFrozen ? "The container goes on seeing them: restart the pod" : "The agent writes them anew with its next look"}; find out who did it`,
    sinceMs,
  };
}

function heldBack(
  use: PodUse,
  {
    stage,
    held,
    facts,
  }: {
    readonly stage: ObjectStage;
    readonly held: HeldContent | undefined;
    readonly facts: PodFacts;
  },
): FoundDrift | undefined {
  if (stage.held === undefined) return undefined;
  // Without a container: it waits for something that it may have.
  const isWaiting = held ? isAdmitted(use, held, facts) : stage.admitted === undefined;
  if (!isWaiting) return undefined;
  const { reason, message, sinceMs } = stage.held;
  return { reason, message, sinceMs };
}

function frozen(use: PodUse, held: HeldContent, stage: ObjectStage): FoundDrift | undefined {
  const isStart = use.how === "env" || use.how === "args";
  if (!isStart && held.stuck === undefined) return undefined;
  const { wanted } = stage;
  const isAnother =
    typeof held.object === "object" && wanted !== undefined && held.object.uid !== wanted.uid;
  const sinceMs = undefined;
  if (held.isImmutable && isAnother) {
    return { reason: "ImmutableRecreated", message: recreatedText(use), sinceMs };
  }
  if (held.stuck) return { ...stuckDrift(held.stuck), sinceMs };
  const reason = use.how === "env" ? "EnvFrozen" : "ArgsFrozen";
  return { reason, message: frozenText(use, held, stage), sinceMs };
}

/** What is tried again with every refresh is no frozen mount. */
function stuckDrift({
  reason,
  message,
}: NonNullable<HeldContent["stuck"]>): Pick<FoundDrift, "reason" | "message"> {
  const isTriedAgain = reason === "missing" || reason === "failed";
  return { reason: isTriedAgain ? "WriteFailed" : "SubPathFrozen", message };
}

function frozenText(use: PodUse, { object }: HeldContent, { wanted }: ObjectStage): string {
  const what = `${use.kind} ${JSON.stringify(use.name)}`;
  const part = use.how === "env" ? "environment" : "command line";
  const names = use.variables.length > 0 ? ` (${use.variables.join(", ")})` : "";
  const had =
    typeof object === "object"
      ? `has version ${short(object.version)} of ${what}`
      : `was made without ${what}`;
  const has =
    wanted === undefined ? "which is gone now" : `which has version ${short(wanted.version)} now`;
  return `The ${part} of container ${JSON.stringify(use.container)}${names} ${had}, ${has}. It stays as it is until the container starts anew: ${fixOf(use)}`;
}

function recreatedText(use: PodUse): string {
  const what = `${use.kind} ${JSON.stringify(use.name)}`;
  return `Container ${JSON.stringify(use.container)} was started with an immutable ${what} that was deleted and made anew with other content: ${fixOf(use)}. Give new content a new name (driftless.dev/versioned: "true" does that)`;
}

function fixOf({ how }: PodUse): string {
  const restart =
    'restart the pod, or have that done with the annotation driftless.dev/reload: "auto"';
  return how === "env" || how === "args" ? `${restart}, or use a volume, which follows` : restart;
}

export function writeFailed(use: PodUse, { volumes, failures }: PodFacts): FoundDrift | undefined {
  const failure = volumes.get(use.volume)?.failure ?? failures.get(use.volume);
  if (failure === undefined) return undefined;
  return {
    reason: "WriteFailed",
    message: `Volume ${JSON.stringify(use.volume)} could not be refreshed: ${describe(failure)}. The last good content stays; it is tried again`,
    sinceMs: undefined,
  };
}

function unconfirmed(
  { use, held, confirmation }: JudgedUse,
  facts: PodFacts,
): FoundDrift | undefined {
  const { refusal, missing, reload } = confirmation;
  if (refusal) {
    const message = refusalText(use, refusal, facts);
    return { reason: "GateRejected", message, sinceMs: refusal.rejected?.atMs };
  }
  if (missing === undefined || missing.lateAtMs > facts.nowMs) return undefined;
  const who = `container ${JSON.stringify(use.container)}`;
  const message =
    missing.who === "reload"
      ? `The files show the new content, but ${who} could not be told (${reload?.action ?? ""})${reasonOf(reload?.message)}. It is tried again; see that the action works`
      : `The files show the new content, but ${who} has not confirmed it, as it did before. See its log; restart the pod if it hangs`;
  return { reason: "NotConfirmed", message, sinceMs: held?.atMs };
}

function reasonOf(message: string | undefined): string {
  return message ? `: ${message}` : "";
}

const MAX_REASON_CHARACTERS = 200;

/** The words are the process's own: beside a Secret they may be about its content. */
function refusalText(use: PodUse, { pid, rejected }: Acknowledgement, facts: PodFacts): string {
  const { versions = [] } = facts.volumes.get(use.volume) ?? {};
  const isConfidential = use.kind === "Secret" || versions.some(({ kind }) => kind === "Secret");
  const reason = isConfidential ? "" : (rejected?.reason ?? "").slice(0, MAX_REASON_CHARACTERS);
  return `Process ${pid} of container ${JSON.stringify(use.container)} refuses the new content${reasonOf(reason)}. It goes on with what it had: correct the content, or what checks it`;
}

function short(version: string): string {
  return version.slice(0, SHORT_VERSION_DIGITS);
}
