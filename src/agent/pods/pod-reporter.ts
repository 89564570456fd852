// Says how one pod is: makes its status from what is known now and hands it on. Called whenever something may have changed: it
// costs no I/O but for what a container left to say, which is read once.

import type { Pod, PodStatus } from "../../api/types.ts";
import type { Health } from "./container-health.ts";
import type { WaitingReason } from "./container-statuses.ts";
import type { FailedStarts } from "./failed-starts.ts";
import { type PodContainers, podContainers } from "./pod-containers.ts";
import type { PodParts } from "./pod-parts.ts";
import { podStatus, rejectedStatus, type Verdict } from "./pod-status.ts";
import { terminationMessage } from "./termination-message.ts";

export interface ReportOptions {
  readonly isTerminal: boolean;
  readonly verdict: Verdict | undefined;
}

export class PodReporter {
  readonly #parts: PodParts;
  /** By container, as long as they wait. */
  readonly reasons: Map<string, WaitingReason> = new Map();
  readonly #health: Health;
  readonly #failedStarts: FailedStarts;
  /** Of containers that have ended, by id. */
  readonly #messages = new Map<string, string>();
  #status: PodStatus | undefined;

  constructor(
    parts: PodParts,
    { health, failedStarts }: { readonly health: Health; readonly failedStarts: FailedStarts },
  ) {
    this.#parts = parts;
    this.#health = health;
    this.#failedStarts = failedStarts;
  }

  /** The last report; before the first one what the server has. */
  status(pod: Pod): PodStatus {
    return this.#status ?? pod.status;
  }

  report(pod: Pod, { isTerminal, verdict }: ReportOptions): PodStatus {
    const { runtime, node, clock } = this.#parts;
    const { uid = "" } = pod.metadata;
    const containers = podContainers(this.#failedStarts.with(runtime.list(uid)), uid);
    this.#readMessages(containers);
    const status = podStatus({
      pod,
      before: this.status(pod),
      containers,
      reasons: this.reasons,
      health: this.#health,
      messages: this.#messages,
      isTerminal,
      verdict,
      hasSandbox: !isTerminal && runtime.hasSandbox(uid),
      addresses: node.addresses,
      nowMs: clock.now(),
    });
    this.#tell(pod, status);
    return status;
  }

  /** It is as somebody said before. */
  keep(status: PodStatus): void {
    this.#count(this.#status, -1);
    this.#count(status, 1);
    this.#status = status;
  }

  reject(pod: Pod, verdict: Verdict): void {
    this.#tell(pod, rejectedStatus(pod, verdict));
  }

  /** It counts as a pod of this node no more. */
  forget(): void {
    this.#count(this.#status, -1);
    this.#status = undefined;
  }

  /** Those that were removed are forgotten. */
  #readMessages(containers: PodContainers): void {
    const ended = [...containers.values()].flat().filter(({ end }) => end !== undefined);
    const ids = new Set(ended.map(({ id }) => id));
    for (const id of this.#messages.keys()) if (!ids.has(id)) this.#messages.delete(id);
    for (const one of ended) {
      if (!this.#messages.has(one.id)) this.#messages.set(one.id, terminationMessage(one));
    }
  }

  #tell(pod: Pod, status: PodStatus): void {
    this.keep(status);
    this.#parts.statuses.set(pod, status);
  }

  #count(status: PodStatus | undefined, by: 1 | -1): void {
    if (status?.phase !== undefined) this.#parts.metrics.pods.add(by, { phase: status.phase });
  }
}
