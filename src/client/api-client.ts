// Asks an API server, in JSON over HTTPS. What the server refuses becomes the StatusError that it sent.

import { type IncomingMessage, request as plainRequest } from "node:http";
import { Agent, request } from "node:https";
import type { JsonValue } from "../api/json.ts";
import { type Status, StatusError, type StatusErrorOptions } from "../api/status-error.ts";
import { deadline } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import type { Connection } from "./kubeconfig.ts";

export interface ApiClientOptions {
  readonly connection: Connection;
  readonly clock: Clock;
  /** For a whole request; not for watches. */
  readonly timeoutMs: number;
}

export interface ApiRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With its query. */
  readonly path: string;
  readonly body?: object;
  /** Of the body; patches have types of their own. */
  readonly contentType?: string;
  readonly signal?: AbortSignal;
}

/** Keeps connections open between requests: dispose it. */
export class ApiClient implements Disposable {
  readonly #options: ApiClientOptions;
  readonly #agent: Agent;

  constructor(options: ApiClientOptions) {
    const { authority, certificate, key, isInsecure, serverName } = options.connection;
    this.#options = options;
    this.#agent = new Agent({
      keepAlive: true,
      rejectUnauthorized: !isInsecure,
      ...(authority !== undefined && { ca: authority }),
      ...(certificate !== undefined && { cert: certificate }),
      ...(key !== undefined && { key }),
      ...(serverName !== undefined && { servername: serverName }),
    });
  }

  /** Throws StatusError if the server refuses, and Error if it cannot be reached. */
  async request(asked: ApiRequest): Promise<JsonValue> {
    const { clock, timeoutMs, connection } = this.#options;
    using limit = deadline({ clock, timeoutMs, ...(asked.signal && { signal: asked.signal }) });
    let answer: { readonly code: number; readonly text: string };
    try {
      answer = await this.#exchange(asked, limit.signal);
    } catch (err) {
      if (asked.signal?.aborted === true) throw err;
      throw new Error(`Cannot reach the API server at ${connection.server}`, { cause: err });
    }
    if (answer.code >= 400) throw statusError(answer.code, answer.text);
    return parsedAnswer(connection.server, answer.text);
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }

  #exchange(
    { method, path, body, contentType = "application/json" }: ApiRequest,
    signal: AbortSignal,
  ): Promise<{ readonly code: number; readonly text: string }> {
    const { connection } = this.#options;
    const content = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const token = connection.token?.();
    const headers = {
      accept: "application/json",
      "user-agent": "driftless",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(content !== undefined && {
        "content-type": contentType,
        "content-length": String(content.length),
      }),
    };
    const url = new URL(connection.server + path);
    const { promise, resolve, reject } = Promise.withResolvers<{
      readonly code: number;
      readonly text: string;
    }>();
    const sent =
      url.protocol === "http:"
        ? plainRequest(url, { method, headers, signal })
        : request(url, { method, headers, signal, agent: this.#agent });
    sent.on("error", reject);
    sent.on("response", (response: IncomingMessage) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () =>
        resolve({ code: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") }),
      );
    });
    sent.end(content);
    return promise;
  }
}

/** A proxy in between may answer with a page of its own. */
function statusError(code: number, text: string): StatusError {
  const status = parsedStatus(text);
  if (status === undefined) {
    const message = `the server answered ${code}: ${text.trim().slice(0, 200)}`;
    return new StatusError({ code, reason: "", message });
  }
  const options: StatusErrorOptions = {
    code: status.code ?? code,
    reason: status.reason ?? "",
    message: status.message ?? `the server answered ${code}`,
    ...(status.details !== undefined && { details: status.details }),
    ...(status.metadata?.continue !== undefined && { continue: status.metadata.continue }),
  };
  return new StatusError(options);
}

/** Other servers leave things out. */
function parsedStatus(text: string): Partial<Status> | undefined {
  try {
    const value = JSON.parse(text) as Partial<Status> | null;
    return value?.kind === "Status" ? value : undefined;
  } catch {
    return undefined; // Not JSON, so not from an API server.
  }
}

function parsedAnswer(server: string, text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (err) {
    throw new Error(`Cannot read the answer of ${server}: it is not JSON`, { cause: err });
  }
}
