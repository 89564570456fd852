// What every controller takes. It reads from the shared informers, writes through the client and says what happened by events.

import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { Random } from "../base/random.ts";
import type { ApiClient } from "../client/api-client.ts";
import type { Events } from "./event-recorder.ts";
import type { Informers } from "./informers.ts";
import type { LoopMetrics } from "./loop-metrics.ts";

export interface ControllerContext {
  readonly client: ApiClient;
  readonly informers: Informers;
  /** The only one that is looked after, as the informers do; all if missing. */
  readonly namespace?: string | undefined;
  /** The recorder that speaks for this controller: "deployment-controller". */
  readonly eventsOf: (component: string) => Events;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Undefined: nobody counts. */
  readonly loops?: LoopMetrics | undefined;
}

/** A controller as whoever runs them sees it: made before the informers run, run after. */
export interface RunnableController {
  readonly name: string;
  run(signal: AbortSignal): Promise<void>;
}
