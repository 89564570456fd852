// Asks an API server, in JSON. What the server refuses becomes the StatusError that it sent. A server that is busy and says
// when to come back (429, 503) is asked again, and so is one whose connection broke under a GET: within the time and a bound.

import type { JsonValue } from "../api/json.ts";
import { StatusError } from "../api/status-error.ts";
import { deadline } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import { type Random, systemRandom } from "../base/random.ts";
import { credentialsOf } from "./connection-credentials.ts";
import { Gate } from "./gate.ts";
import { HttpTransport } from "./http-transport.ts";
import type { Connection } from "./kubeconfig.ts";
import { retryAfterMs, statusErrorOf, type TextAnswer } from "./status-answer.ts";
import {
  ConnectError,
  type Method,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from "./transport.ts";

export interface ApiClientOptions {
  readonly connection: Connection;
  readonly clock: Clock;
  /** For a whole request with its repetitions; not for streams. */
  readonly timeoutMs: number;
  /** For the spread of retries; the system's if missing. */
  readonly random?: Random;
  /** Told when the server cannot be reached, and when it can again. */
  readonly logger?: Logger;
  /** The newest to speak; HTTP/2 if missing. */
  readonly maxHttpVersion?: "1.1" | "2";
  /** In place of HTTP to the connection's server. */
  readonly transport?: Transport;
}

export interface ApiRequest {
  readonly method: Method;
  /** With its query. */
  readonly path: string;
  readonly body?: object;
  /** Of the body; patches have types of their own. */
  readonly contentType?: string;
  /** What is wanted in place of plain JSON; still some form of it. */
  readonly accept?: string;
  readonly signal?: AbortSignal;
  /** Waits for a server that cannot be reached, as long as the time allows. */
  readonly isPatient?: boolean;
}

/** As client-go; a server that is busy for longer is told of by an error. */
const MAX_RETRIES = 10;
/** A connection that broke: once more over a new one, and once more for bad luck. */
const MAX_LOST = 2;
/** A list of everything can be large. What is larger than this would not fit into one string. */
const MAX_ANSWER_BYTES = 400 * 1024 * 1024;
const MAX_REFUSAL_BYTES = 1024 * 1024;
/** Watches, and lists before them, that wait for their answers to begin. Servers turn away what is far more. */
const MAX_BEGINNING = 32;
/** Then somebody else may begin: a proxy in between may keep the head of an answer until something follows it. */
const BEGIN_MS = 1000;

/** Keeps connections open between requests: close or dispose it. */
export class ApiClient implements Disposable {
  readonly #options: ApiClientOptions;
  readonly #transport: Transport;
  /** What was found out about the server. */
  readonly facts: { supportsWatchList: boolean } = { supportsWatchList: true };
  readonly #beginning = new Gate(MAX_BEGINNING);

  constructor(options: ApiClientOptions) {
    this.#options = options;
    this.#transport = options.transport ?? transportOf(options);
  }

  /** Its address. */
  get server(): string {
    return this.#options.connection.server;
  }

  /** False when the server could not be reached the last time that somebody tried, or nobody tried yet. */
  get isConnected(): boolean {
    return this.#transport.isConnected;
  }

  /** How many connections are open that requests share. */
  get connections(): number {
    return this.#transport.connections;
  }

  /** Throws StatusError if the server refuses, and Error if it cannot be reached. */
  async request(asked: ApiRequest): Promise<JsonValue> {
    const { clock, timeoutMs } = this.#options;
    using limit = deadline({ clock, timeoutMs, ...(asked.signal && { signal: asked.signal }) });
    const attempts = { retries: 0, lost: 0 };
    for (;;) {
      try {
        const answer = await this.#exchange(asked, limit.signal);
        if (answer.code >= 400) throw statusErrorOf(answer);
        return parsedAnswer(this.server, answer.text);
      } catch (err) {
        if (asked.signal?.aborted === true) throw err;
        if (!isWorthRetrying(asked.method, err, attempts)) throw this.#told(err);
        await this.#pause(retryAfterMs(err), limit.signal, err);
      }
    }
  }

  /** The body of an answer that goes on until the signal aborts. Waits for a server that cannot be reached. */
  async stream(
    asked: ApiRequest & { readonly signal: AbortSignal },
  ): Promise<AsyncIterable<Uint8Array>> {
    try {
      using place = await this.#beginning.enter(asked.signal);
      using _leaving = this.#leaveInTime(place);
      const request = { ...transportRequest(asked, asked.signal), isPatient: true };
      const answer = await this.#transport.send(request);
      if (answer.code < 400) return answer.body;
      throw statusErrorOf({ ...answer, text: await textOf(answer, MAX_REFUSAL_BYTES) });
    } catch (err) {
      if (asked.signal.aborted) throw err;
      throw this.#told(err);
    }
  }

  /** Lets what runs end, watches too: abort them first. */
  async close(): Promise<void> {
    await this.#transport.close();
  }

  /** Cuts off what runs. */
  [Symbol.dispose](): void {
    this.#transport[Symbol.dispose]();
  }

  /** Only if the server is there: one that hangs is not asked by ever more. */
  #leaveInTime(place: Disposable): Disposable {
    const { clock } = this.#options;
    let isOver = false;
    const look = async (): Promise<void> => {
      const isThere = await this.#transport.answers();
      if (isOver) return;
      if (isThere) place[Symbol.dispose]();
      else timer = clock.schedule(BEGIN_MS, () => void look());
    };
    let timer = clock.schedule(BEGIN_MS, () => void look());
    return {
      [Symbol.dispose]: () => {
        isOver = true;
        timer[Symbol.dispose]();
      },
    };
  }

  async #exchange(asked: ApiRequest, signal: AbortSignal): Promise<TextAnswer> {
    using _place = asked.isPatient === true ? await this.#beginning.enter(signal) : undefined;
    const answer = await this.#transport.send(transportRequest(asked, signal));
    const { code, retryAfter } = answer;
    return { code, retryAfter, text: await textOf(answer, MAX_ANSWER_BYTES) };
  }

  /** What the server said counts more than that the time was over while we waited to ask again. */
  async #pause(ms: number | undefined, signal: AbortSignal, err: unknown): Promise<void> {
    if (ms === undefined) return;
    const { clock, random = systemRandom } = this.#options;
    try {
      await clock.sleep(ms * (1 + 0.1 * random.next()), signal);
    } catch {
      throw this.#told(err);
    }
  }

  #told(err: unknown): unknown {
    if (err instanceof StatusError || err instanceof UnreadableAnswerError) return err;
    return new Error(`Cannot reach the API server at ${this.server}`, { cause: err });
  }
}

class UnreadableAnswerError extends Error {}

function transportOf(options: ApiClientOptions): Transport {
  const { connection, clock, logger, random = systemRandom, maxHttpVersion = "2" } = options;
  const { server, isInsecure, serverName } = connection;
  const credentials = credentialsOf(connection, clock);
  const named = serverName === undefined ? {} : { serverName };
  const parts = { credentials, clock, random, logger, maxHttpVersion };
  return new HttpTransport({ server, isInsecure, ...named, ...parts });
}

function transportRequest(asked: ApiRequest, signal: AbortSignal): TransportRequest {
  const { method, path, body, isPatient = false } = asked;
  const { accept = "application/json", contentType = "application/json" } = asked;
  return {
    method,
    path,
    signal,
    isPatient,
    headers: {
      accept,
      "user-agent": "driftless",
      ...(body !== undefined && { "content-type": contentType }),
    },
    ...(body !== undefined && { body: Buffer.from(JSON.stringify(body)) }),
  };
}

function isWorthRetrying(
  method: Method,
  err: unknown,
  attempts: { retries: number; lost: number },
): boolean {
  if (method === "POST" || method === "PATCH") return false;
  if (err instanceof StatusError) {
    const isBusy = (err.code === 429 || err.code === 503) && retryAfterMs(err) !== undefined;
    return isBusy && attempts.retries++ < MAX_RETRIES;
  }
  const isLost = !(err instanceof ConnectError || err instanceof UnreadableAnswerError);
  const isTimeout = err instanceof Error && err.name === "TimeoutError";
  return method === "GET" && isLost && !isTimeout && attempts.lost++ < MAX_LOST;
}

async function textOf({ body }: TransportResponse, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      throw new UnreadableAnswerError(`Cannot read an answer: it has more than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parsedAnswer(server: string, text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (err) {
    throw new UnreadableAnswerError(`Cannot read the answer of ${server}: it is not JSON`, {
      cause: err,
    });
  }
}
