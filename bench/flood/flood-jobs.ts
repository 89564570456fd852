// What the bench asks of its two processes, the one that floods and the one that behaves, and what it hears back.
// Everything here goes over IPC as JSON.

import type { FloodOperation } from "../../test/flood/flood-request.ts";
import type { Target } from "../api/jobs.ts";

/** Requests that are always under way: each is followed by the next of its kind as soon as it is answered. */
export interface FloodJob {
  readonly target: Target;
  /** Request i does the operation i, and again from the first. */
  readonly operations: readonly FloodOperation[];
  readonly http2Sessions: number;
  readonly streamsOfSession: number;
  readonly http1Connections: number;
  /** Not counted: the handshakes are under way. */
  readonly riseMs: number;
}

export interface FloodResult {
  readonly seconds: number;
  /** Answered as asked for. */
  readonly served: number;
  readonly refused: number;
  /** Other answers, and connections that broke. */
  readonly failed: number;
}

/** Nodes and a user, who ask at fixed times. */
export interface BehavedJob {
  /** As in NODES. */
  readonly nodes: readonly Target[];
  readonly user: Target;
  /** Not measured: the compiler has not seen the code yet. */
  readonly warmUpMs: number;
  readonly ms: number;
}

export const clientNames = [
  "heartbeat",
  "get",
  "list of 10",
  "update",
  "get by a newcomer",
] as const;
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
