// A `driftless up` and everything of it that a collector would read: the server, its node, and controllers on their own beside it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { text as consumeText } from "node:stream/consumers";
import { freePort } from "../agent/agent-metrics.ts";
import { readCredentials } from "../support/driftless-server.ts";
import { type DriftlessUp, eventually, program, UpDirectory } from "../up/driftless-up.ts";

export interface Answer {
  readonly status: number;
  readonly text: string;
}

export class MonitoredUp implements AsyncDisposable {
  readonly up: DriftlessUp;
  readonly directory: UpDirectory;
  /** Where its metrics are without credentials. */
  readonly metricsUrl: string;
  readonly #stack: AsyncDisposableStack;

  private constructor(up: DriftlessUp, listen: string, stack: AsyncDisposableStack) {
    this.up = up;
    this.directory = up.directory;
    this.metricsUrl = `http://${listen}/metrics`;
    this.#stack = stack;
  }

  static async start(): Promise<MonitoredUp> {
    await using stack = new AsyncDisposableStack();
    const directory = stack.use(new UpDirectory());
    const listen = `127.0.0.1:${await freePort()}`;
    const flags = ["--node-name", "n1", "--metrics-listen", listen];
    const up = await directory.start({ flags });
    return new MonitoredUp(up, listen, stack.move());
  }

  /** As the admin, or as whom the token is for. */
  async get(path: string, token?: string): Promise<Answer> {
    const { ca, cert, key } = readCredentials(this.directory.kubeconfig);
    const as = token === undefined ? { cert, key } : {};
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const sent = request(`${this.up.url}${path}`, { ca, ...as, headers, agent: false });
    sent.end();
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    return { status: answer.statusCode ?? 0, text: await consumeText(answer) };
  }

  async serverMetrics(): Promise<string> {
    return (await this.get("/metrics")).text;
  }

  async nodeMetrics(): Promise<string> {
    return (await this.get("/api/v1/nodes/n1/metrics")).text;
  }

  /** Of `driftless controllers`, started for this and ended again. */
  async controllersMetrics(): Promise<string> {
    const listen = `127.0.0.1:${await freePort()}`;
    const { path } = this.directory;
    const own = ["--data-dir", path, "--metrics-listen", listen, "--controllers", "scheduler"];
    const child = spawn(process.execPath, [program, "controllers", ...own], { stdio: "ignore" });
    const ended = once(child, "exit");
    try {
      return await eventually("the metrics of the controllers", async () => {
        const text = await (await fetch(`http://${listen}/metrics`)).text();
        if (!/^leader_election_master_status\{[^}]*\} 1$/m.test(text)) throw new Error(text);
        return text;
      });
    } finally {
      child.kill("SIGTERM");
      await ended;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}
