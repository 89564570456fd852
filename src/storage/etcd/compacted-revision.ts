// How far the past is compacted. Only a watch tells: one that starts at the beginning is cancelled with it.

import type { Clock } from "../../base/clock.ts";
import type { Revision } from "../store.ts";
import type { EtcdClient } from "./etcd-client.ts";
import type { Keyspace } from "./keyspace.ts";
import { encodeWatchCreate, type WatchAnswer, watchRpc } from "./messages.ts";

interface CompactedRevisionOptions {
  readonly client: EtcdClient;
  readonly keyspace: Keyspace;
  readonly clock: Clock;
}

/** etcd answers within its interval of 100 ms. */
const timeoutMs = 1000;

/** Undefined when nothing is compacted, or etcd does not say. */
export async function compactedRevision({
  client,
  keyspace: { progressKey },
  clock,
}: CompactedRevisionOptions): Promise<Revision | undefined> {
  try {
    const { call } = await client.open(watchRpc, "read the compacted revision");
    using _timer = clock.schedule(timeoutMs, () => call.cancel());
    call.write(encodeWatchCreate(progressKey, `${progressKey}\u0000`, 1n));
    for await (const { compactRevision } of call as AsyncIterable<WatchAnswer>) {
      if (compactRevision > 0n) {
        call.on("error", () => undefined).cancel();
        return compactRevision;
      }
    }
  } catch {
    // It is only for the message; the caller knows a revision that is compacted.
  }
  return undefined;
}
