// Says how one pod is: makes its status from what is known now and hands it on. Costs no I/O, so it is called whenever
// something may have changed.

import type { Pod, PodStatus } from "../../api/types.ts";
import type { WaitingReason } from "./container-statuses.ts";
import { podContainers } from "./pod-containers.ts";
import type { PodParts } from "./pod-parts.ts";
import { podStatus, rejectedStatus, type Verdict } from "./pod-status.ts";

export interface ReportOptions {
  readonly isTerminal: boolean;
  readonly verdict: Verdict | undefined;
}

export class PodReporter {
  readonly #parts: PodParts;
  /** By container, as long as they wait. */
  readonly reasons: Map<string, WaitingReason> = new Map();
  #status: PodStatus | undefined;

  constructor(parts: PodParts) {
    this.#parts = parts;
  }

  /** The last report; before the first one what the server has. */
  status(pod: Pod): PodStatus {
    return this.#status ?? pod.status;
  }

  report(pod: Pod, { isTerminal, verdict }: ReportOptions): PodStatus {
    const { runtime, node, clock } = this.#parts;
    const { uid = "" } = pod.metadata;
    const status = podStatus({
      pod,
      before: this.status(pod),
      containers: podContainers(runtime.list(), uid),
      reasons: this.reasons,
      isTerminal,
      verdict,
      hasSandbox: !isTerminal && runtime.sandboxes().includes(uid),
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

  #tell(pod: Pod, status: PodStatus): void {
    this.keep(status);
    this.#parts.statuses.set(pod, status);
  }

  #count(status: PodStatus | undefined, by: 1 | -1): void {
    if (status?.phase !== undefined) this.#parts.metrics.pods.add(by, { phase: status.phase });
  }
}
