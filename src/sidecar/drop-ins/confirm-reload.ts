// A signal says nothing about how it went. Prometheus does, at an address of its own: when it last loaded its configuration with success, and whether the last try was one.
//
//   ask ──> tell ──> ask, again and again: loaded since ──> told
//                                          good before, bad now ──> failed
//
// Bad before and bad now may be the state of before: then only time tells, and what it says last is said.

import type { IncomingMessage } from "node:http";
import { deadline } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { describe } from "../../base/errors.ts";
import { http, https } from "../../base/network-modules.ts";
import type { ReloadTry } from "../../reload/reload-action.ts";

export interface ConfirmOptions {
  /** Prometheus' /api/v1/status/runtimeinfo. */
  readonly url: string;
  readonly tell: ReloadTry;
  /** For all of it. */
  readonly timeoutMs: number;
  readonly clock: Clock;
}

interface LoadState {
  readonly isGood: boolean;
  readonly loadedAtMs: number;
}

/** Soon at first: most reloads take no time, and a short limit must leave room for more than one question. */
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 1000;
const MAX_ANSWER_BYTES = 1024 * 1024;

/** Tells, and settles once Prometheus says that it has loaded its configuration since. */
export function confirmedReload({ url, tell, timeoutMs, clock }: ConfirmOptions): ReloadTry {
  return async (signal) => {
    using limit = deadline({ clock, timeoutMs, signal });
    let last = "";
    try {
      const before = await loadState(url, limit.signal);
      await tell(limit.signal);
      for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
        const now = await loadState(url, limit.signal);
        if (now.isGood && now.loadedAtMs > before.loadedAtMs) return;
        if (before.isGood && !now.isGood) throw new Error("Prometheus refused the configuration");
        if (!now.isGood) last = "; it says that its last try has failed";
        await clock.sleep(pauseMs, limit.signal);
      }
    } catch (err) {
      signal.throwIfAborted();
      if (!limit.signal.aborted) throw err;
      const message = `Prometheus did not say within ${timeoutMs / 1000} s that it has loaded its configuration${last}`;
      throw new Error(message, { cause: err });
    }
  };
}

async function loadState(url: string, signal: AbortSignal): Promise<LoadState> {
  try {
    return stateIn(JSON.parse(await answerOf(url, signal)));
  } catch (err) {
    signal.throwIfAborted();
    const { host, pathname } = new URL(url);
    throw new Error(`Prometheus' state is not known from ${host}${pathname}: ${describe(err)}`, {
      cause: err,
    });
  }
}

function stateIn(answer: unknown): LoadState {
  const { data } = (answer ?? {}) as { data?: Readonly<Record<string, unknown>> | null };
  const isGood = data?.["reloadConfigSuccess"];
  const loadedAtMs = Date.parse(String(data?.["lastConfigTime"]));
  if (typeof isGood === "boolean" && !Number.isNaN(loadedAtMs)) return { isGood, loadedAtMs };
  throw new Error("it has no reloadConfigSuccess and lastConfigTime");
}

function answerOf(url: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const onAnswer = (answer: IncomingMessage): void => {
      const { statusCode = 0 } = answer;
      if (statusCode < 200 || statusCode > 299) {
        answer.destroy();
        reject(new Error(`it answered ${statusCode}`));
        return;
      }
      textIn(answer).then(resolve, reject);
    };
    const get = url.startsWith("https:") ? https().get : http().get;
    get(url, { signal, agent: false }, onAnswer).on("error", reject);
  });
}

async function textIn(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new Error("its answer is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
