// A container is well if an HTTP request is answered with a status from 200 to 399. Redirects are followed on the same host only; one
// that leads elsewhere ends the probe with a warning, as does one without a target. Each request has a connection of its own.

import { type ClientRequest, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP } from "node:net";
import { deadline } from "../../base/abort.ts";
import { describe } from "../../base/errors.ts";
import { type HttpHeaders, type HttpPlace, redirectPlace } from "./http-request.ts";
import { dialFailure, dialTimeout } from "./network-error.ts";
import { type Outcome, ProbeError, type ProbeLimits } from "./probe-outcome.ts";

const MAX_BODY_BYTES = 10 * 1024;
const MAX_HEADER_BYTES = 1024 * 1024;
const MAX_REQUESTS = 10;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Throws ProbeError if the head of an answer came and its body did not. */
export async function probeHttp(
  start: { readonly place: HttpPlace; readonly headers: HttpHeaders },
  { clock, timeoutSeconds, signal }: ProbeLimits,
): Promise<Outcome> {
  signal.throwIfAborted();
  using limit = deadline({ clock, timeoutMs: timeoutSeconds * 1000, signal });
  try {
    return await follow(start, limit.signal);
  } catch (err) {
    signal.throwIfAborted();
    if (!(err instanceof RequestFailure)) throw err;
    return { result: "failure", output: `Get ${JSON.stringify(err.url)}: ${err.message}` };
  }
}

/** No answer came. */
class RequestFailure extends Error {
  override readonly name = "RequestFailure";
  readonly url: string;

  constructor(url: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.url = url;
  }
}

async function follow(
  start: { readonly place: HttpPlace; readonly headers: HttpHeaders },
  signal: AbortSignal,
): Promise<Outcome> {
  let { place, headers } = start;
  for (let sent = 1; ; sent++) {
    const answer = await send(place, headers, signal);
    const { location } = answer;
    const next = location === undefined ? undefined : redirectPlace(place, location);
    if (location === undefined || (next !== undefined && next.host !== start.place.host)) {
      return judge(answer, signal);
    }
    answer.end();
    if (next === undefined) throw new RequestFailure(place.url, badLocation(location));
    if (sent >= MAX_REQUESTS) throw new RequestFailure(place.url, "stopped after 10 redirects");
    // A name that the pod's author gave stays as long as the server does not give a whole URL.
    if (/^[a-z][a-z0-9+.-]*:/i.test(location)) headers = { ...headers, Host: [] };
    place = next;
  }
}

function badLocation(location: string): string {
  return `failed to parse Location header ${JSON.stringify(location)}`;
}

interface Answer {
  readonly status: number;
  /** Of a redirect. */
  readonly location: string | undefined;
  readonly body: IncomingMessage;
  /** Closes the connection. */
  readonly end: () => void;
}

function open(place: HttpPlace, headers: HttpHeaders): ClientRequest {
  const { scheme, host, port, path } = place;
  const options = {
    ...{ host, port, path, agent: false, maxHeaderSize: MAX_HEADER_BYTES },
    headers: { ...headers, Host: headers["Host"]?.[0] ?? place.authority },
  } as const;
  // The name that is asked for in TLS is the host's, whatever the header says.
  const tls = { rejectUnauthorized: false, servername: isIP(host) === 0 ? host : "" };
  try {
    return scheme === "https" ? requestHttps({ ...options, ...tls }) : requestHttp(options);
  } catch (err) {
    // A header that HTTP cannot carry.
    throw new RequestFailure(place.url, describe(err), { cause: err });
  }
}

function send(place: HttpPlace, headers: HttpHeaders, signal: AbortSignal): Promise<Answer> {
  const { host, port, url } = place;
  const request = open(place, headers);
  let isConnected = false;
  return new Promise((resolve, reject) => {
    const fail = (message: string, cause?: unknown): void => {
      request.destroy();
      reject(new RequestFailure(url, message, { cause }));
    };
    const onAbort = (): void => {
      const what = isConnected ? "context deadline exceeded" : dialTimeout(host, port);
      fail(`${what} (Client.Timeout exceeded while awaiting headers)`);
    };
    const onAnswer = (body: IncomingMessage): void => {
      signal.removeEventListener("abort", onAbort);
      const { statusCode: status = 0 } = body;
      const location = REDIRECTS.has(status) ? body.headers.location : undefined;
      resolve({ status, location, body, end: () => request.destroy() });
    };
    signal.addEventListener("abort", onAbort, { once: true });
    request.on("socket", (socket) => socket.once("connect", () => (isConnected = true)));
    request.on("response", onAnswer);
    request.on("upgrade", (body, socket) => {
      socket.destroy();
      onAnswer(body);
    });
    request.on("error", (err) => {
      signal.removeEventListener("abort", onAbort);
      fail(isConnected ? conversationFailure(err) : dialFailure(err, host, port), err);
    });
    request.end();
    if (signal.aborted) onAbort();
  });
}

async function judge(answer: Answer, signal: AbortSignal): Promise<Outcome> {
  const { status } = answer;
  const body = await readBody(answer, signal);
  if (status < 200 || status >= 400) {
    return { result: "failure", output: `HTTP probe failed with statuscode: ${status}` };
  }
  if (status < 300) return { result: "success", output: body };
  return { result: "warning", output: `Probe terminated redirects, Response body: ${body}` };
}

async function readBody({ body, end }: Answer, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  signal.addEventListener("abort", end, { once: true });
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= MAX_BODY_BYTES) break;
    }
  } catch (err) {
    const late =
      "context deadline exceeded (Client.Timeout or context cancellation while reading body)";
    throw new ProbeError("failure", signal.aborted ? late : "unexpected EOF", { cause: err });
  } finally {
    signal.removeEventListener("abort", end);
    end();
  }
  return Buffer.concat(chunks).subarray(0, MAX_BODY_BYTES).toString();
}

const NOT_TLS: ReadonlySet<string> = new Set(["wrong version number", "packet length too long"]);

function conversationFailure({ code = "", message }: NodeJS.ErrnoException): string {
  const [, tlsReason] = /:SSL routines:[^:]*:([^:]+):/.exec(message) ?? [];
  if (tlsReason !== undefined) {
    const isPlain = NOT_TLS.has(tlsReason);
    return isPlain ? "http: server gave HTTP response to HTTPS client" : `tls: ${tlsReason}`;
  }
  if (code.startsWith("HPE_")) return "malformed HTTP response";
  // Node says the same of a connection that was closed and one that was reset before the answer.
  if (message === "socket hang up") return "EOF";
  return code === "ECONNRESET" ? "read: connection reset by peer" : message;
}
