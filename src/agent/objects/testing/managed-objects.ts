// An object manager with all its parts, whose server is in memory and whose time is stepped.

import { createMetrics, type Metrics } from "../../../base/metrics.ts";
import { CaptureLogger } from "../../../base/testing/capture-logger.ts";
import { FakeClock } from "../../../base/testing/fake-clock.ts";
import { ApiClient } from "../../../client/api-client.ts";
import { halfRandom } from "../../../client/testing/fake-client.ts";
import type { ConfigObject, ObjectReference } from "../config-object.ts";
import type { ObjectManagerParts } from "../create-object-manager.ts";
import type { ObjectManager } from "../object-manager.ts";
import { ObjectServer } from "./object-server.ts";

export interface TestParts extends ObjectManagerParts {
  readonly server: ObjectServer;
  readonly clock: FakeClock;
  readonly logger: CaptureLogger;
  readonly metrics: Metrics;
}

export function testParts(own: Partial<ObjectManagerParts> = {}): TestParts {
  const server = new ObjectServer();
  const clock = new FakeClock();
  const random = halfRandom;
  const connection = { server: "https://fake", isInsecure: false, namespace: "default" };
  const client = new ApiClient({ connection, clock, timeoutMs: 60_000, random, transport: server });
  const rest = { ttlMs: () => 60_000, maxIdleMs: 60_000, ...own };
  return {
    ...rest,
    server,
    clock,
    random,
    client,
    logger: new CaptureLogger(),
    metrics: createMetrics(),
  };
}

/** What a read came to, when everything has settled that needs no time: a version, or an error. */
export async function readNow(
  objects: ObjectManager,
  of: ObjectReference,
  by: { readonly podUid: string; readonly clock: FakeClock; readonly ms?: number },
): Promise<ConfigObject | Error> {
  await by.clock.step(0);
  const { signal } = new AbortController();
  let outcome: ConfigObject | Error = new Error("it waits still");
  const reading = objects.get(of, { podUid: by.podUid, signal }).then(
    (object) => {
      outcome = object;
    },
    (err: unknown) => {
      outcome = err as Error;
    },
  );
  await by.clock.step(by.ms ?? 0);
  await Promise.race([reading, Promise.resolve()]);
  return outcome;
}
