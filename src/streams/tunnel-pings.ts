// Finds out that the other end of a tunnel is gone without a word: a machine that lost its power, a NAT that forgot the connection.

import type { Http2Session } from "node:http2";
import type { Clock } from "../base/clock.ts";

/** Often enough that a NAT does not forget the connection. */
const PING_EVERY_MS = 15_000;
const PONG_WITHIN_MS = 10_000;

/** Pings until the session is closed, and destroys it if there is no answer. */
export function keepAlive(session: Http2Session, clock: Clock): void {
  let timer: Disposable | undefined;
  const next = (): void => {
    timer = clock.schedule(PING_EVERY_MS, ping);
  };
  const ping = (): void => {
    if (session.destroyed) return;
    timer = clock.schedule(PONG_WITHIN_MS, () => session.destroy(new TunnelDeadError()));
    // False, or an error, if it is closing: then it closes.
    const isSent = session.ping((err) => {
      timer?.[Symbol.dispose]();
      if (err === null && !session.destroyed) next();
    });
    if (!isSent) timer[Symbol.dispose]();
  };
  session.once("close", () => timer?.[Symbol.dispose]());
  next();
}

class TunnelDeadError extends Error {
  override readonly name = "TunnelDeadError";

  constructor() {
    super(`the other end of the tunnel did not answer within ${PONG_WITHIN_MS} ms`);
  }
}
