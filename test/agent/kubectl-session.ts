// kubectl with something going on: what it is given and what it says, while it runs.

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { type KubectlLine, kubectlBinary } from "../clients/kubectl-binaries.ts";

export interface Said {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export class KubectlSession implements Disposable {
  readonly child: ChildProcessWithoutNullStreams;
  readonly #ended: Promise<unknown>;
  readonly #stdout: Buffer[] = [];
  #stderr = "";

  constructor(path: string, args: readonly string[]) {
    this.child = spawn(path, args, { stdio: "pipe" });
    this.#ended = once(this.child, "close");
    this.child.stdin.on("error", () => undefined); // It may end before it has read all.
    this.child.stdout.on("data", (bytes: Buffer) => this.#stdout.push(bytes));
    this.child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr += text;
    });
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#stdout);
  }

  get stdout(): string {
    return this.bytes.toString("utf8");
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** Waits for it to say something that matches. */
  async says(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.stdout) && !pattern.test(this.#stderr)) {
      const isOver = this.child.exitCode !== null || this.child.signalCode !== null;
      if (isOver) {
        // Its last words may still be on their way.
        await this.#ended;
        if (pattern.test(this.stdout) || pattern.test(this.#stderr)) return;
        throw new Error(`it ended without ${pattern}: ${this.stdout}${this.#stderr}`);
      }
      await sleep(10);
    }
  }

  async ended(): Promise<Said> {
    await this.#ended;
    return { code: this.child.exitCode, stdout: this.stdout, stderr: this.#stderr };
  }

  [Symbol.dispose](): void {
    this.child.kill("SIGKILL");
  }
}

/** For one server. */
export class Kubectl {
  readonly version: string;
  readonly #path: string;
  readonly #kubeconfig: string;

  private constructor(path: string, version: string, kubeconfig: string) {
    this.#path = path;
    this.version = version;
    this.#kubeconfig = kubeconfig;
  }

  /** A text if it cannot be had: why. */
  static async of(line: KubectlLine, kubeconfig: string): Promise<Kubectl | string> {
    const found = await kubectlBinary(line);
    return found.ok ? new Kubectl(found.path, found.version, kubeconfig) : found.reason;
  }

  start(...args: readonly string[]): KubectlSession {
    return new KubectlSession(this.#path, ["--kubeconfig", this.#kubeconfig, ...args]);
  }

  /** To its end, with nothing to read. */
  async run(...args: readonly string[]): Promise<Said> {
    return this.runWith("", ...args);
  }

  async runWith(input: string | Buffer, ...args: readonly string[]): Promise<Said> {
    using session = this.start(...args);
    session.child.stdin.end(input);
    return await session.ended();
  }
}
