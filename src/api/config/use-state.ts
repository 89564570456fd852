// Whether a consumer has what it should have, in one word: what `status` shows, `--wait` waits for, and metrics count. From a view, and from
// what is known besides: the object as it is now, and whether the node can be asked, which a view of a node that is away cannot know.

import type { ConfigUse } from "../types.ts";

/** InSync: what the process can read, or was started with, is the wanted content. Applied or not is said apart. */
export type UseState = "InSync" | "Behind" | "Frozen" | "Rejected" | "Unknown";

export interface UseJudgement {
  readonly state: UseState;
  /** The drift's reason, or "" where time alone will do. */
  readonly reason: string;
  /** What is the matter and what would fix it; "" when in sync. */
  readonly message: string;
  /** Since when it has had what it has; undefined when nobody knows. ISO time. */
  readonly since: string | undefined;
  /** The process has said that it runs with this content, or was started with it. */
  readonly isConfirmed: boolean;
}

/** What is known besides the view. */
export interface JudgedObject {
  /** The version of the object now; "gone" if there is none; undefined if the asker may not read it: then the view's word counts. */
  readonly version: string | undefined;
  /** The consumer does without the object: having nothing of one that is gone is right. */
  readonly isOptional?: boolean;
  /** Why the node cannot be asked, as a sentence. Its views are old then, whatever they say. */
  readonly nodeAway?: string | undefined;
}

/** Those that are not here are Behind, also reasons of a newer server: there is a difference, and that is all we know. */
const states: Readonly<Record<string, UseState>> = {
  // No delivery ends these: only a new container has something else.
  ArgsFrozen: "Frozen",
  EnvFrozen: "Frozen",
  ImmutableRecreated: "Frozen",
  SubPathFrozen: "Frozen",
  GateRejected: "Rejected",
  NodeAway: "Unknown",
};

/** Never InSync by a view that is not about the content that the object has now, nor by one of a node that is away. */
export function judgeUse(use: ConfigUse, object: JudgedObject): UseJudgement {
  const { state, reason, message } = found(use, object);
  const { onDisk, applied } = use;
  const isConfirmed = state !== "Unknown" && applied !== undefined && applied.hash === onDisk?.hash;
  return { state, reason, message, since: onDisk?.at, isConfirmed };
}

type Finding = Pick<UseJudgement, "state" | "reason" | "message">;

const inSync: Finding = { state: "InSync", reason: "", message: "" };

function found(use: ConfigUse, object: JudgedObject): Finding {
  const away = awayFrom(use, object);
  if (away !== undefined) return away;
  const viewed = use.wanted?.hash;
  const wanted = object.version === "gone" ? undefined : (object.version ?? viewed);
  if (wanted !== viewed) return overtaken(use, wanted);
  if (use.drift !== undefined) return drifted(use.drift);
  if (wanted === undefined) return ofNothing(use, object);
  if (use.onDisk === undefined) return late("its container has not started yet");
  if (use.onDisk.hash !== wanted) return late("the new content is on its way");
  return unconfirmed(use, wanted) ?? inSync;
}

function awayFrom({ drift }: ConfigUse, { nodeAway }: JudgedObject): Finding | undefined {
  if (drift?.reason === "NodeAway") return drifted(drift);
  if (nodeAway === undefined) return undefined;
  return { state: "Unknown", reason: "NodeAway", message: nodeAway };
}

/** The view is about a content that the object no longer has. What is frozen stays so, unless that content came back. */
function overtaken({ drift, onDisk }: ConfigUse, wanted: string | undefined): Finding {
  if (drift !== undefined && stateOf(drift.reason) === "Frozen" && onDisk?.hash !== wanted) {
    return drifted(drift);
  }
  return late(
    wanted === undefined
      ? "the object is gone, and its node has not reported on that yet"
      : "its node has not reported on this version yet",
  );
}

function drifted({ reason, message = "" }: NonNullable<ConfigUse["drift"]>): Finding {
  return { state: stateOf(reason), reason, message };
}

function stateOf(reason: string): UseState {
  return Object.hasOwn(states, reason) ? (states[reason] ?? "Behind") : "Behind";
}

/** Neither the object nor its view knows of a content. */
function ofNothing({ onDisk }: ConfigUse, object: JudgedObject): Finding {
  if (object.version !== "gone") {
    return { state: "Unknown", reason: "", message: "nothing is known of the object" };
  }
  if (onDisk !== undefined) return late("the object is gone; the last content of it stays");
  return object.isOptional === true ? inSync : late("the object does not exist: create it");
}

/** Files alone do not make it true for a process that is known to say when it has them. */
function unconfirmed(
  { applied, confirmedBy, reload }: ConfigUse,
  wanted: string,
): Finding | undefined {
  if (reload !== undefined && reload.hash === wanted && reload.result !== "Succeeded") {
    const why = reload.message === undefined || reload.message === "" ? "" : `: ${reload.message}`;
    return late(
      reload.result === "Failing"
        ? `the process could not be told (${reload.action})${why}`
        : `the process is being told (${reload.action})`,
    );
  }
  const confirms = applied !== undefined && confirmedBy !== "Start";
  if (!confirms || applied.hash === wanted) return undefined;
  return late("on disk; the process has not confirmed it yet");
}

function late(message: string): Finding {
  return { state: "Behind", reason: "", message };
}
