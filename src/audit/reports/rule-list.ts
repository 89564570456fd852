// `driftless lint --rules`: the table of rules, for people and for scripts.

import { rules } from "../rules.ts";

export function ruleListText(): string {
  const width = Math.max(...rules.map(({ name }) => name.length));
  const lines = rules.map(({ id, name, severity, what, isFixable, isLive }) => {
    const marks = [
      ...(isFixable === true ? ["--fix"] : []),
      ...(isLive === true ? ["audit only"] : []),
    ];
    const more = marks.length === 0 ? "" : ` (${marks.join(", ")})`;
    return `${id}  ${severity.padEnd(7)}  ${name.padEnd(width)}  ${what}${more}\n`;
  });
  return lines.join("");
}

export function ruleListJson(): string {
  const all = rules.map((rule) => ({ isFixable: false, isLive: false, ...rule }));
  return `${JSON.stringify(all, null, 2)}\n`;
}
