// What to do now, as a pure function of how things stand. Level-triggered: versions are compared, events are not counted, so nothing that
// happens during a restart is lost, and what came and went meanwhile is never acted on.
//
//   never ──start──> running ──restart/tell──> running, on trial ──adopt──> running, good
//                       │                           │ late, or it ended
//                       │ ended                     └──back──> running with what was good before
//                       └──> end, or revive (--restart)

export interface Versions {
  readonly environmentVersion: string;
  readonly filesVersion: string;
  readonly version: string;
}

export interface Situation {
  readonly child: "never" | "running" | "ended";
  /** It ended with 0, or was asked to end. */
  readonly hasEndedWell: boolean;
  /** What it was started with, and told of since. */
  readonly applied: Versions | undefined;
  /** No: telling it of something else failed, and may have had its effect. */
  readonly isSure: boolean;
  /** The newest that is known; undefined: not everything is known yet. */
  readonly wanted: Versions | undefined;
  /** The last with which it was ready. */
  readonly good: Versions | undefined;
  /** This version failed: it is not tried again before another one was wanted. */
  readonly refused: string | undefined;
  /** Of what is applied. "reported": late, and said so. */
  readonly trial: "none" | "running" | "ready" | "late" | "reported";
  /** It was asked from outside to end, and that is final. */
  readonly isEnding: boolean;
  /** It was sent something that may end it: nothing is done to it for a while. */
  readonly isHeld: boolean;
  /** --restart */
  readonly revives: boolean;
  /** What changed files need. */
  readonly onChange: "restart" | "tell";
  /** The program reads copies of ours: files can go back too. */
  readonly ownsFiles: boolean;
}

export type Step =
  | "wait"
  | "end"
  /** For the first time, or after it ended: with what is wanted. */
  | "start"
  | "restart"
  | "tell"
  /** What is applied is good from now on. */
  | "adopt"
  /** To what was good before. */
  | "back"
  /** It is late, and there is nothing to go back to: say so, once. */
  | "report"
  /** It ended by itself: start it with what it had. */
  | "revive";

export function decide(situation: Situation): Step {
  switch (situation.child) {
    case "never":
      if (situation.isEnding) return "end";
      return hasNews(situation) ? "start" : "wait";
    case "ended":
      return afterEnd(situation);
    case "running":
      return whileRunning(situation);
  }
}

function afterEnd(situation: Situation): Step {
  const { isEnding, isHeld, hasEndedWell, trial, revives } = situation;
  if (isEnding || isHeld) return "end";
  const isOnTrial = trial !== "none" && trial !== "ready";
  if (isOnTrial && !hasEndedWell && canGoBack(situation)) return "back";
  if (!revives) return "end";
  return hasNews(situation) ? "start" : "revive";
}

function whileRunning(situation: Situation): Step {
  const { isEnding, isHeld, trial, applied, wanted, onChange } = situation;
  if (isEnding || isHeld) return "wait";
  if (trial === "ready") return "adopt";
  if (hasNews(situation)) {
    const isSameEnvironment = wanted?.environmentVersion === applied?.environmentVersion;
    return isSameEnvironment ? onChange : "restart";
  }
  if (trial === "late") return canGoBack(situation) ? "back" : "report";
  return "wait";
}

function hasNews({ wanted, applied, isSure, refused }: Situation): boolean {
  if (wanted === undefined || wanted.version === refused) return false;
  return wanted.version !== applied?.version || !isSure;
}

/** Files that are not ours stay as they are: with the same variables everything would be as before. */
function canGoBack({ good, applied, ownsFiles }: Situation): boolean {
  if (good === undefined || good.version === applied?.version) return false;
  return ownsFiles || good.environmentVersion !== applied?.environmentVersion;
}
