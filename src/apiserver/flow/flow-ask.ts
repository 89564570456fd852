// What flow control has to know of a request, from what the server knows of it before its body is read.

import type { Action } from "../authorization.ts";
import type { HttpResponse } from "../http/answer.ts";
import { classify } from "./classify.ts";
import type { Ask } from "./flow-control.ts";
import { onGone } from "./on-gone.ts";
import { requestWidth } from "./request-width.ts";

export interface FlowRequest {
  /** Of the acting user. */
  readonly action: Action;
  readonly query: URLSearchParams;
  readonly response: HttpResponse;
  /** The address of the client, for those who have no name. */
  readonly source: string;
  /** How many objects there are of the kind; 0 if it is none. */
  readonly stored: number;
}

export function flowAsk({ action, query, response, source, stored }: FlowRequest): Ask {
  const { verb, name } = action;
  const version = query.get("resourceVersion") ?? "";
  const isStatePart = version === "" || version === "0";
  return {
    ...classify(action, source),
    width: requestWidth({
      verb,
      isOne: name !== "",
      stored,
      limit: Number(query.get("limit") ?? 0) || 0,
      wantsState: isStatePart || query.get("sendInitialEvents") === "true",
    }),
    timeoutMs: verb === "watch" ? undefined : durationMs(query.get("timeout") ?? ""),
    onGone: (callback) => onGone(response, callback),
    isBulky: verb === "list" && name === "",
  };
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Of a duration with one unit, which is what clients send: "30s". Undefined for anything else. */
function durationMs(text: string): number | undefined {
  if (text === "") return undefined;
  const [, number = "", unit = ""] = /^(\d{1,9})(ms|s|m|h)$/.exec(text) ?? [];
  const ms = Number(number) * (units[unit] ?? 0);
  return ms > 0 ? ms : undefined;
}
