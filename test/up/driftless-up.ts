// A real `driftless up` as a child process, on a free port. When it is disposed everything of it goes, also what a test that failed
// has left running: containers, mounts, files.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as consumeText } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { removeCgroupsOf } from "../support/agent-cgroups.ts";
import { mountsBelow, processesBelow } from "../support/driftless-node.ts";
import { readCredentials } from "../support/driftless-server.ts";

export const program: string = new URL("../../src/cmd/driftless.ts", import.meta.url).pathname;

/** Longer than anything takes on a busy machine; only a test that fails waits as long. */
const PATIENCE_MS = 60_000;

export interface UpOptions {
  readonly flags?: readonly string[];
  /** Whom it runs as, if not as whoever runs the test. */
  readonly uid?: number;
  readonly listen?: string;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A directory for one after the other. */
export class UpDirectory implements AsyncDisposable {
  readonly root: string = mkdtempSync(join(tmpdir(), "driftless-up-"));
  readonly path: string = join(this.root, "data");
  readonly #started: DriftlessUp[] = [];

  get kubeconfig(): string {
    return join(this.path, "kubeconfig");
  }

  /** Settles when it said that it is ready. */
  async start(options: UpOptions = {}): Promise<DriftlessUp> {
    const up = this.begin(options);
    await up.says(/is ready in \d+ ms[\s\S]*Ctrl-C/);
    return up;
  }

  begin(options: UpOptions = {}): DriftlessUp {
    if (options.uid !== undefined) chownSync(this.root, options.uid, options.uid);
    const up = new DriftlessUp(this, options);
    this.#started.push(up);
    return up;
  }

  /** Processes that have something to do with it. */
  get processes(): readonly number[] {
    return processesBelow(this.path);
  }

  get mounts(): readonly string[] {
    return mountsBelow(this.path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const up of this.#started) await up.end("SIGKILL");
    await endBelow(this.path);
    rmSync(this.root, { recursive: true, force: true });
  }
}

export class DriftlessUp {
  readonly directory: UpDirectory;
  readonly process: ChildProcess;
  readonly #ended: Promise<unknown>;
  #stdout = "";
  #stderr = "";

  constructor(directory: UpDirectory, { flags = [], uid, listen = "127.0.0.1:0" }: UpOptions) {
    this.directory = directory;
    const own = ["--data-dir", directory.path, "--listen", listen];
    const argv = [process.execPath, program, "up", ...own, ...flags];
    const as = ["setpriv", "--reuid", String(uid), "--regid", String(uid), "--clear-groups", "--"];
    const [command = "", ...args] = uid === undefined ? argv : [...as, ...argv];
    const home = uid === undefined ? {} : { HOME: directory.root };
    const { KUBECONFIG: _, ...env } = process.env;
    const child = spawn(command, args, {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...env, ...home },
    });
    this.process = child;
    this.#ended = once(child, "close");
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.#stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr += text;
    });
  }

  get stdout(): string {
    return this.#stdout;
  }

  get stderr(): string {
    return this.#stderr;
  }

  get url(): string {
    return /https:\/\/\S+/.exec(this.#stdout)?.[0] ?? "";
  }

  get nodeName(): string {
    return /^ {2}node +(\S+)/m.exec(this.#stdout)?.[1] ?? "";
  }

  async says(pattern: RegExp): Promise<void> {
    await eventually(`${pattern} from driftless up`, () => {
      const said = this.#stdout + this.#stderr;
      if (pattern.test(said)) return;
      const { exitCode, signalCode } = this.process;
      throw new Error(`it ended with ${exitCode ?? signalCode}, and said ${said}`);
    });
  }

  /** Sends the signal, if any, and waits for its end. */
  async end(signal?: NodeJS.Signals): Promise<Ended> {
    const { process: child } = this;
    if (signal !== undefined && child.exitCode === null && child.signalCode === null) {
      child.kill(signal);
    }
    await this.#ended;
    const { exitCode: code, signalCode } = child;
    return { code, signal: signalCode, stdout: this.#stdout, stderr: this.#stderr };
  }

  /** As the admin. Throws what the server said if it refuses. */
  async ask<T>(method: string, path: string, body?: object, contentType?: string): Promise<T> {
    const credentials = readCredentials(this.directory.kubeconfig);
    const headers = { "content-type": contentType ?? "application/json" };
    const sent = request(`${this.url}${path}`, { method, headers, agent: false, ...credentials });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    const text = await consumeText(answer);
    if ((answer.statusCode ?? 500) >= 300) throw new Error(`${method} ${path}: ${text}`);
    return JSON.parse(text) as T;
  }
}

/** Everything that lives on a data directory whose agent has ended. */
export async function endBelow(dataDir: string): Promise<void> {
  if (!existsSync(dataDir)) return;
  for (const pid of processesBelow(dataDir)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It ended meanwhile.
    }
  }
  await removeCgroupsOf(dataDir);
  for (const path of mountsBelow(dataDir).toReversed()) {
    execFileSync("umount", ["--lazy", path], { stdio: "pipe" });
  }
}

/** Tries until it does not throw; then the last reason is told. */
export async function eventually<T>(what: string, attempt: () => T | Promise<T>): Promise<T> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (cause) {
      if (performance.now() > until) throw new Error(`waited in vain for ${what}`, { cause });
    }
    await sleep(20);
  }
}
