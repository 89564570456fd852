// Runs all controllers as one: informers, event recorders and loops, made anew each time that this process begins to lead, so that
// nothing of an earlier time decides anything.

import { linkSignals } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { Metrics } from "../base/metrics.ts";
import type { Random } from "../base/random.ts";
import { type Part, RunGroup } from "../base/run-group.ts";
import type { ApiClient } from "../client/api-client.ts";
import type { RunnableController } from "../controller/controller-context.ts";
import { EventRecorder, type Events } from "../controller/event-recorder.ts";
import { Informers } from "../controller/informers.ts";
import { LeaderElection, type LeaseTimes } from "../controller/leader-election.ts";
import { type LoopMetrics, loopMetrics } from "../controller/loop-metrics.ts";
import { type ControllerEntry, chooseControllers } from "./all-controllers.ts";
import { type ReloadMetrics, reloadMetrics } from "./reload/reload-metrics.ts";

interface ElectOptions extends Partial<LeaseTimes> {
  /** Of this process: no other one, living or dead, may have it. */
  readonly identity: string;
  /** Of the Lease. */
  readonly leaseName?: string;
  /** Where that is; kube-system if missing. */
  readonly leaseNamespace?: string;
}

export interface RunControllersOptions {
  readonly client: ApiClient;
  /** Which, as `--controllers` says it: "*,-daemonset-controller". All if missing. */
  readonly controllers?: string;
  /** The only one that is looked after: not every controller can do with one (see `isNamespaced`). All if missing. */
  readonly namespace?: string | undefined;
  /** PEM of the authorities by which pods know the API server. */
  readonly rootCertificates: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Missing: nobody counts. */
  readonly metrics?: Metrics;
  /** Undefined: nobody else can be running controllers. */
  readonly elect: ElectOptions | undefined;
  /** Called each time when all that they read from is complete and they have begun. */
  readonly onReady?: () => void;
  /** Called when that is over. */
  readonly onStopped?: () => void;
}

export const LEASE_NAME = "driftless-controllers";

/**
 * Settles when the signal has aborted and everything has stopped; the Lease is given back by then. Rejects if a controller fails, which
 * none does because of a server that is away or refuses.
 */
export async function runControllers(
  options: RunControllersOptions,
  signal: AbortSignal,
): Promise<void> {
  const { client, controllers = "*", elect, clock, random, logger } = options;
  const chosen = chooseControllers(controllers);
  // Made once: a name can be used once, and controllers are made again and again.
  const counted = options.metrics && reloadMetrics(options.metrics);
  const loops = options.metrics && loopMetrics(options.metrics);
  const run = (until: AbortSignal): Promise<void> =>
    runAll(options, { chosen, counted, loops }, until);
  if (elect === undefined) {
    await run(signal);
    return;
  }
  const { identity, leaseName: name = LEASE_NAME, leaseNamespace: namespace, ...times } = elect;
  const lease = { name, namespace, identity, times };
  const election = new LeaderElection({ client, ...lease, clock, random, logger });
  await election.run(signal, run);
}

async function runAll(
  options: RunControllersOptions,
  {
    chosen,
    counted,
    loops,
  }: {
    readonly chosen: readonly ControllerEntry[];
    readonly counted: ReloadMetrics | undefined;
    readonly loops: LoopMetrics | undefined;
  },
  signal: AbortSignal,
): Promise<void> {
  const { client, namespace, rootCertificates, clock, random, logger } = options;
  const base = { client, clock, random, logger };
  const informers = new Informers({ ...base, namespace });
  const recorders = new Map<string, EventRecorder>();
  const eventsOf = (component: string): Events => {
    const recorder =
      recorders.get(component) ?? new EventRecorder({ ...base, component, host: "" });
    recorders.set(component, recorder);
    return recorder;
  };
  const controllers = chosen.map(({ make }) =>
    make(
      { ...base, namespace, informers, eventsOf, loops },
      { rootCertificates, reloadMetrics: counted },
    ),
  );
  const { onReady, onStopped } = options;
  // Each is told to stop before those that it needs.
  const parts: readonly Part[] = [
    ...Array.from(recorders, ([component, recorder]) => ({
      name: `events of ${component}`,
      run: (until: AbortSignal) => recorder.run(until),
    })),
    { name: "informers", run: (until) => informers.run(until) },
    {
      name: "controllers",
      // Each begins when it has what it reads itself: what may not be read keeps nobody else from working.
      run: (until) => runTogether(controllers, until),
      ready: async () => {
        await informers.synced();
        if (!signal.aborted) onReady?.();
      },
    },
  ];
  try {
    await new RunGroup({ parts, clock }).run(signal);
  } finally {
    onStopped?.();
  }
}

/** All are told to stop at the same moment: who has lost the lead has little time. */
async function runTogether(
  controllers: readonly RunnableController[],
  signal: AbortSignal,
): Promise<void> {
  const failure = new AbortController();
  using link = linkSignals(signal, failure.signal);
  const run = async (controller: RunnableController): Promise<void> => {
    try {
      await controller.run(link.signal);
    } catch (err) {
      failure.abort(err);
      throw new Error(`The controller ${controller.name} failed`, { cause: err });
    }
  };
  const ends = await Promise.allSettled(controllers.map(run));
  const failed = ends.find((end) => end.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}
