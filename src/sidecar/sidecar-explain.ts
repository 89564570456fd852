// What --explain prints: where everything comes from, what becomes of it, what is checked, who is told.

import { SHORT_VERSION_DIGITS } from "../base/content-version.ts";
import type { Composed } from "./compose.ts";
import type { Compose, GateSpec, OutputSpec, ReloadSpec, SourceSpec } from "./compose-model.ts";
import { isSecretFile } from "./gate/has-secrets.ts";
import { reloadText } from "./reload-tries.ts";
import type { SourceState } from "./source.ts";
import { sizeText, terminalText } from "./terminal-text.ts";

export interface Explanation {
  readonly spec: Compose;
  readonly states: ReadonlyMap<string, SourceState>;
  readonly composed: Composed;
  /** Undefined where nothing is kept. */
  readonly stateDirectory: string | undefined;
}

interface Branch {
  readonly text: string;
  readonly below: readonly Branch[];
}

export function explainText({ spec, states, composed, stateDirectory }: Explanation): string {
  const sources = [...spec.sources].map(([name, one]) => {
    const isWatched = spec.watched?.includes(name) === true;
    return sourceBranch(isWatched ? `${name} (only watched)` : name, one, states.get(name));
  });
  const kept = stateDirectory === undefined ? [] : [leaf(`last good version: ${stateDirectory}`)];
  const branches: readonly Branch[] = [
    { text: "sources", below: sources },
    { text: `files ${outputText(spec.output)}`, below: [...fileBranches(composed), ...kept] },
    { text: "gate", below: gateBranches(spec.gate) },
    { text: `reload ${waitText(spec.reload)}`, below: reloadBranches(spec.reload) },
  ];
  return `${branches.flatMap(({ text, below }) => [terminalText(text), ...linesOf(below)]).join("\n")}\n`;
}

function linesOf(branches: readonly Branch[], indent = ""): readonly string[] {
  return branches.flatMap(({ text, below }, index) => {
    const isLast = index === branches.length - 1;
    const next = `${indent}${isLast ? "   " : "│  "}`;
    return [`${indent}${isLast ? "└─ " : "├─ "}${terminalText(text)}`, ...linesOf(below, next)];
  });
}

function leaf(text: string): Branch {
  return { text, below: [] };
}

function sourceBranch(name: string, spec: SourceSpec, state: SourceState | undefined): Branch {
  const head = `${name}: ${sourceText(spec)}`;
  const problem = state?.problem === undefined ? [] : [leaf(`problem: ${state.problem}`)];
  if (state?.state !== "known") return { text: `${head}, nothing yet`, below: problem };
  const { files, version: whole } = state.content;
  const isSecret = [...files.values()].some((file) => file.isSecret);
  const version = isSecret ? undefined : whole.slice(0, SHORT_VERSION_DIGITS);
  const below = [...files].map(([file, { data, origin, isSecret: hidden }]) =>
    // Where it comes from is said by the source, unless it has several places.
    leaf(
      `${file}  ${sizeText(data)}${hidden ? ", secret" : ""}${spec.type === "objects" ? `, ${origin}` : ""}`,
    ),
  );
  return {
    text: `${head}${version === undefined ? "" : `, version ${version}`}`,
    below: [...problem, ...below],
  };
}

function sourceText(spec: SourceSpec): string {
  switch (spec.type) {
    case "directory":
    case "file":
      return `${spec.type} ${spec.path}`;
    case "environment":
      return `environment ${spec.names.join(", ")}`;
    case "objects": {
      const what = spec.names?.join(", ") ?? `with ${spec.labelSelector ?? "any labels"}`;
      const { namespaces } = spec;
      const where = namespaces === "*" ? "all namespaces" : namespaces?.join(", ");
      return `${spec.kinds.join(" and ")} ${what} in ${where ?? "its own namespace"}`;
    }
    case "url": {
      const { protocol, host, pathname } = new URL(spec.url);
      return `${protocol}//${host}${pathname} every ${spec.intervalMs / 1000} s`;
    }
  }
}

function outputText(output: OutputSpec): string {
  switch (output.type) {
    case "volume":
      return `in the volume ${output.path}, switched at one instant`;
    case "files":
      return `in ${output.path}, each replaced by a rename`;
    case "none":
      return "are not written";
  }
}

function fileBranches(composed: Composed): readonly Branch[] {
  if ("problems" in composed) return composed.problems.map((one) => leaf(`problem: ${one}`));
  const { candidate, made, notes } = composed;
  const files = [...candidate.files].map(([path, file]): Branch => {
    const mode = file.mode.toString(8).padStart(4, "0");
    const owner = file.owner === undefined ? "" : ` ${file.owner.uid}:${file.owner.gid}`;
    const secret = isSecretFile(file) ? ", secret" : "";
    const text = `${path}  ${sizeText(file.data)}, ${mode}${owner}${secret}`;
    return { text, below: (made.get(path)?.from ?? []).map((from) => leaf(`from ${from}`)) };
  });
  return [...files, ...notes.map((note) => leaf(`note: ${note}`))];
}

function gateBranches({ schemas, command, timeoutMs }: GateSpec): readonly Branch[] {
  const all = schemas.map(({ file, schemaFile }) => leaf(`${file} fulfils ${schemaFile}`));
  const asked = command === undefined ? [] : [leaf(`${command.join(" ")} ends with 0`)];
  if (all.length + asked.length === 0) return [leaf("none: everything is let through")];
  return [...all, ...asked, leaf(`each within ${timeoutMs / 1000} s`)];
}

function waitText({ minWaitMs, maxWaitMs }: ReloadSpec): string {
  return `after ${minWaitMs / 1000} s of quiet, at most ${maxWaitMs / 1000} s`;
}

function reloadBranches({ actions, onStart }: ReloadSpec): readonly Branch[] {
  if (actions.length === 0) return [leaf("nobody is told")];
  const start = onStart ? [leaf("once at the start, too")] : [];
  return [...actions.map((action) => leaf(reloadText(action))), ...start];
}
