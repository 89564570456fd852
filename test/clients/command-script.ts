// Scripts of commands with what each must print: the format is in testdata/kubectl/README.md. What differs
// from run to run (ages, uids, times, widths of columns) is masked on both sides before they are compared.

import { stripVTControlCharacters } from "node:util";

export interface ScriptCommand {
  /** Where it stands: "apply.txt:12". */
  readonly at: string;
  readonly text: string;
  /** It runs until the case is over, and what follows waits until its watch has begun. */
  readonly inBackground: boolean;
  /** What it shows comes a moment later: it is run again until it is as expected. */
  readonly isAwaited: boolean;
  /** Undefined if it is not said: 0, or that it does not end. */
  readonly exitCode: number | undefined;
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
}

export interface ScriptCase {
  readonly name: string;
  readonly commands: readonly ScriptCommand[];
}

interface ScriptSource {
  readonly file: string;
  readonly text: string;
  /** Lines that are marked for other versions do not count. */
  readonly version: string;
}

interface OpenCommand extends ScriptCommand {
  exitCode: number | undefined;
  readonly stdout: string[];
  readonly stderr: string[];
}

const forVersions = /^\[([\d. ]+)\] ?(.*)$/;

/** The cases of a script that have something to run for a version. */
export function parseScript({ file, text, version }: ScriptSource): ScriptCase[] {
  const cases: { name: string; commands: OpenCommand[] }[] = [];
  let applies = true;
  for (const [index, raw] of text.split("\n").entries()) {
    const [, versions, rest] = forVersions.exec(raw) ?? [];
    const line = rest ?? raw;
    const isForThis = versions === undefined || versions.split(" ").includes(version);
    const commands = cases.at(-1)?.commands ?? [];
    if (line.startsWith("== ")) {
      cases.push({ name: line.slice(3), commands: [] });
      applies = true;
    } else if (/^[$&~] /.test(line)) {
      applies = isForThis;
      if (applies) commands.push(openCommand(line, `${file}:${index + 1}`));
    } else if (applies && isForThis) {
      expectLine(commands.at(-1), line);
    }
  }
  return cases.filter(({ commands }) => commands.length > 0);
}

function openCommand(line: string, at: string): OpenCommand {
  return {
    at,
    text: line.slice(2),
    inBackground: line.startsWith("&"),
    isAwaited: line.startsWith("~"),
    exitCode: undefined,
    stdout: [],
    stderr: [],
  };
}

function expectLine(command: OpenCommand | undefined, line: string): void {
  if (line.startsWith("$? ")) {
    if (command) command.exitCode = Number(line.slice(3));
  } else if (line.startsWith("! ")) {
    command?.stderr.push(line.slice(2));
  } else {
    command?.stdout.push(line);
  }
}

/** A line "..." in what is expected stands for any number of lines. */
export function matchesLines(expected: readonly string[], actual: readonly string[]): boolean {
  const [first, ...rest] = expected;
  if (first === undefined) return actual.length === 0;
  if (first === "...") {
    return actual.some((_, start) => matchesLines(rest, actual.slice(start))) || rest.length === 0;
  }
  return first === actual[0] && matchesLines(rest, actual.slice(1));
}

const masks: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "UID"],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "TIME"],
  [/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ [+-]\d{4}/g, "TIME"],
  [/\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, "TIME"],
  [/^([WE])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ /gm, "$1 "],
  [/("?resourceVersion"?: ?)"\d+"/g, '$1"N"'],
  [/\S*\/(LIVE|MERGED)-\d+\//g, "$1/"],
  [/\bey[\w-]+\.[\w-]+\.[\w-]+/g, "TOKEN"],
  // Of a pod template or a kustomization, and what the server puts after a generateName: their letters make no words.
  [/(?<=[-=])(?:[4-9bcdf]{7,10}|[2456789bcdfghkmt]{10})\b/g, "HASH"],
  [/(?<=[a-zH]-)[2456789bcdfghj-np-tv-xz]{5}\b/g, "ID"],
  [/(?<=^|[ \t])(?:\d+[smhdy])+(?=[ \t]|$)/gm, "AGE"],
  [/(?<=\S) {2,}/g, "  "],
  [/[ \t]+$/gm, ""],
];

/** Lines without what differs from run to run, and without empty ones at the end. */
export function maskedLines(text: string, names: Readonly<Record<string, string>>): string[] {
  let masked = stripVTControlCharacters(text);
  for (const [name, mask] of Object.entries(names)) masked = masked.replaceAll(name, mask);
  for (const [pattern, mask] of masks) masked = masked.replaceAll(pattern, mask);
  const lines = masked.split("\n");
  while (lines.at(-1) === "") lines.pop();
  return lines;
}
