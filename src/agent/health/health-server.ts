// Says over HTTP how a program is: /healthz, /readyz and /metrics. For this machine only, unless it is told otherwise: on loopback or a Unix socket,
// without TLS and without anything that changes something.

import { once } from "node:events";
import { rmSync, statSync } from "node:fs";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { aborted } from "../../base/abort.ts";
import { describe } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import type { Metrics } from "../../base/metrics.ts";
import { http } from "../../base/network-modules.ts";

/** One thing that has to be well. Returns what is wrong with it, or nothing. */
interface HealthCheck {
  readonly name: string;
  readonly problem: () => string | undefined;
}

export interface HealthServerOptions {
  /** 0 for any that is free. */
  readonly listen:
    | { readonly port: number /** Loopback if missing. */; readonly host?: string }
    | { readonly socketPath: string };
  /** Whether the agent should be started again. */
  readonly health: readonly HealthCheck[];
  /** Whether it does its work. */
  readonly readiness: readonly HealthCheck[];
  /** Asked before the paths that there always are. "metrics": as /metrics. */
  readonly more?: (path: string) => Answer | "metrics" | undefined;
  readonly metrics: Pick<Metrics, "text" | "contentType">;
  readonly logger: Logger;
}

export interface Answer {
  readonly code: number;
  readonly text: string;
  readonly contentType?: string;
}

const LOOPBACK = "127.0.0.1";
/** A few collectors and people; more is a mistake. */
const MAX_CONNECTIONS = 50;
const REQUEST_MS = 10_000;

export class HealthServer {
  readonly #options: HealthServerOptions;
  readonly #listening = Promise.withResolvers<string>();

  constructor(options: HealthServerOptions) {
    this.#options = options;
    // Whoever runs it hears of a failure; whoever waits for it may have gone.
    this.#listening.promise.catch(() => undefined);
  }

  /** Where it listens, when it does. Rejects if it cannot. */
  get address(): Promise<string> {
    return this.#listening.promise;
  }

  async run(signal: AbortSignal): Promise<void> {
    const server = http().createServer(
      { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS },
      (request, response) => void this.#serve(request, response),
    );
    server.maxConnections = MAX_CONNECTIONS;
    try {
      this.#listening.resolve(await this.#listen(server));
      await aborted(signal);
    } catch (err) {
      this.#listening.reject(err);
      throw err;
    } finally {
      if (server.listening) {
        const closed = once(server, "close");
        server.close();
        server.closeAllConnections();
        await closed;
      }
    }
  }

  async #listen(server: Server): Promise<string> {
    const { listen } = this.#options;
    if ("socketPath" in listen) {
      removeSocket(listen.socketPath); // Of a life before this one.
      server.listen(listen.socketPath);
    } else {
      server.listen(listen.port, listen.host ?? LOOPBACK);
    }
    try {
      await once(server, "listening");
    } catch (err) {
      const where =
        "socketPath" in listen ? listen.socketPath : `${listen.host ?? LOOPBACK}:${listen.port}`;
      throw new Error(`Cannot tell of the program's health on ${where}`, { cause: err });
    }
    const address = server.address() as AddressInfo | string;
    if (typeof address === "string") return address;
    const host = address.family === "IPv6" ? `[${address.address}]` : address.address;
    return `http://${host}:${address.port}`;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let answer: Answer;
    try {
      answer = await this.#answer(request);
    } catch (err) {
      this.#options.logger.error("cannot answer about the program's health", { err });
      answer = { code: 500, text: "internal error\n" };
    }
    const { code, text, contentType = "text/plain; charset=utf-8" } = answer;
    response.writeHead(code, {
      "content-type": contentType,
      "content-length": Buffer.byteLength(text),
      "x-content-type-options": "nosniff",
    });
    response.end(request.method === "HEAD" ? undefined : text);
  }

  async #answer({ method, url = "/" }: IncomingMessage): Promise<Answer> {
    if (method !== "GET" && method !== "HEAD") return { code: 405, text: "only GET\n" };
    const [path = "", query = ""] = url.split("?", 2);
    const own = this.#options.more?.(path);
    if (own !== undefined) return own === "metrics" ? this.#metrics() : own;
    return this.#usual(path, new URLSearchParams(query).has("verbose"));
  }

  async #usual(path: string, isVerbose: boolean): Promise<Answer> {
    const { health, readiness } = this.#options;
    switch (path) {
      case "/healthz":
      case "/livez":
        return judged(path.slice(1), health, isVerbose);
      case "/readyz":
        return judged("readyz", [...health, ...readiness], isVerbose);
      case "/metrics":
        return this.#metrics();
      default:
        return { code: 404, text: "there are /healthz, /readyz and /metrics\n" };
    }
  }

  async #metrics(): Promise<Answer> {
    const { metrics } = this.#options;
    return { code: 200, text: await metrics.text(), contentType: metrics.contentType };
  }
}

/** In Kubernetes' form: "ok", or each check when it was asked for or one failed. */
function judged(what: string, checks: readonly HealthCheck[], isVerbose: boolean): Answer {
  const found = checks.map(({ name, problem }) => ({ name, problem: askedOf(problem) }));
  const isGood = found.every(({ problem }) => problem === undefined);
  if (isGood && !isVerbose) return { code: 200, text: "ok" };
  const lines = found.map(({ name, problem }) =>
    problem === undefined ? `[+]${name} ok` : `[-]${name} failed: ${problem}`,
  );
  const verdict = `${what} check ${isGood ? "passed" : "failed"}`;
  return { code: isGood ? 200 : 500, text: `${[...lines, verdict].join("\n")}\n` };
}

function askedOf(problem: () => string | undefined): string | undefined {
  try {
    return problem();
  } catch (err) {
    return describe(err); // A check that cannot be made has failed.
  }
}

/** Nothing but a socket: the path may be a mistake. */
function removeSocket(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isSocket() === true) rmSync(path);
}
