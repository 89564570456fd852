// The rules as a table of Markdown: docs/lint.md has it between two marks, and a test holds the two together.

import { rules } from "../rules.ts";

export function ruleTable(): string {
  const rows = rules.map(({ id, name, severity, what, why, fix, isFixable }) => {
    const mended = isFixable === true ? `${fix} \`--fix\` does it.` : fix;
    return `| ${id} | \`${name}\` | ${severity} | ${cell(what)}. ${cell(why)} | ${cell(mended)} |`;
  });
  return [
    "| Id | Name | Severity | What, and why | What helps |",
    "| --- | --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
