// What --dry-run prints: how what would be written differs from what is live. Secrets are never shown, only that they differ.

import type { Composed } from "./compose.ts";
import type { Compose } from "./compose-model.ts";
import type { Verdict } from "./gate/gate.ts";
import { isSecretFile } from "./gate/has-secrets.ts";
import { plainLine } from "./gate/telling-lines.ts";
import type { Candidate, CandidateFile } from "./publisher.ts";
import { reloadText } from "./reload-tries.ts";
import { sizeText, terminalText } from "./terminal-text.ts";

export interface DryRun {
  readonly spec: Compose;
  readonly composed: Composed;
  readonly live: ReadonlyMap<string, Uint8Array>;
  /** The last good set, which says more of what is live: what is secret, and who may read it. Undefined if there is none. */
  readonly kept: Candidate | undefined;
  /** Undefined if there is nothing to judge. */
  readonly verdict: Verdict | undefined;
  /** Why the output could not be written; undefined if nothing is known to be in the way. */
  readonly obstacle?: string | undefined;
  /** The lines of a unified diff of two texts. */
  readonly diff: (before: string, after: string) => readonly string[];
}

export function dryRunText(run: DryRun): string {
  const { spec, composed, live, kept, verdict, obstacle, diff } = run;
  if ("problems" in composed) {
    return [
      "nothing would be written:",
      ...composed.problems.map((one) => `  ${terminalText(one)}`),
      "",
    ].join("\n");
  }
  const { candidate, notes } = composed;
  const { output } = spec;
  const where = output.type === "none" ? "nowhere" : `${output.path} (${output.type})`;
  const changes = changesOf(candidate, live, kept);
  const lines = [
    `${candidate.files.size} ${candidate.files.size === 1 ? "file" : "files"} to ${where}: ${countsOf(changes)}`,
    ...(obstacle === undefined ? [] : [`problem: ${terminalText(obstacle)}`]),
    ...notes.map((note) => `note: ${terminalText(note)}`),
    ...changes.flatMap((change) => changeLines(change, diff)),
    ...gateLines(verdict),
    ...(changes.length === 0
      ? []
      : spec.reload.actions.map((action) => `then: ${reloadText(action)}`)),
  ];
  return `${lines.join("\n")}\n`;
}

interface Change {
  readonly path: string;
  readonly before: LiveFile | undefined;
  readonly after: CandidateFile | undefined;
}

interface LiveFile {
  readonly data: Uint8Array;
  /** As it was written; undefined if nobody has a note of that. */
  readonly written: CandidateFile | undefined;
}

function changesOf(
  { files }: Candidate,
  live: ReadonlyMap<string, Uint8Array>,
  kept: Candidate | undefined,
): readonly Change[] {
  const paths = [...new Set([...live.keys(), ...files.keys()])].toSorted();
  return paths
    .map((path): Change => {
      const data = live.get(path);
      const note = kept?.files.get(path);
      const written = data && note && !isOther(data, note.data) ? note : undefined;
      return { path, before: data && { data, written }, after: files.get(path) };
    })
    .filter(
      ({ before, after }) =>
        before === undefined ||
        after === undefined ||
        isOther(before.data, after.data) ||
        accessChange({ before, after }) !== "",
    );
}

function isOther(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) !== 0;
}

/** ", mode 0600 before": whatever differs besides the content. */
function accessChange({ before, after }: Pick<Change, "before" | "after">): string {
  const { written } = before ?? {};
  if (written === undefined || after === undefined) return "";
  const [from, to] = [accessText(written), accessText(after)];
  return from === to ? "" : `, ${from} before`;
}

function accessText({ mode, owner }: CandidateFile): string {
  const digits = mode.toString(8).padStart(4, "0");
  return owner === undefined ? `mode ${digits}` : `mode ${digits}, owner ${owner.uid}:${owner.gid}`;
}

function countsOf(changes: readonly Change[]): string {
  if (changes.length === 0) return "nothing changes";
  const added = changes.filter(({ before }) => before === undefined).length;
  const removed = changes.filter(({ after }) => after === undefined).length;
  const changed = changes.length - added - removed;
  return [
    [added, "new"],
    [changed, "changed"],
    [removed, "removed"],
  ]
    .filter(([count]) => count !== 0)
    .map(([count, what]) => `${count} ${what}`)
    .join(", ");
}

function changeLines(change: Change, diff: DryRun["diff"]): readonly string[] {
  const { before, after } = change;
  const path = terminalText(change.path);
  const what = kindOf(before, after);
  // What is gone may have been a secret, and there is no need to show it.
  if (after === undefined) return [`${path}: ${what}`];
  const size = `${sizeText(after.data)}, ${accessText(after)}${accessChange(change)}`;
  if (isSecretFile(after)) return [`${path}: ${what}, a secret (${size})`];
  if (before !== undefined && !isOther(before.data, after.data)) {
    return [`${path}: ${what} (${size})`];
  }
  if (before !== undefined && mayBeSecret(before)) {
    return [`${path}: ${what}, not shown because it may have been a secret (${size})`];
  }
  const [from, to] = [textOf(before?.data ?? new Uint8Array()), textOf(after.data)];
  if (from === undefined || to === undefined) return [`${path}: ${what}, no text (${size})`];
  const head = [`--- ${before === undefined ? "/dev/null" : path}`, `+++ ${path}`];
  return [`${path}: ${what} (${size})`, ...head, ...diff(from, to)];
}

/** A diff shows what was there, too. */
function mayBeSecret({ written }: LiveFile): boolean {
  return written === undefined || isSecretFile(written);
}

function kindOf(before: unknown, after: unknown): string {
  if (before === undefined) return "new";
  return after === undefined ? "removed" : "changed";
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    // It goes to a terminal.
    return /[^\P{Cc}\t\n\r]/u.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

function gateLines(verdict: Verdict | undefined): readonly string[] {
  if (verdict === undefined) return ["gate: none"];
  if (!("reason" in verdict)) return ["gate: passed"];
  // What is in the reason already, and whole, is not said twice.
  const said = (verdict.output?.split("\n") ?? []).filter(
    (line) => !verdict.reason.includes(plainLine(line)),
  );
  return [
    `gate: ${verdict.verdict}: ${terminalText(verdict.reason)}`,
    ...said.map((line) => `  ${terminalText(line)}`),
  ];
}
