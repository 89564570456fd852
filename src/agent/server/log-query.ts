// The query of a request for a log, which the API server has checked; a client that comes by itself is checked here.

import type { LogQuery } from "../../runtime/logs/log-query.ts";
import { RequestError } from "./request-error.ts";

const streams: Readonly<Record<string, LogQuery["stream"]>> = {
  "": "all",
  All: "all",
  Stdout: "stdout",
  Stderr: "stderr",
};

/** Throws RequestError. */
export function logQueryOf(query: URLSearchParams, nowMs: number): LogQuery {
  const stream = streams[query.get("stream") ?? ""];
  if (stream === undefined) throw unreadable();
  const tailLines = numberOf(query, "tailLines", 0);
  const sinceMs = sinceOf(query, nowMs);
  const limitBytes = numberOf(query, "limitBytes", 1);
  return {
    follow: flag(query, "follow"),
    hasTimestamps: flag(query, "timestamps"),
    stream,
    ...(tailLines !== undefined && { tailLines }),
    ...(sinceMs !== undefined && { sinceMs }),
    ...(limitBytes !== undefined && { limitBytes }),
  };
}

export function flag(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && value.toLowerCase() !== "false" && value !== "0";
}

function sinceOf(query: URLSearchParams, nowMs: number): number | undefined {
  const seconds = numberOf(query, "sinceSeconds", 1);
  if (seconds !== undefined) return nowMs - 1000 * seconds;
  const time = query.get("sinceTime") ?? "";
  if (time === "") return undefined;
  const ms = Date.parse(time);
  if (Number.isNaN(ms)) throw unreadable();
  return ms;
}

function numberOf(query: URLSearchParams, name: string, min: number): number | undefined {
  const text = query.get(name) ?? "";
  if (text === "") return undefined;
  const value = /^[+-]?\d{1,30}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min) return value;
  throw unreadable();
}

function unreadable(): RequestError {
  return new RequestError(400, '{"message": "Unable to decode query."}');
}
