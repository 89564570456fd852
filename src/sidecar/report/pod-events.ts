// Events on the pod that the sidecar is a part of, for `kubectl describe pod`. If it may: without the right to create events they are not missed, because the log and the
// metrics say the same.

import { apiTime } from "../../api/api-time.ts";
import { StatusError } from "../../api/status-error.ts";
import { isAbort } from "../../base/abort.ts";
import { AsyncQueue } from "../../base/async-queue.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { ApiClient } from "../../client/api-client.ts";

export interface PodEventsOptions {
  readonly client: Pick<ApiClient, "request">;
  readonly pod: {
    readonly namespace: string;
    readonly name: string;
    /** Without it, some tools do not find the event. */
    readonly uid: string | undefined;
  };
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface SidecarEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  /** For people. Never a secret. */
  readonly message: string;
}

const MAX_QUEUED = 16;
const MAX_MESSAGE_LENGTH = 1024;
/** The same again is not news for so long. */
const SAME_MS = 300_000;

export class PodEvents {
  readonly name = "events";
  readonly mayEnd = true;
  readonly #options: PodEventsOptions;
  readonly #queue = new AsyncQueue<SidecarEvent, "dropOldest">({
    capacity: MAX_QUEUED,
    whenFull: "dropOldest",
  });
  readonly #recorded = new Map<string, number>();
  #isOver = false;
  #count = 0;

  constructor(options: PodEventsOptions) {
    this.#options = options;
  }

  record(event: SidecarEvent): void {
    const nowMs = this.#options.clock.monotonicMs();
    const key = `${event.reason} ${event.message}`;
    const lastMs = this.#recorded.get(key);
    if (this.#isOver || (lastMs !== undefined && nowMs - lastMs < SAME_MS)) return;
    for (const [old, atMs] of this.#recorded)
      if (nowMs - atMs >= SAME_MS) this.#recorded.delete(old);
    this.#recorded.set(key, nowMs);
    this.#queue.push(event);
  }

  /** Ends by itself when the server says that it may not. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = (): void => this.#queue.abort(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    try {
      for await (const event of this.#queue) if (!(await this.#send(event, signal))) break;
    } catch (err) {
      if (!isAbort(err, signal)) throw err;
    } finally {
      signal.removeEventListener("abort", stop);
      this.#isOver = true;
    }
  }

  /** False: it makes no sense to go on. */
  async #send(event: SidecarEvent, signal: AbortSignal): Promise<boolean> {
    const { client, pod, logger } = this.#options;
    const { namespace, name } = pod;
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`;
    try {
      await client.request({ method: "POST", path, body: this.#complete(event), signal });
      return true;
    } catch (err) {
      if (signal.aborted) throw err;
      const isForbidden = err instanceof StatusError && (err.code === 403 || err.code === 401);
      if (isForbidden) {
        logger.info("events are not recorded: that needs the right to create events", {
          ...{ namespace, name },
        });
        return false;
      }
      logger.warn("event lost", { err, reason: event.reason, namespace, name });
      return true;
    }
  }

  #complete({ type, reason, message }: SidecarEvent): object {
    const { pod, clock } = this.#options;
    const { namespace, name, uid } = pod;
    const nowMs = clock.now();
    const at = apiTime(nowMs);
    const stamp = (BigInt(nowMs) * 1_000_000n + BigInt(this.#count++)).toString(16);
    const component = "driftless-sidecar";
    return {
      ...{ apiVersion: "v1", kind: "Event", metadata: { name: `${name}.${stamp}`, namespace } },
      involvedObject: { apiVersion: "v1", kind: "Pod", namespace, name, ...(uid && { uid }) },
      ...{ type, reason, message: message.slice(0, MAX_MESSAGE_LENGTH) },
      ...{ source: { component }, firstTimestamp: at, lastTimestamp: at, count: 1 },
      ...{ eventTime: null, reportingComponent: component, reportingInstance: name },
    };
  }
}
