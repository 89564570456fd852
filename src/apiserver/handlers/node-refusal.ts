// What a node refuses, as the client is told.

import type { IncomingMessage } from "node:http";
import {
  badRequest,
  internalError,
  StatusError,
  type StatusReason,
} from "../../api/status-error.ts";
import type { Clock } from "../../base/clock.ts";

/** As much of the node's words as a client is told. */
const MAX_TEXT_BYTES = 50_000;

const reasons: Readonly<Record<number, StatusReason>> = {
  404: "NotFound",
  403: "Forbidden",
  429: "TooManyRequests",
  503: "ServiceUnavailable",
};

/** For a node to say why: whoever waits for it holds a place that others want. */
const TEXT_MS = 10_000;

/** Reads the node's answer, which is a refusal. */
export async function nodeRefusal(
  response: IncomingMessage,
  { clock, before = "" }: { readonly clock: Clock; readonly before?: string },
): Promise<StatusError> {
  const { statusCode: code = 500 } = response;
  using _limit = clock.schedule(TEXT_MS, () => response.destroy());
  const text = await textOf(response);
  if (code === 400) return badRequest(text);
  if (code === 500) return internalError(before + text);
  return new StatusError({ code, reason: reasons[code] ?? "", message: text });
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response) {
      chunks.push(chunk as Buffer);
      length += (chunk as Buffer).length;
      if (length > MAX_TEXT_BYTES) break;
    }
  } catch {
    // What came is told.
  }
  return Buffer.concat(chunks).subarray(0, MAX_TEXT_BYTES).toString("utf8").trim();
}
