// A real server as a child process, on a free port, in a directory of its own. Everything goes when it is disposed,
// also when the test fails.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";

const program = new URL("../../src/cmd/driftless.ts", import.meta.url).pathname;

export interface ServerOptions {
  /** Kept by the caller if given; otherwise made and removed. */
  readonly dataDir?: string;
  /** Further flags, such as ["--store", "memory"]. */
  readonly flags?: readonly string[];
  /** A port that was used before, for a server that is started again. */
  readonly port?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export class DriftlessServer implements AsyncDisposable {
  readonly dataDir: string;
  readonly url: string;
  readonly process: ChildProcess;
  readonly #agent: Agent;
  /** Without the admin's certificate. */
  readonly #bareAgent: Agent;
  readonly #removes: boolean;
  #log = "";
  #output = "";

  private constructor(options: {
    readonly dataDir: string;
    readonly url: string;
    readonly process: ChildProcess;
    readonly removes: boolean;
  }) {
    this.dataDir = options.dataDir;
    this.url = options.url;
    this.process = options.process;
    this.#removes = options.removes;
    const credentials = readCredentials(this.kubeconfig);
    this.#agent = new Agent({ ...credentials, keepAlive: true });
    this.#bareAgent = new Agent({ ca: credentials.ca, keepAlive: true });
  }

  static async start(options: ServerOptions = {}): Promise<DriftlessServer> {
    const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), "driftless-test-"));
    const flags = ["--data-dir", dataDir, "--listen", `127.0.0.1:${options.port ?? 0}`];
    const child = spawn(process.execPath, [program, "server", ...flags, ...(options.flags ?? [])], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...options.env },
    });
    let output = "";
    let log = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      log = (log + text).slice(-100_000);
    });
    const url = await new Promise<string>((resolve, reject) => {
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        output += text;
        const found = /ready on (\S+),/.exec(output);
        if (found?.[1] !== undefined) resolve(found[1]);
      });
      // Not its exit: by then not all that it wrote has been read.
      child.once("close", (code, signal) => {
        reject(new Error(`the server ended with ${code ?? signal} before it was ready: ${log}`));
      });
    });
    const server = new DriftlessServer({
      dataDir,
      url,
      process: child,
      removes: options.dataDir === undefined,
    });
    child.stderr.on("data", () => {
      server.#log = log;
    });
    server.#output = output;
    child.stdout.on("data", () => {
      server.#output = output;
    });
    return server;
  }

  get kubeconfig(): string {
    return join(this.dataDir, "kubeconfig");
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  /** What it printed for people. */
  get output(): string {
    return this.#output;
  }

  /** The end of what it wrote to its log. */
  get log(): string {
    return this.#log;
  }

  /** One request as the admin. Rejects if the connection fails. */
  fetch(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<HttpAnswer> {
    return this.#send(this.#agent, { method, path, body, headers });
  }

  /** One request without the admin's certificate: as whoever the headers prove, or nobody. */
  fetchBare(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<HttpAnswer> {
    return this.#send(this.#bareAgent, { method, path, body, headers });
  }

  #send(
    agent: Agent,
    {
      method,
      path,
      body,
      headers,
    }: {
      readonly method: string;
      readonly path: string;
      readonly body: unknown;
      readonly headers: Readonly<Record<string, string>>;
    },
  ): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      const text =
        body === undefined || typeof body === "string" || Buffer.isBuffer(body)
          ? body
          : JSON.stringify(body);
      const sent = request(
        `${this.url}${path}`,
        {
          method,
          agent,
          headers: {
            // Node sends the body of a DELETE without its length, unless it is told.
            ...(text !== undefined && {
              "content-type": "application/json",
              "content-length": String(Buffer.byteLength(text as string | Buffer)),
            }),
            ...headers,
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("end", () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text: Buffer.concat(chunks).toString(),
            }),
          );
          response.on("error", reject);
        },
      );
      sent.on("error", reject);
      sent.end(text);
    });
  }

  /** Power off: nothing is finished. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  async stop(): Promise<void> {
    await this.#end("SIGTERM");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#agent.destroy();
    this.#bareAgent.destroy();
    await this.#end("SIGKILL");
    if (this.#removes) rmSync(this.dataDir, { recursive: true, force: true });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const ended = once(this.process, "exit");
    this.process.kill(signal);
    await ended;
  }
}

/** What a TLS client needs, from a kubeconfig with everything in it. */
export function readCredentials(kubeconfig: string): {
  readonly ca: Buffer;
  readonly cert: Buffer;
  readonly key: Buffer;
} {
  const text = readFileSync(kubeconfig, "utf8");
  const field = (name: string): Buffer =>
    Buffer.from(new RegExp(`${name}: (\\S+)`).exec(text)?.[1] ?? "", "base64");
  return {
    ca: field("certificate-authority-data"),
    cert: field("client-certificate-data"),
    key: field("client-key-data"),
  };
}

export function bearer(token: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${token}` };
}
