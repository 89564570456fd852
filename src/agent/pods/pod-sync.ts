// Brings one pod to what it should be, once. The order is the promise:
//   1. register it, so that its objects are held before anybody asks for them;
//   2. its volumes, so that no container ever sees less than all of them;
//   3. decide, with what is there after that wait;
//   4. stop what has to stop, forget what nobody will ask for;
//   5. the sandbox, then the containers, one after the other.

import type { Pod } from "../../api/types.ts";
import { isAbort } from "../../base/abort.ts";
import { podHostname } from "../pod-hostname.ts";
import type { ContainerHealth } from "./container-health.ts";
import { removeContainerLog } from "./container-log.ts";
import type { ContainerStops } from "./container-stops.ts";
import type { FailedStarts } from "./failed-starts.ts";
import { graceSeconds } from "./grace-period.ts";
import { ImageBackoff } from "./image-backoff.ts";
import type { SyncFailure } from "./next-sync.ts";
import {
  type ContainerToStart,
  type ContainerToStop,
  type ContainerToWaitFor,
  type PodActions,
  podActions,
} from "./pod-actions.ts";
import { type PodContainers, podContainers } from "./pod-containers.ts";
import { aboutContainer, aboutPod, podText } from "./pod-events.ts";
import type { PodParts } from "./pod-parts.ts";
import type { PodReporter } from "./pod-reporter.ts";
import { goSeconds } from "./restart-backoff.ts";
import { messageOf, StartFailure, startContainer } from "./start-container.ts";
import { removeTerminationFile } from "./termination-file.ts";
import { unlessAborted } from "./unless-aborted.ts";

const SANDBOX_CHANGED = "Pod sandbox changed, it will be killed and re-created.";

/** Of this pod alone. */
export interface PodSyncParts {
  readonly reporter: PodReporter;
  readonly health: ContainerHealth;
  readonly stops: ContainerStops;
  readonly failedStarts: FailedStarts;
}

export class PodSync {
  readonly #parts: PodParts;
  readonly #reporter: PodReporter;
  readonly #health: ContainerHealth;
  readonly #stops: ContainerStops;
  readonly #failedStarts: FailedStarts;
  readonly #images: ImageBackoff;
  /** Names of containers that are being stopped for others to take their place. */
  #replaced: ReadonlySet<string> = new Set();
  /** Containers that the last run tried to start; undefined if it did not come to that. */
  #tried: ReadonlySet<string> | undefined;
  #isHeld = false;

  constructor(parts: PodParts, { reporter, health, stops, failedStarts }: PodSyncParts) {
    this.#parts = parts;
    this.#reporter = reporter;
    this.#health = health;
    this.#stops = stops;
    this.#failedStarts = failedStarts;
    this.#images = new ImageBackoff(parts.clock);
  }

  /** A container has ended for another to take its place: that says nothing of the pod. While it still stops, all is as it looks. */
  isReplacing({ metadata }: Pod): boolean {
    if (this.#replaced.size === 0) return false;
    const containers = this.#containers(metadata.uid ?? "");
    return [...this.#replaced].some((name) => containers.get(name)?.[0]?.end !== undefined);
  }

  /** What did not work is in the answer. Throws only what `signal` aborted with. */
  async run(pod: Pod, signal: AbortSignal): Promise<readonly SyncFailure[]> {
    this.#isHeld = true;
    this.#tried = undefined;
    this.refresh(pod); // (1)
    const unmounted = await this.#mount(pod, signal); // (2)
    if (unmounted !== undefined) return [unmounted];
    const actions = this.plan(pod); // (3)
    const tried = new Set(actions.start.map(({ container }) => container.name));
    const stopped = actions.stop.map(({ container }) => container.name);
    this.#replaced = new Set(stopped.filter((name) => tried.has(name)));
    if (actions.isSandboxLost) {
      aboutPod(this.#parts.events, pod)("Normal", "SandboxChanged", SANDBOX_CHANGED);
    }
    try {
      const failures = await this.#act(pod, actions, signal);
      this.#tried = tried;
      return failures;
    } finally {
      this.#replaced = new Set();
    }
  }

  /** What was started last has cleared the way for another, one that follows a sidecar; or there is none to come any more. */
  hasMore(pod: Pod): boolean {
    const tried = this.#tried;
    if (tried === undefined || tried.size === 0) return false;
    const { start, isDone } = this.plan(pod);
    return isDone || start.some(({ container }) => !tried.has(container.name));
  }

  /** What there is to do now. */
  plan(pod: Pod): PodActions {
    const { clock, node } = this.#parts;
    const containers = this.#containers(pod.metadata.uid ?? "");
    const { bootId } = node;
    return podActions({ pod, containers, health: this.#health, bootId, nowMs: clock.now() });
  }

  #containers(podUid: string): PodContainers {
    return podContainers(this.#failedStarts.with(this.#parts.runtime.list(podUid)), podUid);
  }

  async #act(pod: Pod, actions: PodActions, signal: AbortSignal): Promise<readonly SyncFailure[]> {
    const { runtime } = this.#parts;
    const stopped = await this.#stopAll(pod, actions.stop, signal); // (4)
    for (const one of actions.remove) {
      // First what the runtime does not know of: an agent that dies in between still finds the container.
      removeTerminationFile(one);
      removeContainerLog(one);
      this.#failedStarts.forget(one);
      await runtime.remove(one.id);
    }
    const waiting = actions.wait.map((one) => this.#backOff(pod, one));
    if (stopped.length > 0) return [...stopped, ...waiting];
    return [...waiting, ...(await this.#startAll(pod, actions.start, signal))]; // (5)
  }

  /** What shows the pod itself follows it at once, whatever a sync waits for; before the first sync there is nothing. */
  refresh(pod: Pod): void {
    if (!this.#isHeld) return;
    this.#parts.objects.register(pod);
    this.#parts.volumes.want(pod);
    this.#parts.probes.follow(pod);
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
    const stopping = toStop.map(({ container, message, graceSeconds: own }) => {
      const seconds = own ?? graceSeconds(pod);
      return this.#stops.stop({ pod, container, message, graceSeconds: seconds });
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
    const hasSharedProcesses = pod.spec.shareProcessNamespace === true;
    try {
      await runtime.makeSandbox({
        ...{ podUid: uid, podName: name, podNamespace: namespace, hostname, hasSharedProcesses },
      });
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
    const own = {
      ...{ images: this.#images, health: this.#health },
      ...{ stops: this.#stops, failedStarts: this.#failedStarts },
    };
    try {
      await startContainer(this.#parts, { pod, toStart, ...own, signal });
      reasons.delete(name);
      this.#parts.probes.follow(pod);
      return undefined;
    } catch (err) {
      if (!(err instanceof StartFailure)) throw err;
      reasons.set(name, { reason: err.reason, message: err.message });
      const { retryAtMs } = err;
      return { err, ...(retryAtMs !== undefined && { retryAtMs }) };
    }
  }
}
