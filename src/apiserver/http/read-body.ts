// The whole body of a request, up to the limit of the API.

import { StatusError } from "../../api/status-error.ts";
import type { HttpRequest } from "./answer.ts";

const MAX_BODY_BYTES = 3 * 1024 * 1024;

export function readBody(request: HttpRequest): Promise<Buffer> {
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > MAX_BODY_BYTES) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > MAX_BODY_BYTES) {
        request.pause();
        reject(tooLarge());
      } else {
        chunks.push(chunk);
      }
    });
    request.on("end", () => {
      const [only] = chunks;
      resolve(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, length));
    });
    request.on("error", reject);
    request.on("aborted", () => reject(new Error("Cannot read the request: the client left")));
  });
}

function tooLarge(): StatusError {
  return new StatusError({
    code: 413,
    reason: "RequestEntityTooLarge",
    message: `Request entity too large: limit is ${MAX_BODY_BYTES}`,
  });
}
