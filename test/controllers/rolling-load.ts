// Load on the API, from another process: clients that write and clients that list, each with the next request a moment after it has
// the answer to the last. This file is both sides; as a program it gets its work over IPC.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { readCredentials } from "../support/driftless-server.ts";

const WRITERS = 2;
const LISTERS = 2;

interface Work {
  readonly url: string;
  readonly kubeconfig: string;
  /** Of each client, between two requests. */
  readonly pauseMs: number;
}

export class RollingLoad implements AsyncDisposable {
  readonly #child: ChildProcess;

  constructor(work: Work) {
    this.#child = fork(fileURLToPath(import.meta.url), ["--load"]);
    this.#child.send(work);
  }

  /** How many requests were answered. */
  async stop(): Promise<number> {
    const answered = once(this.#child, "message") as Promise<[number]>;
    const ended = once(this.#child, "exit").then(([code]): never => {
      throw new Error(`the load ended by itself with ${String(code)}`);
    });
    ended.catch(() => undefined);
    this.#child.send("stop");
    const [requests] = await Promise.race([answered, ended]);
    return requests;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
  }
}

if (process.argv.includes("--load")) {
  let requests = 0;
  process.on("disconnect", () => process.exit());
  process.on("message", (message: Work | "stop") => {
    if (message === "stop") {
      process.send?.(requests, () => process.exit());
      return;
    }
    const agent = new Agent({ ...readCredentials(message.kubeconfig), keepAlive: true });
    const one: Ask = async (method, path, body = "") => {
      await asked({ agent, url: message.url, method, path, body });
      requests++;
      await sleep(message.pauseMs);
    };
    for (let i = 0; i < WRITERS; i++) void write(i, one);
    for (let i = 0; i < LISTERS; i++) void list(one);
  });

  type Ask = (method: string, path: string, body?: string) => Promise<void>;

  const write = async (writer: number, ask: Ask): Promise<never> => {
    const path = "/api/v1/namespaces/default/configmaps";
    const name = `load-${writer}`;
    await ask("POST", path, JSON.stringify({ metadata: { name } }));
    for (let n = 0; ; n++) {
      const object = { metadata: { name }, data: { n: String(n), fill: "x".repeat(1000) } };
      await ask("PUT", `${path}/${name}`, JSON.stringify(object));
    }
  };

  const list = async (ask: Ask): Promise<never> => {
    for (;;) {
      for (const path of ["/api/v1/pods", "/apis/apps/v1/replicasets", "/api/v1/configmaps"]) {
        await ask("GET", path);
      }
    }
  };
}

async function asked(of: {
  readonly agent: Agent;
  readonly url: string;
  readonly method: string;
  readonly path: string;
  readonly body: string;
}): Promise<void> {
  const { agent, url, method, path, body } = of;
  const headers = { "content-type": "application/json" };
  const sent = request(`${url}${path}`, { agent, method, headers });
  sent.end(body === "" ? undefined : body);
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  const { statusCode = 0 } = answer;
  // A name that is taken is as good, and a server that is asked too much may say so.
  const isRight = statusCode < 300 || statusCode === 409 || statusCode === 429;
  if (!isRight) throw new Error(`${method} ${path} was answered with ${statusCode}`);
  answer.resume();
  await once(answer, "end");
}
