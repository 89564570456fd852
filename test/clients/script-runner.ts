// Runs one case of a command script in a namespace, a home and a discovery cache of its own.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import {
  maskedLines,
  matchesLines,
  type ScriptCase,
  type ScriptCommand,
} from "./command-script.ts";

export interface CaseEnvironment {
  readonly kubectl: string;
  readonly kubeconfig: string;
  readonly serverUrl: string;
  /** Has to be there already. */
  readonly namespace: string;
  /** The directory with the files that the commands name. */
  readonly fixtures: string;
}

interface Outcome {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Running {
  readonly command: ScriptCommand;
  readonly child: ChildProcess;
  readonly printed: { stdout: string; stderr: string };
}

// Far beyond what it takes: on a busy machine a slow watch is not a broken one.
const patienceMs = 60_000;
const pollMs = 20;

/** Runs the commands in order, also after one that was not as expected, and says all that was not. */
export async function runCase(
  { commands }: ScriptCase,
  environment: CaseEnvironment,
): Promise<string[]> {
  using dir = tempDir();
  dir.write({ "bin/kubectl": wrapper(environment, dir.path), "tmp/.keep": "" });
  chmodSync(dir.join("bin/kubectl"), 0o755);
  const env = {
    PATH: `${dir.join("bin")}:${process.env["PATH"]}`,
    HOME: dir.path,
    TMPDIR: dir.join("tmp"),
    KUBECONFIG: environment.kubeconfig,
    // A process that lives for a tenth of a second needs no garbage collection.
    GOGC: "off",
    NS: environment.namespace,
  };
  const start = (text: string): Omit<Running, "command"> => {
    const child = spawn("/bin/sh", ["-c", text], {
      cwd: environment.fixtures,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const printed = { stdout: "", stderr: "" };
    for (const stream of ["stdout", "stderr"] as const) {
      child[stream].setEncoding("utf8").on("data", (text: string) => {
        printed[stream] += text;
      });
    }
    return { child, printed };
  };
  const names = { [environment.namespace]: "NS", [environment.serverUrl]: "SERVER" };
  const run = async (command: ScriptCommand): Promise<string[]> => {
    const { child, printed } = start(command.text);
    const [exitCode] = (await once(child, "close")) as [number | null];
    return compare(command, { exitCode, ...printed }, names);
  };
  const settled = async (command: ScriptCommand): Promise<string[]> => {
    let found = await run(command);
    const giveUpMs = performance.now() + patienceMs;
    while (command.isAwaited && found.length > 0 && performance.now() < giveUpMs) {
      await sleep(pollMs);
      found = await run(command);
    }
    return found;
  };
  const faults: string[] = [];
  const inBackground: Running[] = [];
  try {
    for (const command of commands) {
      if (command.inBackground) {
        // It says on standard error, at this level, when its watch was answered.
        const running = { command, ...start(`exec ${command.text} -v=6`) };
        inBackground.push(running);
        await until(() => /watch=true.*200 OK/.test(running.printed.stderr));
      } else {
        faults.push(...(await settled(command)));
      }
    }
    for (const { command, child, printed } of inBackground) {
      const fault = (): string[] =>
        compare(command, { exitCode: child.exitCode, stdout: printed.stdout, stderr: "" }, names);
      await until(() => fault().length === 0);
      faults.push(...fault());
    }
  } finally {
    for (const { child } of inBackground) child.kill("SIGKILL");
  }
  return faults;
}

/** What a command line means by kubectl: this one, in this namespace, knowing nothing yet. */
function wrapper({ kubectl, namespace }: CaseEnvironment, home: string): string {
  return `#!/bin/sh\nexec ${kubectl} --cache-dir=${home}/cache --namespace=${namespace} "$@"\n`;
}

async function until(holds: () => boolean): Promise<void> {
  const giveUpMs = performance.now() + patienceMs;
  while (!holds() && performance.now() < giveUpMs) await sleep(pollMs);
}

function compare(
  command: ScriptCommand,
  outcome: Outcome,
  names: Readonly<Record<string, string>>,
): string[] {
  const said = (stream: "stdout" | "stderr"): string[] => {
    const expected = maskedLines(command[stream].join("\n"), names);
    const actual = maskedLines(outcome[stream], names).filter((line) => !isHaste(line));
    return matchesLines(expected, actual)
      ? []
      : [`  ${stream} expected:`, ...indent(expected), `  ${stream} printed:`, ...indent(actual)];
  };
  const exitCode = command.exitCode ?? (command.inBackground ? null : 0);
  const faults = [
    ...(outcome.exitCode === exitCode
      ? []
      : [`  exit code ${outcome.exitCode} instead of ${exitCode}`]),
    ...said("stdout"),
    ...said("stderr"),
  ];
  return faults.length === 0 ? [] : [`${command.at}: ${command.text}`, ...faults];
}

/** On a busy machine the newer ones remark in their log that a watch with a time limit of a second was short. */
function isHaste(line: string): boolean {
  return line.includes("very short watch:");
}

function indent(lines: readonly string[]): string[] {
  return lines.map((line) => `    ${line}`);
}
