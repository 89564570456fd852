// The gate with all that it needs of this machine and its server.

import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { Random } from "../../base/random.ts";
import type { ApiClient } from "../../client/api-client.ts";
import type { Events } from "../../controller/event-recorder.ts";
import type { UpkeptObjects } from "../objects/upkept-objects.ts";
import { AdmittedNotes } from "./admitted-notes.ts";
import { CheckThreads } from "./check-threads.ts";
import { DeliveryPolicies } from "./delivery-policies.ts";
import { GateMetrics } from "./gate-metrics.ts";
import { GatedObjects } from "./gated-objects.ts";
import { ConfigRevisions } from "./past-contents.ts";

export interface GateOptions {
  readonly objects: UpkeptObjects;
  readonly client: ApiClient;
  /** It notes there what was let through. */
  readonly dataDir: string;
  readonly events: Events;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

export function createGate(options: GateOptions): GatedObjects {
  const { objects, client, dataDir, events, clock, random, logger } = options;
  return new GatedObjects({
    ...{ objects, events, clock, logger },
    policies: new DeliveryPolicies({ client, clock, random, logger }),
    checker: new CheckThreads(clock),
    past: new ConfigRevisions(client),
    notes: new AdmittedNotes(join(dataDir, "admitted.json"), logger),
    metrics: new GateMetrics(options.metrics),
  });
}
