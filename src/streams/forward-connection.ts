// One connection of a port-forward: bytes both ways between the client's stream and the port.

import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Clock } from "../base/clock.ts";
import type { Substream } from "./substream.ts";

/** For the client to close its half after the port has closed: some cannot, or wait for us. */
const graceMs = 1_000;

export interface Forwarding {
  readonly stream: Substream;
  readonly target: Duplex;
  readonly clock: Clock;
}

/**
 * Resolves when the port has closed, or the client does not want it any longer; either half may close first. Rejects if
 * the connection to the port breaks. Nothing is left open.
 */
export async function forwardConnection({ stream, target, clock }: Forwarding): Promise<void> {
  try {
    const inbound = pipeline(stream, target);
    // Waited for below; until then its failure is the other direction's, too.
    inbound.catch(() => undefined);
    await pipeline(target, stream);
    const late = Promise.withResolvers<void>();
    using _grace = clock.schedule(graceMs, late.resolve);
    await Promise.race([inbound, late.promise]);
  } catch (err) {
    // A reset by the client is how a part of them closes.
    if (!stream.isResetByClient) throw err;
  } finally {
    target.destroy();
    stream.destroy();
  }
}
