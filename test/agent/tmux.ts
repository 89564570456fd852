// A terminal for programs that look at one: keys go in, and what the screen shows comes out.

import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { tempDir } from "../../src/base/testing/temp-dir.ts";

/** Only a test that fails waits as long. */
const PATIENCE_MS = 60_000;

export class Tmux implements Disposable {
  readonly #directory = tempDir();

  /** The screen stays when the command has ended. */
  constructor(
    command: readonly string[],
    size: { readonly columns: number; readonly rows: number },
  ) {
    const { columns, rows } = size;
    const quoted = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
    this.#run(
      "-f",
      "/dev/null",
      "new-session",
      "-d",
      "-x",
      String(columns),
      "-y",
      String(rows),
      "cat",
    );
    this.#run("set-option", "-g", "remain-on-exit", "on");
    this.#run("set-option", "-g", "window-size", "manual");
    this.#run("respawn-pane", "-k", `env TERM=xterm ${quoted}; echo ended with $?`);
  }

  get screen(): string {
    return this.#run("capture-pane", "-p", "-S", "-1000");
  }

  /** Text, or names of keys such as C-c. */
  type(...keys: readonly string[]): void {
    this.#run("send-keys", ...keys);
  }

  resize(columns: number, rows: number): void {
    this.#run("resize-window", "-x", String(columns), "-y", String(rows));
  }

  async shows(pattern: RegExp): Promise<void> {
    const until = performance.now() + PATIENCE_MS;
    while (!pattern.test(this.screen)) {
      if (performance.now() > until) throw new Error(`no ${pattern} on the screen: ${this.screen}`);
      await sleep(20);
    }
  }

  [Symbol.dispose](): void {
    try {
      this.#run("kill-server");
    } catch {
      // It has ended by itself.
    }
    this.#directory[Symbol.dispose]();
  }

  #run(...args: readonly string[]): string {
    const socket = `${this.#directory.path}/tmux`;
    return execFileSync("tmux", ["-S", socket, ...args], { encoding: "utf8", stdio: "pipe" });
  }
}
