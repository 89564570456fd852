// What a port-forward needs of its caller, whatever the client speaks.

import type { Duplex } from "node:stream";
import type { Clock } from "../base/clock.ts";
import { describe } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";

export interface PortForwardOptions {
  /** For messages to the client. */
  readonly pod: { readonly name: string; readonly uid: string };
  /** A connection to the pod's port. It should be one that can be closed half (allowHalfOpen). */
  readonly connect: (port: number) => Promise<Duplex>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** From the request's query: a client that forwards over channels names its ports there. */
  readonly ports?: readonly number[];
}

/** What the client is told when the connection to a port cannot be made or breaks. */
export function forwardFailure(
  port: number,
  { name, uid }: PortForwardOptions["pod"],
  err: unknown,
): string {
  return `error forwarding port ${port} to pod ${name}, uid ${uid}: ${describe(err)}`;
}
