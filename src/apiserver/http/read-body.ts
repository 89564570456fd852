// The whole body of a request, up to the limits of the API: in bytes, and in time. A body that is too large is
// answered at once; whoever goes on sending it loses the connection soon after.

import type { ServerHttp2Stream } from "node:http2";
import { tooLarge, tooManyRequests } from "../../api/status-error.ts";
import type { Clock } from "../../base/clock.ts";
import type { RequestSeat } from "../flow/request-seat.ts";
import type { HttpRequest, HttpResponse } from "./answer.ts";
import type { ByteBudget } from "./byte-budget.ts";

const MAX_BODY_BYTES = 3 * 1024 * 1024;
const MAX_UPLOAD_MS = 60_000;
/** What comes is dropped for so long after the answer: closing at once would take the answer from a client that sends. */
const LINGER_MS = 500;

/** The body did not come whole: there is nobody to answer. */
export class ClientGoneError extends Error {
  override readonly name = "ClientGoneError";
}

export interface Upload {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly parts: { readonly clock: Clock; readonly uploads: ByteBudget };
  /** Who sends it. */
  readonly user: { readonly name: string };
  readonly seat: Pick<RequestSeat, "without">;
  readonly audit?: {
    requestBody(bytes: Uint8Array, contentType: string | undefined): void;
  };
}

const BUSY = "too many requests are being sent at once, please try again later";

/** What an upload costs besides its bytes. */
const UPLOAD_BYTES = 1024;

/** Throws RequestEntityTooLarge, TooManyRequests, and ClientGoneError. */
export async function readBody(upload: Upload): Promise<Buffer> {
  // Not one byte is read of what is announced as too large.
  const { request, audit } = upload;
  if (Number(request.headers["content-length"] ?? 0) <= MAX_BODY_BYTES) {
    const body = await upload.seat.without(() => read(upload));
    audit?.requestBody(body, request.headers["content-type"]);
    return body;
  }
  hangUpAfterAnswer(upload);
  throw tooLarge(MAX_BODY_BYTES);
}

function read(upload: Upload): Promise<Buffer> {
  const { request, response, parts, user } = upload;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let held = 0;
    const hold = (bytes: number): boolean => {
      if (!parts.uploads.take(user.name, bytes)) return false;
      held += bytes;
      return true;
    };
    const timer = parts.clock.schedule(MAX_UPLOAD_MS, () => {
      reject(new ClientGoneError("Cannot read the request: it took too long to come"));
      response.destroy();
    });
    const giveUp = (err: Error): void => {
      request.off("data", collect);
      chunks.length = 0;
      hangUpAfterAnswer(upload);
      reject(err);
    };
    const collect = (chunk: Buffer): void => {
      length += chunk.length;
      chunks.push(chunk);
      if (length > MAX_BODY_BYTES) giveUp(tooLarge(MAX_BODY_BYTES));
      else if (!hold(chunk.length)) giveUp(tooManyRequests(BUSY, 1));
    };
    const over = (): void => {
      timer[Symbol.dispose]();
      parts.uploads.giveBack(user.name, held);
      held = 0;
    };
    if (!hold(UPLOAD_BYTES)) return giveUp(tooManyRequests(BUSY, 1));
    request.on("data", collect);
    request.on("end", () => {
      over();
      const [only] = chunks;
      resolve(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks));
    });
    request.on("error", (cause) => reject(clientLeft(cause)));
    request.on("close", () => {
      if (request.readableEnded) return; // It came whole.
      over();
      reject(clientLeft());
    });
  });
}

function hangUpAfterAnswer({ request, response, parts }: Upload): void {
  const { stream } = response as { readonly stream?: ServerHttp2Stream };
  if (stream !== undefined) {
    // Nothing more is let in than the window of the stream; at the end it is said that the rest is not needed.
    request.pause();
    stream.once("finish", () => stream.close());
    return;
  }
  const { socket } = request;
  response.shouldKeepAlive = false;
  // Node calls this when the answer is written.
  socket.destroySoon = (): void => {
    request.resume();
    socket.end();
    const timer = parts.clock.schedule(LINGER_MS, () => socket.destroy());
    socket.once("close", () => timer[Symbol.dispose]());
  };
}

function clientLeft(cause?: unknown): ClientGoneError {
  return new ClientGoneError("Cannot read the request: the client left", { cause });
}
