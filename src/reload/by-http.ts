// Telling a program by an HTTP request. Any 2xx is success unless others are expected; redirects are not followed, because a reload that leads elsewhere is a mistake.

import type { IncomingMessage } from "node:http";
import { deadline } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import { isErrno } from "../base/errors.ts";
import { http, https } from "../base/network-modules.ts";
import type { ReloadTry } from "./reload-action.ts";

export interface HttpTarget {
  readonly method: string;
  readonly url: string;
  /** From the first byte to the answer's head. */
  readonly timeoutMs: number;
  /** What is not asked by name but on this very machine has a certificate of its own making. */
  readonly trustsAnyCertificate: boolean;
  /** Asked for each try: credentials in files change. May throw, with a message for people. */
  readonly headers?: () => Promise<Readonly<Record<string, string>>>;
  readonly body?: string | undefined;
  /** In place of any 2xx. */
  readonly expectedStatus?: readonly number[] | undefined;
  /** Of each answer, expected or not. */
  readonly onStatus?: ((status: number) => void) | undefined;
  readonly clock: Clock;
}

export function byHttp(target: HttpTarget): ReloadTry {
  return async (signal) => {
    const { clock, timeoutMs } = target;
    using limit = deadline({ clock, timeoutMs, signal });
    let status: number;
    try {
      status = await asked(target, (await target.headers?.()) ?? {}, limit.signal);
    } catch (err) {
      signal.throwIfAborted();
      const why = limit.signal.aborted ? `no answer within ${timeoutMs / 1000} s` : reasonOf(err);
      throw new Error(`${textOf(target)}: ${why}`, { cause: err });
    }
    target.onStatus?.(status);
    if (!isExpected(status, target)) throw new Error(`${textOf(target)}: answered ${status}`);
  };
}

function isExpected(status: number, { expectedStatus }: HttpTarget): boolean {
  return expectedStatus?.includes(status) ?? (status >= 200 && status <= 299);
}

function asked(
  { method, url, trustsAnyCertificate, body = "" }: HttpTarget,
  more: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const onAnswer = (answer: IncomingMessage): void => {
      // What it says besides may be anything, and of any length.
      answer.on("error", () => undefined).destroy();
      resolve(answer.statusCode ?? 0);
    };
    const headers = {
      "User-Agent": "driftless-reload",
      ...more,
      "Content-Length": Buffer.byteLength(body),
    };
    const options = { method, headers, signal, agent: false as const };
    const sent = url.startsWith("https:")
      ? https().request(url, { ...options, rejectUnauthorized: !trustsAnyCertificate }, onAnswer)
      : http().request(url, options, onAnswer);
    sent.on("error", reject).end(body);
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
