// An example that needs no Kubernetes: its start.sh, as a README says it, on a copy of the example with ports and directories of its own. Whatever was started from it is ended
// with it: by its process group, and what has left that by its environment, command line or directory.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "../../src/base/errors.ts";
import type { EnsuredBinary } from "../../tools/debian-later.ts";
import { eventually } from "../up/driftless-up.ts";
import { environmentFor } from "./debian-programs.ts";
import { copiedCheckout, environmentIn } from "./play-example.ts";
import { ReadmeSession, stepsOf } from "./readme-session.ts";

export interface LocalExampleOptions {
  readonly name: string;
  readonly programs: readonly EnsuredBinary[];
  /** The directory in which it works, such as /tmp/web: here it is another. */
  readonly work: string;
  /** Words of the example's files, and what they are in the copy. */
  readonly replace: Readonly<Record<string, string>>;
}

export class LocalExample implements AsyncDisposable {
  readonly root: string = mkdtempSync(join(tmpdir(), "driftless-example-"));
  /** Where it works. */
  readonly work: string;
  /** The copy. */
  readonly folder: string;
  readonly #checkout: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #started: ChildProcess[] = [];
  /** What start.sh and all that it has started have said. */
  log = "";

  constructor({ name, programs, work, replace }: LocalExampleOptions) {
    // Programs that do not want to be root's have to get there.
    chmodSync(this.root, 0o755);
    this.work = join(this.root, work.replace("/tmp/", ""));
    this.#checkout = copiedCheckout(name, join(this.root, "checkout"), {
      ...{ [work]: this.work, ...replace },
    });
    this.folder = join(this.#checkout, "examples", name);
    this.#env = environmentIn(this.root, environmentFor(programs));
    // Not root's alone: see above.
    chmodSync(join(this.root, "tmp"), 0o1777);
  }

  /** Does what the README says, in its order, and throws when something is not as it says: with the log, without which nobody knows why. */
  async play(): Promise<void> {
    const readme = readFileSync(join(this.folder, "README.md"), "utf8");
    await using session = new ReadmeSession({ cwd: this.#checkout, env: this.#env });
    try {
      await session.play(stepsOf(localPart(readme)));
    } catch (cause) {
      throw new Error(`${describe(cause)}\n${this.#readmeLog()}`, { cause });
    }
  }

  start(): ChildProcess {
    const child = spawn(join(this.folder, "start.sh"), [], {
      ...{ cwd: this.#checkout, env: this.#env, stdio: ["ignore", "pipe", "pipe"] },
      detached: true,
    });
    this.#started.push(child);
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.log += text;
      });
    }
    return child;
  }

  until(what: string, isSo: () => boolean): Promise<void> {
    return eventually(what, () => {
      if (!isSo()) throw new Error(`not so: ${this.log}`);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#started) await end(child);
    for (const { pid = 0 } of this.#started) kill(-pid, "SIGKILL");
    for (const pid of this.#processes()) kill(pid, "SIGKILL");
    await eventually("the end of all that was started", () => {
      const still = this.#processes();
      if (still.length > 0) throw new Error(`there is ${still.join()}`);
    });
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Where every README lets start.sh write. */
  #readmeLog(): string {
    const log = `${this.work}.log`;
    return existsSync(log) ? readFileSync(log, "utf8") : "There is no log.";
  }

  #processes(): readonly number[] {
    const isOurs = (pid: number): boolean =>
      [readOf(pid, "environ"), readOf(pid, "cmdline"), cwdOf(pid)].some((text) =>
        text.includes(this.root),
      );
    return readdirSync("/proc")
      .map(Number)
      .filter((pid) => pid > 0 && isOurs(pid));
  }
}

/** Ends what `start` has started, as Ctrl-C does. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, "close");
  child.kill("SIGTERM");
  await closed;
}

/** What stands below "In a pod" needs a Kubernetes. */
function localPart(readme: string): string {
  return readme.split(/^## In a pod$/m)[0] ?? "";
}

/** All of a README that knows nothing else. */
export function podPart(readme: string): string {
  return readme.split(/^## In a pod$/m)[1] ?? readme;
}

function readOf(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return ""; // It has ended.
  }
}

function cwdOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return ""; // It has ended.
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It was faster.
  }
}
