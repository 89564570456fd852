// Which part of a container's log is wanted, and in which form. The words of `kubectl logs`.

import type { LogStream } from "./cri-log-line.ts";

export interface LogQuery {
  /** Goes on with what is written later, until the container has ended. */
  readonly follow: boolean;
  /** Only as many lines from the end. A line that was cut into parts counts once. */
  readonly tailLines?: number | undefined;
  /** Only what was written then or later, by the wall clock. */
  readonly sinceMs?: number | undefined;
  /** Ends after exactly as many bytes, timestamps counted, be it inside of a line. */
  readonly limitBytes?: number | undefined;
  /** Each line begins with the time at which it was written. */
  readonly hasTimestamps: boolean;
  readonly stream: "all" | LogStream;
}
