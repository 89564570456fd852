// The commands of an example's README, pasted into one shell, in the order in which they stand there. A block of commands that is followed
// by a block of output must print that; "…" in it stands for anything.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { eventually } from "../up/driftless-up.ts";

export interface Step {
  readonly commands: string;
  /** What the README shows below them. */
  readonly output: string | undefined;
}

/** Commands that only look, so that they can be repeated until they show what is to be seen. */
const LOOK = /^(?:curl|grep|psql|redis-cli|(?:\.\/driftless|kubectl) (?:get|logs|exec)) /;

export function stepsOf(readme: string): readonly Step[] {
  const steps: Step[] = [];
  for (const [, language, text = ""] of readme.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)) {
    const last = steps.at(-1);
    if (language === "sh") steps.push({ commands: text, output: undefined });
    else if (language === "" && last) steps.splice(-1, 1, { ...last, output: text });
  }
  return steps;
}

/** Whether the text is what was meant, but for spaces, and for "…". */
export function isShown(output: string, meant: string): boolean {
  const parts = meant
    .trim()
    .split(/ *… */)
    .map((part) => escaped(spaced(part)));
  return new RegExp(`^${parts.join("[^\n]*")}$`).test(spaced(output.trim()));
}

function escaped(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}

function spaced(text: string): string {
  return text.replaceAll(/[ \t]+/g, " ");
}

export interface SessionOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

export class ReadmeSession implements AsyncDisposable {
  readonly #shell: ChildProcess;
  readonly #ended: Promise<unknown>;
  #said = "";

  constructor({ cwd, env }: SessionOptions) {
    // Of its own group, so that nothing that it has started stays.
    this.#shell = spawn("sh", [], { cwd, env, detached: true, stdio: ["pipe", "pipe", "inherit"] });
    this.#ended = once(this.#shell, "close");
    this.#shell.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#said += text;
    });
    this.#shell.stdin?.write("exec 2>&1\n");
  }

  async play(steps: readonly Step[]): Promise<void> {
    for (const { commands, output } of steps) {
      if (output === undefined) await this.#succeed(commands);
      else if (LOOK.test(commands)) await eventually(commands, () => this.#show(commands, output));
      else await this.#show(commands, output);
    }
  }

  async #succeed(commands: string): Promise<void> {
    const { code, output } = await this.#paste(commands);
    assert.equal(code, 0, `${commands}${output}`);
  }

  async #show(commands: string, meant: string): Promise<void> {
    const { output } = await this.#paste(commands);
    assert.ok(isShown(output, meant), `${commands}printed\n${output}in place of\n${meant}`);
  }

  /** What the commands print, and how the last of them ends. */
  async #paste(commands: string): Promise<{ readonly output: string; readonly code: number }> {
    this.#said = "";
    this.#shell.stdin?.write(`${commands.trimEnd()}\necho "<ended with $?>"\n`);
    return eventually(`the end of ${commands}`, () => {
      const [, output, code] = /^([\s\S]*?)<ended with (\d+)>\n$/.exec(this.#said) ?? [];
      if (output === undefined) throw new Error(`it has said ${this.#said}`);
      return { output, code: Number(code) };
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { pid, exitCode } = this.#shell;
    if (pid !== undefined && exitCode === null) process.kill(-pid, "SIGKILL");
    await this.#ended;
  }
}
