// One GET, suspicious of everything: a body counts only when it is whole, not too large, and came with 200. Redirects are followed, but never from https to http, and
// nothing that says who we are goes to another host.

import { readFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { deadline } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { describe, isErrno } from "../../base/errors.ts";
import { http, https } from "../../base/network-modules.ts";
import type { HttpAuth } from "../compose-model.ts";
import { authorizationOf } from "./http-auth.ts";

export interface UrlRequest {
  readonly url: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly auth: HttpAuth | undefined;
  readonly caFile: string | undefined;
  /** For all of it, redirects too. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly skipsTlsVerify: boolean;
  /** What comes with a 5xx counts. */
  readonly takesServerErrors: boolean;
}

/** By which a server knows what we have. */
export interface Validators {
  readonly etag?: string;
  readonly lastModified?: string;
}

export interface Fetched {
  readonly data: Uint8Array;
  readonly validators: Validators;
}

/** Why there is nothing new. The message has neither a query nor a password. */
export class FetchError extends Error {
  override readonly name = "FetchError";
  /** How long the server wants to be left alone. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: ErrorOptions & { readonly retryAfterMs?: number } = {}) {
    super(message, options);
    this.retryAfterMs = options.retryAfterMs;
  }
}

export interface FetchOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Of what we have; the answer may be "unchanged" then. */
  readonly known: Validators | undefined;
}

const MAX_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];

/** Throws FetchError, or the signal's reason. */
export async function fetchUrl(
  request: UrlRequest,
  { clock, signal, known }: FetchOptions,
): Promise<Fetched | "unchanged"> {
  const { timeoutMs, url } = request;
  using limit = deadline({ clock, timeoutMs, signal });
  try {
    return await follow(request, known, limit.signal);
  } catch (err) {
    signal.throwIfAborted();
    if (err instanceof FetchError && !limit.signal.aborted) throw err;
    const why = limit.signal.aborted ? `nothing whole within ${timeoutMs / 1000} s` : reasonOf(err);
    throw new FetchError(`${shownUrl(url)}: ${why}`, { cause: err });
  }
}

/** Without what is behind "?", where tokens live, and without a password. */
export function shownUrl(url: string): string {
  if (!URL.canParse(url)) return "an address that is none";
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

function reasonOf(err: unknown): string {
  return isErrno(err, "ECONNREFUSED") ? "nobody listens there" : describe(err);
}

async function follow(
  request: UrlRequest,
  known: Validators | undefined,
  signal: AbortSignal,
): Promise<Fetched | "unchanged"> {
  const ca = request.caFile === undefined ? undefined : await readFile(request.caFile);
  const authorization = await authorizationOf(request.auth);
  const first = new URL(request.url);
  let url = first;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const isOurs = url.origin === first.origin;
    const headers = {
      ...commonHeaders(known),
      ...(isOurs && privateHeaders(request, authorization)),
    };
    const answer = await ask(url, { headers, ca, signal, skipsTlsVerify: request.skipsTlsVerify });
    const { statusCode = 0 } = answer;
    const { location } = answer.headers;
    if (!REDIRECTS.includes(statusCode) || location === undefined) {
      return taken(answer, request, { known, url });
    }
    discard(answer);
    url = redirected(url, location);
  }
  throw new FetchError(`${shownUrl(request.url)}: more than ${MAX_REDIRECTS} redirects`);
}

function commonHeaders(known: Validators | undefined): Record<string, string> {
  return {
    "User-Agent": "driftless-sidecar",
    Accept: "*/*",
    "Accept-Encoding": "identity",
    ...(known?.etag !== undefined && { "If-None-Match": known.etag }),
    ...(known?.lastModified !== undefined && { "If-Modified-Since": known.lastModified }),
  };
}

function privateHeaders(
  { headers }: UrlRequest,
  authorization: string | undefined,
): Record<string, string> {
  return {
    ...Object.fromEntries(headers),
    ...(authorization !== undefined && { Authorization: authorization }),
  };
}

function redirected(from: URL, location: string): URL {
  const fail = (why: string): FetchError => new FetchError(`${shownUrl(from.href)}: ${why}`);
  if (!URL.canParse(location, from.href)) throw fail("it redirects to no address");
  const to = new URL(location, from);
  if (to.protocol !== "https:" && to.protocol !== "http:") {
    throw fail(`it redirects to ${to.protocol}, which is not followed`);
  }
  if (from.protocol === "https:" && to.protocol === "http:") {
    throw fail("it redirects from https to http, which is not followed");
  }
  // A server must not make us somebody at another one.
  to.username = "";
  to.password = "";
  return to;
}

interface Ask {
  readonly headers: Record<string, string>;
  readonly ca: Buffer | undefined;
  readonly signal: AbortSignal;
  readonly skipsTlsVerify: boolean;
}

function ask(url: URL, { headers, ca, signal, skipsTlsVerify }: Ask): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = { headers, signal, agent: false as const };
    const tls = { ...(ca && { ca }), rejectUnauthorized: !skipsTlsVerify };
    const sent =
      url.protocol === "https:"
        ? https().request(url, { ...options, ...tls }, resolve)
        : http().request(url, options, resolve);
    sent.on("error", reject).end();
  });
}

function discard(answer: IncomingMessage): void {
  answer.on("error", () => undefined).destroy();
}

interface Taking {
  readonly known: Validators | undefined;
  readonly url: URL;
}

async function taken(
  answer: IncomingMessage,
  request: UrlRequest,
  { known, url }: Taking,
): Promise<Fetched | "unchanged"> {
  if (answer.statusCode === 304 && known !== undefined) {
    discard(answer);
    return "unchanged";
  }
  const data = refusalOf(answer, request) ?? (await wholeBody(answer, request.maxBytes));
  if (typeof data !== "string") return { data, validators: validatorsOf(answer) };
  discard(answer);
  throw new FetchError(`${shownUrl(url.href)}: ${data}`, retryAfter(answer));
}

/** Why its body does not count, by its head. */
function refusalOf(
  { statusCode = 0, headers }: IncomingMessage,
  { takesServerErrors, maxBytes }: UrlRequest,
): string | undefined {
  const isContent = statusCode === 200 || (statusCode >= 500 && takesServerErrors);
  if (!isContent) return `answered ${statusCode}`;
  if ((headers["content-encoding"] ?? "identity") !== "identity") {
    return "the body is encoded, which was not asked for";
  }
  const length = headers["content-length"];
  // Without either, a connection that breaks looks like the end.
  if (length === undefined && headers["transfer-encoding"] === undefined) {
    return "the answer does not say how long it is, so nobody could tell if it is whole";
  }
  return Number(length ?? 0) > maxBytes ? tooLarge(maxBytes) : undefined;
}

function tooLarge(maxBytes: number): string {
  return `the body is larger than ${maxBytes} bytes`;
}

/** The body, or what is wrong with it. */
async function wholeBody(answer: IncomingMessage, maxBytes: number): Promise<Buffer | string> {
  const wanted = answer.headers["content-length"];
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) return tooLarge(maxBytes);
      chunks.push(chunk);
    }
  } catch (err) {
    if (isErrno(err, "ECONNRESET")) return "the body ended too soon";
    throw err;
  }
  const isWhole = answer.complete && (wanted === undefined || Number(wanted) === bytes);
  if (!isWhole) return "the body ended too soon";
  return bytes === 0 ? "the body is empty" : Buffer.concat(chunks);
}

function validatorsOf({ headers }: IncomingMessage): Validators {
  const { etag, "last-modified": lastModified } = headers;
  return {
    ...(etag !== undefined && { etag }),
    ...(lastModified !== undefined && { lastModified }),
  };
}

function retryAfter({ headers }: IncomingMessage): { readonly retryAfterMs?: number } {
  const text = headers["retry-after"] ?? "";
  return /^\d{1,5}$/.test(text) ? { retryAfterMs: Number(text) * 1000 } : {};
}
