// Probes of containers in memory. A container answers with what its script says next, and with the last of it for ever.

import type { Container, Pod } from "../../../api/types.ts";
import { createMetrics, type Metrics } from "../../../base/metrics.ts";
import type { Random } from "../../../base/random.ts";
import { FakeClock } from "../../../base/testing/fake-clock.ts";
import type { NewEvent } from "../../../controller/event-recorder.ts";
import type { ContainerStatus } from "../../../runtime/runtime.ts";
import { FakeRuntime } from "../../../runtime/testing/fake-runtime.ts";
import type { FakeProgram } from "../../../runtime/testing/fake-sessions.ts";
import { type PodWishes, testPod } from "../../pods/testing/test-pod.ts";
import { NodeProbes } from "../node-probes.ts";

/** "hang" never ends by itself; an error is thrown by the runtime. */
export type Answer = "ok" | "bad" | "hang" | Error;

export class ProbeBench implements AsyncDisposable {
  readonly clock: FakeClock = new FakeClock();
  readonly runtime: FakeRuntime = new FakeRuntime(this.clock);
  readonly metrics: Metrics = createMetrics();
  readonly events: NewEvent[] = [];
  readonly changes: string[] = [];
  readonly probes: NodeProbes;
  /** When each was asked, since the bench was made: "readiness 500". */
  readonly asked: string[] = [];
  readonly #scripts = new Map<string, Answer[]>();
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();

  /** Chance says 0 unless told otherwise: all come at the first moment. */
  constructor(random: Random = { next: () => 0, uint32: () => 0 }) {
    const { clock, runtime, metrics } = this;
    this.probes = new NodeProbes({
      ...{ clock, runtime, metrics, random },
      events: { record: (event) => this.events.push(event) },
      address: () => "127.0.0.1",
      userAgent: "kube-probe/1.36",
    });
    this.probes.onChange((uid) => this.changes.push(uid));
    runtime.onExec = ({ argv: [what = ""] }) => this.#answer(what);
  }

  /** What probes whose command is `what` are answered from now on. */
  script(what: string, ...answers: readonly Answer[]): void {
    this.#scripts.set(what, [...answers]);
  }

  async run(): Promise<void> {
    this.#running = this.probes.run(this.#stop.signal);
    await this.clock.step(0);
  }

  /** A container of the pod starts, and its probes hear of it. Returns its id. */
  async start(pod: Pod, name = "app"): Promise<string> {
    const { id } = await this.startUnseen(pod, name);
    this.probes.follow(pod);
    await this.clock.step(0);
    return id;
  }

  async startUnseen({ metadata }: Pod, name = "app"): Promise<ContainerStatus> {
    const { uid = "", name: podName = "", namespace: podNamespace = "" } = metadata;
    const sandbox = { podUid: uid, podName, podNamespace, hostname: podName };
    await this.runtime.makeSandbox({ ...sandbox, hasSharedProcesses: false });
    const before = this.runtime.list().filter((one) => one.podUid === uid && one.name === name);
    return this.runtime.start({
      ...{ podUid: uid, podName, podNamespace, name, attempt: before.length, annotations: {} },
      image: await this.runtime.image("host"),
      ...{ argv: ["true"], env: [], workingDir: "/", mounts: [], isRootReadOnly: false },
      user: { uid: 0, gid: 0, supplementalGroups: [] },
      security: {
        ...{ isPrivileged: false, capabilities: [], isWithoutNewPrivileges: false },
        ...{ seccomp: "unconfined", isProcMasked: true },
      },
      resources: {
        ...{ memoryLimitBytes: undefined, milliCpuRequest: 0, milliCpuLimit: undefined },
        ...{ pidsLimit: undefined, oomScoreAdjust: 0 },
      },
      ...{ processes: "own", stdin: "none", hasTty: false, logPath: "/nonexistent/log" },
    });
  }

  /** "Warning Unhealthy Liveness probe failed: …", since the last time. */
  takeEvents(): string[] {
    return this.events.splice(0).map(({ type, reason, message }) => `${type} ${reason} ${message}`);
  }

  takeAsked(): string[] {
    return this.asked.splice(0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  #answer(what: string): FakeProgram | Promise<FakeProgram> {
    this.asked.push(`${what} ${this.clock.monotonicMs()}`);
    const script = this.#scripts.get(what) ?? [];
    const answer = script.length > 1 ? script.shift() : script[0];
    if (answer instanceof Error) throw answer;
    if (answer === "hang") return Promise.withResolvers<FakeProgram>().promise;
    return answer === "bad" ? { exitCode: 1, stdout: "out ", stderr: "err" } : {};
  }
}

type ProbeFields = Pick<Container, "startupProbe" | "readinessProbe" | "livenessProbe">;

/** A pod with one container "app" whose probes run the programs "startup", "readiness" and "liveness". */
export function probedPod(
  probes: { readonly [Name in keyof ProbeFields]: Omit<NonNullable<Container[Name]>, "exec"> },
  wishes: PodWishes = {},
): Pod {
  const container: Container = { name: "app", image: "host", resources: {} };
  for (const [name, fields] of Object.entries(probes)) {
    const command = [name.replace("Probe", "")];
    Object.assign(container, { [name]: { exec: { command }, ...fields } });
  }
  return testPod({ ...wishes, spec: { containers: [container], ...wishes.spec } });
}
