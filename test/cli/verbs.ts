// The everyday verbs as people call them: the program itself, beside kubectl on the same server.

import { KubectlSession, type Said } from "../agent/kubectl-session.ts";

const program = new URL("../../src/cmd/driftless.ts", import.meta.url).pathname;

export class Verbs {
  readonly #kubeconfig: string;

  constructor(kubeconfig: string) {
    this.#kubeconfig = kubeconfig;
  }

  /** How it is called, for terminals. */
  words(...args: readonly string[]): readonly string[] {
    const [verb = "", ...rest] = args;
    return [process.execPath, program, verb, "--kubeconfig", this.#kubeconfig, ...rest];
  }

  start(...args: readonly string[]): KubectlSession {
    const [node = "", ...rest] = this.words(...args);
    return new KubectlSession(node, rest);
  }

  /** To its end, with nothing to read. */
  run(...args: readonly string[]): Promise<Said> {
    return this.runWith("", ...args);
  }

  async runWith(input: string | Buffer, ...args: readonly string[]): Promise<Said> {
    using session = this.start(...args);
    session.child.stdin.end(input);
    return await session.ended();
  }
}
