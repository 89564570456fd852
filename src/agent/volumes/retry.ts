// When to try again. Who fails because of a server or an object is told when that changes, so the delays may become long. Nobody tells
// us when a disk has room again, so after a fault of this machine they stay short.

import { Backoff } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import { isErrno } from "../../base/errors.ts";
import type { Random } from "../../base/random.ts";
import { WriteError } from "../../files/write-error.ts";

export type Fault = "remote" | "local" | "removal";

const DELAYS = {
  // The kubelet's.
  remote: { baseMs: 500, maxMs: 122_000 },
  local: { baseMs: 100, maxMs: 1000 },
  // Of a pod's directory: often it is only a moment too early, and sometimes it stays.
  removal: { baseMs: 100, maxMs: 122_000 },
} as const;

// Those of files and mounts. Not those of connections: ECONNREFUSED is the server's.
const LOCAL_CODES = [
  ...["ENOSPC", "EDQUOT", "EACCES", "EPERM", "EROFS", "EIO", "EMFILE", "ENFILE", "ENOMEM"],
  ...["EBUSY", "ENOENT", "EEXIST", "ENOTDIR", "EISDIR", "ENOTEMPTY", "ELOOP", "ENAMETOOLONG"],
  ...["EXDEV", "ENODEV", "ENXIO", "ESTALE", "EINVAL", "ETXTBSY", "EFBIG", "EMLINK"],
];

/** Whose fault it is. */
export function faultOf(err: unknown): "remote" | "local" {
  for (let each = err; each instanceof Error; each = each.cause) {
    if (each instanceof WriteError || isErrno(each, ...LOCAL_CODES)) return "local";
  }
  return "remote";
}

/** The failures of one thing, in a row, of one sort. */
export class Retry {
  readonly fault: Fault;
  readonly #backoff: Backoff;
  readonly #clock: Clock;
  #failedMs = 0;
  #dueMs = 0;

  constructor(fault: Fault, { clock, random }: { readonly clock: Clock; readonly random: Random }) {
    this.fault = fault;
    this.#clock = clock;
    const delays = { ...DELAYS[fault], factor: 2, jitter: 0, resetAfterMs: Infinity };
    this.#backoff = new Backoff({ ...delays, clock, random });
  }

  /** Call it once per failure. */
  count(): void {
    this.#failedMs = this.#clock.monotonicMs();
    this.#dueMs = this.#failedMs + this.#backoff.nextMs();
  }

  /** The monotonic time of the next try. */
  get dueMs(): number {
    return this.#dueMs;
  }

  /** The same if somebody waits for it: soon, but however many ask, not all the time. */
  get soonMs(): number {
    return Math.min(this.#dueMs, this.#failedMs + DELAYS[this.fault].baseMs);
  }
}
