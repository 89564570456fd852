// Two connections as one: what comes from either goes to the other, as fast as that takes it.

import { addAbortListener } from "node:events";
import type { Duplex } from "node:stream";
import type { Clock } from "../../base/clock.ts";

/** For the last bytes to be taken by a client that goes on sending: closing at once would take them from it. */
const LINGER_MS = 2000;

export interface JoinOptions {
  readonly clock: Clock;
  /** Cuts both. */
  readonly signal: AbortSignal;
}

/** Settles when both are closed. The end of the client is the end of both; the end of the node comes after all that it sent. */
export async function joinPipes(
  client: Duplex,
  node: Duplex,
  { clock, signal }: JoinOptions,
): Promise<void> {
  const cut = (): void => {
    client.destroy();
    node.destroy();
  };
  using _stop = addAbortListener(signal, cut);
  // Whoever is gone already will not say so again.
  if (signal.aborted || client.destroyed || node.destroyed) cut();
  for (const one of [client, node]) one.on("error", () => undefined); // Then it closes.
  client.pipe(node);
  node.pipe(client);
  node.once("finish", () => node.destroy()); // The client has ended it: nobody reads any more.
  node.once("close", () => {
    if (!node.readableEnded) client.destroy();
  });
  client.once("close", () => node.destroy());
  let lingering: Disposable | undefined;
  client.once("finish", () => {
    client.resume();
    lingering = clock.schedule(LINGER_MS, cut);
  });
  await Promise.all([closed(client), closed(node)]);
  lingering?.[Symbol.dispose]();
}

function closed(one: Duplex): Promise<void> {
  return new Promise((resolve) => {
    if (one.closed) resolve();
    else one.once("close", () => resolve());
  });
}
