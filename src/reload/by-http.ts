// Telling a program by an HTTP request. Any 2xx is success; redirects are not followed, because a reload that leads elsewhere is a mistake.

import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { deadline } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import { isErrno } from "../base/errors.ts";
import type { ReloadTry } from "./reload-action.ts";

export interface HttpTarget {
  readonly method: string;
  readonly url: string;
  /** From the first byte to the answer's head. */
  readonly timeoutMs: number;
  /** What is not asked by name but on this very machine has a certificate of its own making. */
  readonly trustsAnyCertificate: boolean;
  readonly clock: Clock;
}

export function byHttp(target: HttpTarget): ReloadTry {
  return async (signal) => {
    const { clock, timeoutMs } = target;
    using limit = deadline({ clock, timeoutMs, signal });
    let status: number;
    try {
      status = await asked(target, limit.signal);
    } catch (err) {
      signal.throwIfAborted();
      const why = limit.signal.aborted ? `no answer within ${timeoutMs / 1000} s` : reasonOf(err);
      throw new Error(`${textOf(target)}: ${why}`, { cause: err });
    }
    if (status < 200 || status > 299) throw new Error(`${textOf(target)}: answered ${status}`);
  };
}

function asked(
  { method, url, trustsAnyCertificate }: HttpTarget,
  signal: AbortSignal,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const onAnswer = (answer: IncomingMessage): void => {
      // What it says besides may be anything, and of any length.
      answer.on("error", () => undefined).destroy();
      resolve(answer.statusCode ?? 0);
    };
    const headers = { "User-Agent": "driftless-reload", "Content-Length": 0 };
    const options = { method, headers, signal, agent: false as const };
    const sent = url.startsWith("https:")
      ? httpsRequest(url, { ...options, rejectUnauthorized: !trustsAnyCertificate }, onAnswer)
      : httpRequest(url, options, onAnswer);
    sent.on("error", reject).end();
  });
}

/** Without what is behind "?", where tokens live, and without a password. */
function textOf({ method, url }: HttpTarget): string {
  const { protocol, host, pathname } = new URL(url);
  return `${method} ${protocol}//${host}${pathname}`;
}

function reasonOf(err: unknown): string {
  if (isErrno(err, "ECONNREFUSED")) return "nobody listens there";
  return err instanceof Error ? err.message : "failed";
}
