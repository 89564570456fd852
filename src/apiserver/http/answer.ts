// What a handler answers, and how it goes out: length, compression, warnings.

import type { IncomingMessage, ServerResponse } from "node:http";
import { constants, gzip } from "node:zlib";
import type { Status, StatusError } from "../../api/status-error.ts";

/** HTTP/2 comes in the same shape: Node's compatibility layer. Only the server itself knows the difference. */
export type HttpRequest = IncomingMessage;
export type HttpResponse = ServerResponse;

export interface Answer {
  readonly code: number;
  readonly contentType: string;
  /** Sent one after the other. */
  readonly body: readonly Uint8Array[];
  readonly headers?: Readonly<Record<string, string>>;
}

export const JSON_TYPE = "application/json";
const TEXT_TYPE = "text/plain; charset=utf-8";

/** Smaller answers cost more to compress than to send. The limit of the original. */
const COMPRESS_FROM_BYTES = 128 * 1024;

export function jsonAnswer(code: number, value: object): Answer {
  return { code, contentType: JSON_TYPE, body: [Buffer.from(JSON.stringify(value))] };
}

export function textAnswer(code: number, text: string): Answer {
  return {
    code,
    contentType: TEXT_TYPE,
    body: [Buffer.from(text)],
    headers: { "x-content-type-options": "nosniff" },
  };
}

export function statusAnswer(error: StatusError): Answer {
  const retryAfter = error.details?.retryAfterSeconds;
  return {
    ...jsonAnswer(error.code, error.toStatus()),
    ...(retryAfter !== undefined && { headers: { "retry-after": String(retryAfter) } }),
  };
}

export function successAnswer(code: number, details?: NonNullable<Status["details"]>): Answer {
  const head = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success" };
  return jsonAnswer(code, details === undefined ? { ...head, code } : { ...head, details });
}

export interface SendOptions {
  /** Of every answer to this request. In one with the others: what is set before makes Node take a slower way. */
  readonly headers: Readonly<Record<string, string>>;
  readonly acceptEncoding: string | undefined;
  readonly warnings: readonly string[];
  /** The answer to HEAD has no body. */
  readonly hasBody: boolean;
}

export async function send(
  response: HttpResponse,
  answer: Answer,
  options: SendOptions,
): Promise<void> {
  const { code, contentType, body, headers = {} } = answer;
  if (response.destroyed) return;
  const compressed = await compress(answer, options.acceptEncoding);
  const pieces = compressed ?? body;
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const head: Record<string, string> = {
    ...options.headers,
    "cache-control": "no-cache, private",
    ...(contentType !== "" && { "content-type": contentType }),
    ...headers,
    ...(compressed !== undefined && { "content-encoding": "gzip", vary: "Accept-Encoding" }),
    ...warningHeader(options.warnings),
    ...(code !== 304 && code !== 204 && { "content-length": String(length) }),
  };
  if (response.destroyed || response.headersSent) return; // The client is gone, or an answer was sent.
  writeHead(response, code, head);
  write(response, options.hasBody ? pieces : []);
}

/** What was done is answered also if a warning about it cannot be sent. */
function writeHead(response: HttpResponse, code: number, head: Record<string, string>): void {
  try {
    response.writeHead(code, head);
  } catch (err) {
    const { warning, ...rest } = head;
    if (warning === undefined) throw err;
    response.writeHead(code, rest);
  }
}

function write(response: HttpResponse, pieces: readonly Uint8Array[]): void {
  for (const piece of pieces.slice(0, -1)) response.write(piece);
  const last = pieces.at(-1);
  if (last === undefined) response.end();
  else response.end(last);
}

/** Of documents, which are sent again and again. */
const compressedDocuments = new WeakMap<object, Promise<readonly Uint8Array[]>>();

function compress(
  { body, headers }: Answer,
  acceptEncoding: string | undefined,
): Promise<readonly Uint8Array[]> | undefined {
  if (acceptEncoding === undefined || !acceptEncoding.includes("gzip")) return undefined;
  const length = body.reduce((sum, piece) => sum + piece.length, 0);
  if (length <= COMPRESS_FROM_BYTES) return undefined;
  const [only] = body;
  const isDocument = headers?.["etag"] !== undefined && body.length === 1;
  if (only === undefined || !isDocument) return gzipped(body, length);
  const known = compressedDocuments.get(only) ?? gzipped(body, length);
  compressedDocuments.set(only, known);
  return known;
}

function gzipped(body: readonly Uint8Array[], length: number): Promise<readonly Uint8Array[]> {
  return new Promise((resolve, reject) => {
    // The fastest level: on a local network the CPU is dearer than the bytes.
    gzip(Buffer.concat(body, length), { level: constants.Z_BEST_SPEED }, (err, result) => {
      if (err === null) resolve([result]);
      else reject(err);
    });
  });
}

/** As RFC 7234 wants it: code, agent, quoted text. Nothing if there is nothing to say. */
export function warningHeader(warnings: readonly string[]): { readonly warning?: string } {
  if (warnings.length === 0) return {};
  const told = withinLimits(warnings);
  return { warning: told.map((text) => `299 - ${quoted(text)}`).join(", ") };
}

/** In characters, as in the original: clients take only so much of a head. If all are too long, each is cut. */
const MAX_WARNINGS_LENGTH = 4096;
const MAX_CUT_LENGTH = 256;

function withinLimits(warnings: readonly string[]): readonly string[] {
  const length = warnings.reduce((sum, text) => sum + text.length, 0);
  if (length <= MAX_WARNINGS_LENGTH) return warnings;
  // The first slice is for texts that are too long to be taken apart.
  const cut = warnings.map((text) =>
    Array.from(text.slice(0, 2 * MAX_CUT_LENGTH))
      .slice(0, MAX_CUT_LENGTH)
      .join(""),
  );
  let written = 0;
  return cut.filter((text) => {
    const fits = written < MAX_WARNINGS_LENGTH;
    written += text.length;
    return fits;
  });
}

/** The text's UTF-8, as bytes: a header takes one character for each. */
function quoted(text: string): string {
  const printable = text.replaceAll(/\p{Cc}/gu, " ").replaceAll(/["\\]/g, "\\$&");
  return `"${Buffer.from(printable, "utf8").toString("latin1")}"`;
}
