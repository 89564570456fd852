// What the bench asks of its two processes, the one that floods and the one that behaves, and what it hears back.
// Everything here goes over IPC as JSON.

import type { Target } from "../api/jobs.ts";

export type FloodOperation = "create" | "update" | "get" | "list";

/** Requests that are always under way: each is followed by the next of its kind as soon as it is answered. */
export interface FloodJob {
  readonly target: Target;
  /** Request i does the operation i, and again from the first. */
  readonly operations: readonly FloodOperation[];
  readonly http2Sessions: number;
  readonly streamsOfSession: number;
  readonly http1Connections: number;
}

export interface FloodResult {
  readonly seconds: number;
  /** Answered as asked for. */
  readonly served: number;
  readonly refused: number;
  /** Other answers, and connections that broke. */
  readonly failed: number;
}

/** A node and a user, who ask at fixed times, whether the last answer is there or not. */
export interface BehavedJob {
  readonly node: Target;
  readonly user: Target;
  /** Not measured: the compiler has not seen the code yet. */
  readonly warmUpMs: number;
  readonly ms: number;
}

export const clientNames = ["heartbeat", "get", "list of 10", "update", "get by a newcomer"] as const;
export type ClientName = (typeof clientNames)[number];

export interface Times {
  readonly count: number;
  /** Not answered as asked for, or not at all. */
  readonly failed: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export type BehavedResult = Readonly<Record<ClientName, Times>>;
