// The gates behind `npm run check`: all of them at once, a line for each as it ends, then everything that
// the failed ones said. `--only NAME` runs one. The last line is for machines.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { parseArgs } from "node:util";

type Command = readonly [program: string, ...args: string[]];

interface Gate {
  readonly name: string;
  /** All of them have to succeed. */
  readonly commands: readonly Command[];
}

interface Outcome {
  readonly ok: boolean;
  readonly output: string;
}

/** Folders with code of ours. oxlint gets them by name: left to itself it may walk node_modules. */
const folders = ["src", "packages", "test", "tools", "bench", "demo"];

export interface CheckOptions {
  readonly root: string;
  /** Runs only the gate of this name. */
  readonly only?: string;
  readonly color: boolean;
  readonly print: (line: string) => void;
}

/** Returns whether all gates passed. */
export async function runChecks({ root, only, color, print }: CheckOptions): Promise<boolean> {
  const all = gatesOf(root, color);
  const gates = all.filter(({ name }) => only === undefined || name === only);
  if (gates.length === 0) {
    const names = all.map(({ name }) => name);
    print(`Cannot check "${only}": the gates are ${names.join(", ")}`);
    return false;
  }
  const failed: (Outcome & { name: string })[] = [];
  await Promise.all(
    gates.map(async ({ name, commands }) => {
      const startedMs = performance.now();
      const outcomes = await Promise.all(commands.map((command) => run(command, root, color)));
      const ok = outcomes.every((outcome) => outcome.ok);
      const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
      print(`${name.padEnd(8)} ${ok ? "ok    " : "FAILED"} ${seconds.padStart(5)} s`);
      if (!ok) {
        failed.push({ name, ok, output: outcomes.map(({ output }) => output).join("") });
      }
    }),
  );
  for (const { name, output } of failed) {
    print(`\n── ${name} ──\n${output.trimEnd()}`);
  }
  print(`\n${gates.length - failed.length} gates passed, ${failed.length} gates failed`);
  return failed.length === 0;
}

function gatesOf(root: string, color: boolean): Gate[] {
  const existing = folders.filter((folder) => existsSync(join(root, folder)));
  const types: Command[] = [["tsc"]];
  if (existsSync(join(root, "packages/config/tsconfig.json"))) {
    types.push(["tsc", "-p", "packages/config"]);
  }
  return [
    // biome takes a CI for a terminal that likes colour.
    { name: "format", commands: [["biome", "ci", `--colors=${color ? "force" : "off"}`, "."]] },
    { name: "lint", commands: [["oxlint", "--deny-warnings", ...existing]] },
    { name: "types", commands: types },
    { name: "layers", commands: [["node", join(import.meta.dirname, "check-layers.ts"), root]] },
    { name: "unused", commands: [["knip"]] },
    {
      name: "deps",
      commands: existsSync(join(root, "package-lock.json"))
        ? [["node", join(import.meta.dirname, "dependencies.ts"), root]]
        : [],
    },
    { name: "docs", commands: [["node", join(import.meta.dirname, "check-docs.ts"), root]] },
  ];
}

function run([program, ...args]: Command, root: string, color: boolean): Promise<Outcome> {
  // The project's own Node and tools first, however this script was started.
  const path = [join(root, "node_modules/.bin"), process.env["PATH"]].join(delimiter);
  const { FORCE_COLOR: _, ...clean } = process.env;
  const env = { ...clean, PATH: path, ...(color ? { FORCE_COLOR: "1" } : { NO_COLOR: "1" }) };
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    }
    child.on("error", (err) => resolve({ ok: false, output: `${program}: ${err.message}\n` }));
    child.on("close", (code, signal) => {
      const died = signal ? `${program} was ended by ${signal}\n` : "";
      resolve({ ok: code === 0, output: output + died });
    });
  });
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { only: { type: "string" } } });
  const ok = await runChecks({
    root: join(import.meta.dirname, ".."),
    ...(values.only !== undefined && { only: values.only }),
    color: process.stdout.isTTY,
    print: (line) => console.log(line),
  });
  process.exitCode = ok ? 0 : 1;
}
