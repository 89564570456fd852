// Keeps the status of the Node true: looks every ten seconds, writes what has changed, and every five minutes that all is
// as before. That the node is alive is the Lease's to say; so a quiet node costs the server next to nothing.

import { addAbortListener } from "node:events";
import { apiTime } from "../../api/api-time.ts";
import { aborted, deadline, isAbort, untilAborted } from "../../base/abort.ts";
import { Backoff } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Random } from "../../base/random.ts";
import type { ResourceClient } from "../../client/resource-client.ts";
import { FailureLog } from "./failure-log.ts";
import { conditionsOf } from "./node-conditions.ts";
import type { NodeObject } from "./node-kinds.ts";
import { isNews, type NodeReport, statusPatch } from "./node-status.ts";
import type { Sight } from "./node-survey.ts";
import type { OwnNode } from "./own-node.ts";
import { PressureMemory } from "./pressure.ts";

export interface NodeStatusWriterOptions {
  readonly own: Pick<OwnNode, "object" | "registered" | "onChange" | "wrote">;
  readonly nodes: Pick<ResourceClient<NodeObject>, "patch">;
  readonly look: () => Promise<Sight>;
  /** What is not there yet without which no pod can run; empty when the node is ready. */
  readonly missing: () => readonly string[];
  /** On which the agent listens; 0 if it does not. */
  readonly port: () => number;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

const LOOK_EVERY_MS = 10_000;
const WRITE_EVERY_MS = 300_000;
const REQUEST_MS = 10_000;

export class NodeStatusWriter {
  readonly #options: NodeStatusWriterOptions;
  readonly #pressure: PressureMemory;
  readonly #failures: FailureLog;
  readonly #backoff: Backoff;
  /** Monotonic: by then the status is written, changed or not. */
  #writeAtMs = Number.NEGATIVE_INFINITY;
  /** What was last said of Ready. */
  #said: string | undefined;
  /** A look is wanted before its time. */
  #isWanted = false;
  #wake: () => void = () => undefined;

  constructor(options: NodeStatusWriterOptions) {
    this.#options = options;
    const { clock, random, logger } = options;
    this.#pressure = new PressureMemory(clock);
    this.#failures = new FailureLog(logger, "cannot write the status of this node");
    const pauses = { baseMs: 500, factor: 2, maxMs: LOOK_EVERY_MS, jitter: 0.5 };
    this.#backoff = new Backoff({ ...pauses, resetAfterMs: 2 * LOOK_EVERY_MS, clock, random });
  }

  /** Looks at once: something that matters has changed. */
  lookNow(): void {
    this.#isWanted = true;
    this.#wake();
  }

  run(signal: AbortSignal): Promise<void> {
    return untilAborted(signal, () => this.#live(signal));
  }

  async #live(signal: AbortSignal): Promise<void> {
    const { own } = this.#options;
    await Promise.race([own.registered, aborted(signal)]);
    using _handler = own.onChange(() => this.#changed());
    for (;;) {
      signal.throwIfAborted();
      this.#isWanted = false;
      await this.#pause(await this.#try(signal), signal);
    }
  }

  /** Somebody else, a controller for one, says other things about us than we do. */
  #changed(): void {
    const { object } = this.#options.own;
    if (object !== undefined && readyOf(object) !== this.#said) this.lookNow();
  }

  /** Returns how long to wait for the next look. */
  async #try(signal: AbortSignal): Promise<number> {
    const { clock } = this.#options;
    using limit = deadline({ clock, timeoutMs: REQUEST_MS, signal });
    try {
      await this.#writeIfNeeded(limit.signal);
      this.#failures.worked();
      this.#backoff.reset();
      return LOOK_EVERY_MS;
    } catch (err) {
      if (isAbort(err, signal)) throw err;
      this.#failures.failed(err);
      return this.#backoff.nextMs();
    }
  }

  async #writeIfNeeded(signal: AbortSignal): Promise<void> {
    const { own, nodes, look, missing, port, clock, random } = this.#options;
    const { facts, pressures: seen } = await look();
    const pressures = this.#pressure.tell(seen);
    const { object } = own;
    if (object === undefined) return; // Deleted, which was told.
    const { metadata, status } = object;
    const now = apiTime(clock.now());
    const findings = { pressures, missing: missing() };
    const report: NodeReport = {
      facts,
      conditions: conditionsOf(findings, status.conditions ?? [], now),
      port: port(),
    };
    const hasNews = isNews(status, report);
    const nowMs = clock.monotonicMs();
    if (!hasNews && nowMs < this.#writeAtMs) return;
    const patch = statusPatch({ uid: metadata.uid, status }, report);
    const { name = "" } = metadata;
    const options = { type: "strategic", subresource: "status", signal } as const;
    // What we say now is what to compare with, also if it is heard before the answer comes.
    this.#said = report.conditions.at(-1)?.status;
    own.wrote(await nodes.patch({ name }, patch, options));
    // Nodes that came up together drift apart.
    this.#writeAtMs = nowMs + WRITE_EVERY_MS * (hasNews ? 1 - 0.5 * random.next() : 1);
  }

  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    if (this.#isWanted) return;
    const woken = Promise.withResolvers<void>();
    this.#wake = () => woken.resolve();
    using _timer = this.#options.clock.schedule(ms, () => woken.resolve());
    using _stop = addAbortListener(signal, () => woken.resolve());
    await woken.promise;
  }
}

function readyOf({ status }: NodeObject): string | undefined {
  return status.conditions?.find(({ type }) => type === "Ready")?.status;
}
