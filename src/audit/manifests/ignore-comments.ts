// Comments that switch rules off where they stand:
//   subPath: app.conf   # driftless-lint-disable-line DL101
//   # driftless-lint-disable-next-line DL101, DL201
//   # driftless-lint-disable-file DL106
// Without ids they mean every rule.

import { ignoredRules } from "../judge.ts";

/** Whether a finding of this rule on this line, counted from 1, is not wanted. */
export type Ignored = (ruleId: string, line: number) => boolean;

export function ignoredBy(text: string): Ignored {
  const byLine = new Map<number, readonly string[]>();
  const everywhere: string[] = [];
  if (!text.includes("driftless-lint-disable-")) return () => false;
  for (const [index, line] of text.split("\n").entries()) {
    const [, where, words = ""] = COMMENT.exec(line) ?? [];
    if (where === undefined) continue;
    const ids = words.trim() === "" ? ["all"] : ignoredRules(words);
    if (where === "file") everywhere.push(...ids);
    const at = where === "line" ? index + 1 : index + 2;
    if (where !== "file") byLine.set(at, [...(byLine.get(at) ?? []), ...ids]);
  }
  return (ruleId, line) =>
    [...everywhere, ...(byLine.get(line) ?? [])].some((id) => id === "all" || id === ruleId);
}

const COMMENT = /#\s*driftless-lint-disable-(line|next-line|file)\b([^#]*)/;
