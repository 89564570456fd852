// This side of the load generator.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { DriftlessServer } from "../../test/support/driftless-server.ts";
import { readCredentials } from "../../test/support/driftless-server.ts";
import type { Job, Results, Target } from "./jobs.ts";

type Reply = { readonly result: Results[Job["do"]] } | { readonly failure: string };

export class Generator implements Disposable {
  readonly #child: ChildProcess = fork(
    fileURLToPath(new URL("load-generator.ts", import.meta.url)),
  );

  /** One job at a time. */
  async run<J extends Job>(job: J): Promise<Results[J["do"]]> {
    const settled = new AbortController();
    const { signal } = settled;
    const answered = once(this.#child, "message", { signal }) as Promise<[Reply]>;
    const ended = once(this.#child, "exit", { signal }).then((): never => {
      throw new Error(`The load generator ended during "${job.do}"`);
    });
    ended.catch(() => undefined);
    this.#child.send(job);
    const [reply] = await Promise.race([answered, ended]).finally(() => settled.abort());
    if ("failure" in reply) throw new Error(`Cannot measure: ${reply.failure}`);
    return reply.result as Results[J["do"]];
  }

  [Symbol.dispose](): void {
    this.#child.kill();
  }
}

export function targetOf(server: DriftlessServer): Target {
  const { ca, cert, key } = readCredentials(server.kubeconfig);
  return {
    host: "127.0.0.1",
    port: server.port,
    ca: ca.toString(),
    cert: cert.toString(),
    key: key.toString(),
  };
}
