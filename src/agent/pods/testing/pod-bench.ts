// Everything that a pod's worker needs, in memory, and what it told of the pod.

import type { Pod, PodStatus } from "../../../api/types.ts";
import { createMetrics, type Metrics } from "../../../base/metrics.ts";
import { CaptureLogger } from "../../../base/testing/capture-logger.ts";
import { FakeClock } from "../../../base/testing/fake-clock.ts";
import type { NewEvent } from "../../../controller/event-recorder.ts";
import { FakeRuntime } from "../../../runtime/testing/fake-runtime.ts";
import { AgentPaths } from "../../agent-paths.ts";
import { podMetrics } from "../pod-metrics.ts";
import type { PodParts, PodStatuses, PrepareContainer } from "../pod-parts.ts";
import { FakeObjects } from "./fake-objects.ts";
import { FakeProbes } from "./fake-probes.ts";
import { FakeVolumes } from "./fake-volumes.ts";

export class PodBench implements PodStatuses {
  readonly clock: FakeClock = new FakeClock();
  readonly logger: CaptureLogger = new CaptureLogger();
  readonly runtime: FakeRuntime = new FakeRuntime(this.clock);
  readonly probes: FakeProbes = new FakeProbes(this.runtime);
  readonly volumes: FakeVolumes = new FakeVolumes();
  readonly objects: FakeObjects = new FakeObjects();
  readonly metrics: Metrics = createMetrics();
  readonly events: NewEvent[] = [];
  /** By pod uid, all that was told of it. */
  readonly told: Map<string, PodStatus[]> = new Map();
  readonly finished: string[] = [];
  prepareFailure: Error | undefined;
  readonly parts: PodParts;

  /** `root` is where logs would be. */
  constructor(root = "/nonexistent/driftless-test", bootId = "boot-1") {
    this.parts = {
      node: { name: "n1", bootId, addresses: ["10.0.0.1"] },
      paths: new AgentPaths(root),
      runtime: this.runtime,
      probes: this.probes,
      volumes: this.volumes,
      objects: this.objects,
      prepareContainer: this.prepareContainer,
      statuses: this,
      events: { record: (event) => this.events.push(event) },
      metrics: podMetrics(this.metrics),
      clock: this.clock,
      random: { next: () => 0, uint32: () => 0 },
      logger: this.logger,
    };
  }

  readonly prepareContainer: PrepareContainer = async (of) => {
    const { pod, container, attempt, image, targetId } = of;
    await Promise.resolve();
    if (this.prepareFailure !== undefined) throw this.prepareFailure;
    const { uid = "", name = "", namespace = "" } = pod.metadata;
    return {
      ...{ podUid: uid, podName: name, podNamespace: namespace, name: container.name, attempt },
      ...{ annotations: { from: "test" }, image, argv: ["true"], env: [], workingDir: "/" },
      ...{ user: { uid: 0, gid: 0, supplementalGroups: [] }, mounts: [], isRootReadOnly: false },
      security: {
        ...{ isPrivileged: false, capabilities: [], isWithoutNewPrivileges: false },
        ...{ seccomp: "unconfined", isProcMasked: true },
      },
      resources: {
        ...{ memoryLimitBytes: undefined, milliCpuRequest: 0, milliCpuLimit: undefined },
        ...{ pidsLimit: undefined, oomScoreAdjust: 0 },
      },
      processes: targetId === undefined ? "own" : { of: targetId },
      ...{ stdin: "none", hasTty: false },
      logPath: `/nonexistent/${container.name}/${attempt}.log`,
    };
  };

  set({ metadata }: Pod, status: PodStatus): void {
    const { uid = "" } = metadata;
    this.told.set(uid, [...(this.told.get(uid) ?? []), structuredClone(status)]);
  }

  finish({ metadata }: Pod): void {
    this.finished.push(metadata.uid ?? "");
  }

  status(podUid = "u1"): PodStatus {
    return this.told.get(podUid)?.at(-1) ?? {};
  }

  /** "Normal Started Container started", since the last time. */
  takeEvents(): string[] {
    return this.events.splice(0).map(({ type, reason, message }) => `${type} ${reason} ${message}`);
  }

  /** Lets everything run that needs no time. */
  async settle(): Promise<void> {
    for (let i = 0; i < 5; i++) await this.clock.step(0);
  }
}
