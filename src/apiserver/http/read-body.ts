// The whole body of a request, up to the limits of the API: in bytes, and in time.

import { StatusError } from "../../api/status-error.ts";
import type { Clock } from "../../base/clock.ts";
import type { HttpRequest, HttpResponse } from "./answer.ts";

const MAX_BODY_BYTES = 3 * 1024 * 1024;
const MAX_UPLOAD_MS = 60_000;

/** The body did not come whole: there is nobody to answer. */
export class ClientGoneError extends Error {
  override readonly name = "ClientGoneError";
}

interface Upload {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly parts: { readonly clock: Clock };
}

/** Throws RequestEntityTooLarge, and ClientGoneError. */
export function readBody({ request, response, parts: { clock } }: Upload): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const timer = clock.schedule(MAX_UPLOAD_MS, () => {
      reject(new ClientGoneError("Cannot read the request: it took too long to come"));
      response.destroy();
    });
    const announced = Number(request.headers["content-length"] ?? 0);
    if (announced > MAX_BODY_BYTES) reject(tooLarge());
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (Math.max(length, announced) <= MAX_BODY_BYTES) {
        chunks.push(chunk);
      } else {
        // What is left is read and dropped: the client may not look for an answer before it has sent everything.
        chunks.length = 0;
        reject(tooLarge());
      }
    });
    request.on("end", () => {
      timer[Symbol.dispose]();
      const [only] = chunks;
      resolve(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks));
    });
    request.on("error", (cause) => reject(clientLeft(cause)));
    request.on("close", () => {
      timer[Symbol.dispose]();
      reject(clientLeft());
    });
  });
}

function clientLeft(cause?: unknown): ClientGoneError {
  return new ClientGoneError("Cannot read the request: the client left", { cause });
}

function tooLarge(): StatusError {
  return new StatusError({
    code: 413,
    reason: "RequestEntityTooLarge",
    message: `Request entity too large: limit is ${MAX_BODY_BYTES}`,
  });
}
