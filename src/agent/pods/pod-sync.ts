// Brings one pod to what it should be, once. The order is the promise:
//   1. register it, so that its objects are held before anybody asks for them;
//   2. its volumes, so that no container ever sees less than all of them;
//   3. decide, with what is there after that wait;
//   4. stop what has to stop, forget what nobody will ask for;
//   5. the sandbox, then the containers, one after the other.

import type { Pod } from "../../api/types.ts";
import { isAbort } from "../../base/abort.ts";
import { podHostname } from "../pod-hostname.ts";
import { ImageBackoff } from "./image-backoff.ts";
import type { SyncFailure } from "./next-sync.ts";
import {
  type ContainerToStart,
  type ContainerToStop,
  type ContainerToWaitFor,
  type PodActions,
  podActions,
} from "./pod-actions.ts";
import { podContainers } from "./pod-containers.ts";
import { aboutContainer, aboutPod, podText } from "./pod-events.ts";
import type { PodParts } from "./pod-parts.ts";
import type { PodReporter } from "./pod-reporter.ts";
import { goSeconds } from "./restart-backoff.ts";
import { messageOf, StartFailure, startContainer } from "./start-container.ts";
import { unlessAborted } from "./unless-aborted.ts";

export class PodSync {
  readonly #parts: PodParts;
  readonly #reporter: PodReporter;
  readonly #images: ImageBackoff;
  #isReplacing = false;
  #isHeld = false;

  constructor(parts: PodParts, reporter: PodReporter) {
    this.#parts = parts;
    this.#reporter = reporter;
    this.#images = new ImageBackoff(parts.clock);
  }

  /** A container was stopped for another to take its place: that it has ended says nothing of the pod. */
  get isReplacing(): boolean {
    return this.#isReplacing;
  }

  /** What did not work is in the answer. Throws only what `signal` aborted with. */
  async run(pod: Pod, signal: AbortSignal): Promise<readonly SyncFailure[]> {
    const { runtime, clock } = this.#parts;
    const { uid = "" } = pod.metadata;
    this.#isHeld = true;
    this.refresh(pod); // (1)
    const unmounted = await this.#mount(pod, signal); // (2)
    if (unmounted !== undefined) return [unmounted];
    const containers = podContainers(runtime.list(), uid);
    const actions = podActions({ pod, containers, nowMs: clock.now() }); // (3)
    this.#isReplacing = actions.stop.length > 0;
    try {
      return await this.#act(pod, actions, signal);
    } finally {
      this.#isReplacing = false;
    }
  }

  async #act(pod: Pod, actions: PodActions, signal: AbortSignal): Promise<readonly SyncFailure[]> {
    const { runtime } = this.#parts;
    const stopped = await this.#stopAll(pod, actions.stop, signal); // (4)
    for (const { id } of actions.remove) await runtime.remove(id);
    const waiting = actions.wait.map((one) => this.#backOff(pod, one));
    if (stopped.length > 0) return [...stopped, ...waiting];
    return [...waiting, ...(await this.#startAll(pod, actions.start, signal))]; // (5)
  }

  /** What shows the pod itself follows it at once, whatever a sync waits for; before the first sync there is nothing. */
  refresh(pod: Pod): void {
    if (!this.#isHeld) return;
    this.#parts.objects.register(pod);
    this.#parts.volumes.want(pod);
  }

  async #mount(pod: Pod, signal: AbortSignal): Promise<SyncFailure | undefined> {
    try {
      await this.#parts.volumes.mounted(pod.metadata.uid ?? "", signal);
      return undefined;
    } catch (err) {
      if (isAbort(err, signal)) throw err;
      const message = `Unable to attach or mount volumes: ${messageOf(err)}`;
      aboutPod(this.#parts.events, pod)("Warning", "FailedMount", message);
      return { err };
    }
  }

  async #stopAll(
    pod: Pod,
    toStop: readonly ContainerToStop[],
    signal: AbortSignal,
  ): Promise<readonly SyncFailure[]> {
    const { runtime, events } = this.#parts;
    const graceMs = 1000 * Math.max(1, pod.spec.terminationGracePeriodSeconds ?? 30);
    const stopping = toStop.map(async ({ container: { id, name }, message }) => {
      aboutContainer(events, pod, name)("Normal", "Killing", message);
      await runtime.stop(id, { graceMs });
    });
    // Who ends the whole pod does not wait for this: it stops the same containers, perhaps faster.
    const results = await unlessAborted(Promise.allSettled(stopping), signal);
    return results.flatMap((one) =>
      one.status === "rejected" ? [{ err: one.reason as unknown }] : [],
    );
  }

  #backOff(pod: Pod, { container: { name }, delayMs, untilMs }: ContainerToWaitFor): SyncFailure {
    const text = podText(pod);
    const message = `back-off ${goSeconds(delayMs)} restarting failed container=${name} pod=${text}`;
    this.#reporter.reasons.set(name, { reason: "CrashLoopBackOff", message });
    aboutContainer(this.#parts.events, pod, name)(
      "Warning",
      "BackOff",
      `Back-off restarting failed container ${name} in pod ${text}`,
    );
    return { err: new Error(message), retryAtMs: untilMs };
  }

  async #startAll(
    pod: Pod,
    toStart: readonly ContainerToStart[],
    signal: AbortSignal,
  ): Promise<readonly SyncFailure[]> {
    if (toStart.length === 0) return [];
    const noSandbox = await this.#makeSandbox(pod);
    if (noSandbox !== undefined) return [noSandbox];
    const failures: SyncFailure[] = [];
    for (const one of toStart) {
      const failure = await this.#start(pod, one, signal);
      if (failure !== undefined) failures.push(failure);
    }
    return failures;
  }

  async #makeSandbox(pod: Pod): Promise<SyncFailure | undefined> {
    const { runtime, events, node } = this.#parts;
    const { uid = "", name = "", namespace = "" } = pod.metadata;
    const hostname = podHostname(pod, node.name);
    try {
      await runtime.makeSandbox({ podUid: uid, podName: name, podNamespace: namespace, hostname });
      return undefined;
    } catch (err) {
      const message = `Failed to create pod sandbox: ${messageOf(err)}`;
      aboutPod(events, pod)("Warning", "FailedCreatePodSandBox", message);
      return { err };
    }
  }

  async #start(
    pod: Pod,
    toStart: ContainerToStart,
    signal: AbortSignal,
  ): Promise<SyncFailure | undefined> {
    const { reasons } = this.#reporter;
    const { name } = toStart.container;
    try {
      await startContainer(this.#parts, { pod, toStart, images: this.#images, signal });
      reasons.delete(name);
      return undefined;
    } catch (err) {
      if (!(err instanceof StartFailure)) throw err;
      reasons.set(name, { reason: err.reason, message: err.message });
      const { retryAtMs } = err;
      return { err, ...(retryAtMs !== undefined && { retryAtMs }) };
    }
  }
}
