// The classes of requests, most urgent first, and what each of them has.
//
// A seat is the right to be in progress. It does not bound computing, of which this process has one thread; it bounds
// what waits for the store, what is held in memory, and, by the turn, how long the event loop is kept from its sockets.

export type PriorityLevel =
  | "exempt"
  | "node-heartbeat"
  | "system"
  | "node"
  | "workload-read"
  | "workload-write"
  | "workload-list"
  | "catch-all";

/** Those that are limited. */
export type LimitedLevel = Exclude<PriorityLevel, "exempt">;

export interface LevelSettings {
  /** Its own: whoever borrowed them gets no more until it has them back. */
  readonly seats: number;
  /** How many of them others may use while they are idle. The rest stays free, for the first of a burst. */
  readonly lendable: number;
  /** With those that it borrows. */
  readonly maxSeats: number;
  /** Requests that may wait, of one flow and of all. Each costs its headers, a few KiB. */
  readonly maxWaitingOfFlow: number;
  readonly maxWaiting: number;
  /** Goes at once even in a turn that has started enough already. */
  readonly ignoresTurns: boolean;
}

export type FlowSettings = Readonly<Record<LimitedLevel, LevelSettings>>;

/**
 * In the order of urgency. Of writes no more go to the store at once than it commits with one or two syncs, so that a
 * heartbeat behind them is late by milliseconds. Heartbeats have a long line: after an outage all nodes come at once,
 * with one request each. The lines of the others are long because waiting is cheap, a few KiB, and refusing is not.
 */
export const flowSettings: FlowSettings = {
  "node-heartbeat": {
    seats: 32,
    lendable: 16,
    maxSeats: 128,
    maxWaitingOfFlow: 8,
    maxWaiting: 4096,
    ignoresTurns: true,
  },
  system: level({ seats: 64, lendable: 32, maxSeats: 160 }),
  node: level({ seats: 64, lendable: 48, maxSeats: 160 }),
  "workload-read": level({ seats: 64, lendable: 48, maxSeats: 160 }),
  "workload-write": level({ seats: 48, lendable: 24, maxSeats: 96 }),
  "workload-list": level({ seats: 32, lendable: 16, maxSeats: 64 }),
  "catch-all": level({ seats: 8, lendable: 4, maxSeats: 8, maxWaitingOfFlow: 8, maxWaiting: 32 }),
};

function level(
  own: Pick<LevelSettings, "seats" | "lendable" | "maxSeats"> & Partial<LevelSettings>,
): LevelSettings {
  return { maxWaitingOfFlow: 512, maxWaiting: 2048, ignoresTurns: false, ...own };
}
