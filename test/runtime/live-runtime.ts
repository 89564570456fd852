// A process runtime on this machine in a directory of its own, with one pod. Whatever a test leaves behind is stopped and
// removed when it is disposed.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, systemClock } from "../../src/base/clock.ts";
import { systemRandom } from "../../src/base/random.ts";
import { CaptureLogger } from "../../src/base/testing/capture-logger.ts";
import { probeKernel } from "../../src/mounts/kernel-support.ts";
import { SystemMounts } from "../../src/mounts/system-mounts.ts";
import { Cgroups, systemHierarchies } from "../../src/runtime/cgroups/cgroups.ts";
import type { Image } from "../../src/runtime/image.ts";
import { ProcessRuntime } from "../../src/runtime/process/process-runtime.ts";
import type {
  ContainerResources,
  ContainerSecurity,
  ContainerSpec,
  ContainerStatus,
} from "../../src/runtime/runtime.ts";
import { removeCgroupsOf } from "../support/agent-cgroups.ts";
import { CollectedOutput, type RuntimeLogKeeper } from "./collected-output.ts";

/** Why containers cannot be started here; false if they can. For `skip`. */
export const cannotRun: string | false = whyNot();

function whyNot(): string | false {
  if (process.platform !== "linux") {
    return "containers need Linux";
  }
  const missing = probeKernel().missing.find(({ isNeeded }) => isNeeded);
  return missing ? missing.message : false;
}

export const hostImage: Image = {
  name: "host",
  id: "host",
  layers: ["/"],
  config: { entrypoint: [], cmd: [], env: [], user: "", workingDir: "", stopSignal: "" },
};

/** As of a pod that says nothing about it. */
export const testSecurity: ContainerSecurity = {
  isPrivileged: false,
  capabilities: [
    ...["AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD"],
    ...["NET_BIND_SERVICE", "NET_RAW", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"],
  ],
  isWithoutNewPrivileges: false,
  seccomp: "unconfined",
  isProcMasked: true,
};

export const testResources: ContainerResources = {
  memoryLimitBytes: undefined,
  milliCpuRequest: 0,
  milliCpuLimit: undefined,
  pidsLimit: undefined,
  oomScoreAdjust: 0,
};

export const podUid = "pod-uid-1";

export interface Finished {
  readonly exitCode: number | undefined;
  readonly output: string;
  readonly status: ContainerStatus;
}

export type SpecChanges = Partial<Omit<ContainerSpec, "argv">> & {
  readonly argv?: readonly string[];
};

export interface LiveOptions {
  readonly root?: string | undefined;
  /** Instead of one inside of the test. */
  readonly logKeeper?: RuntimeLogKeeper;
  readonly clock?: Clock;
  /** False: as on a machine that gives us none. */
  readonly hasCgroups?: boolean;
}

export class LiveRuntime implements AsyncDisposable {
  readonly root: string;
  readonly runtime: ProcessRuntime;
  readonly output: CollectedOutput = new CollectedOutput();
  readonly logger: CaptureLogger = new CaptureLogger();
  readonly #stop = new AbortController();
  readonly #isOwnRoot: boolean;
  #running: Promise<void> | undefined;

  private constructor({ root, logKeeper, clock, hasCgroups }: LiveOptions) {
    this.#isOwnRoot = root === undefined;
    this.root = root ?? mkdtempSync(join(tmpdir(), "driftless-runtime-"));
    this.runtime = new ProcessRuntime({
      root: join(this.root, "runtime"),
      dataDirectory: this.root,
      version: "0.0.0",
      images: { get: () => Promise.resolve(hostImage) },
      logKeeper: logKeeper ?? this.output,
      mounts: new SystemMounts(),
      cgroups: new Cgroups({
        dataDirectory: this.root,
        hierarchies: hasCgroups === false ? () => [] : systemHierarchies,
        clock: systemClock,
      }),
      clock: clock ?? systemClock,
      random: systemRandom,
      logger: this.logger,
    });
  }

  /** With a directory that another one left behind: adopts what is in it, and leaves it. */
  static start(root?: string): Promise<LiveRuntime> {
    return LiveRuntime.with({ root });
  }

  static async with(options: LiveOptions): Promise<LiveRuntime> {
    const live = new LiveRuntime(options);
    await live.run();
    await live.runtime.makeSandbox({
      podUid,
      podName: "web",
      podNamespace: "default",
      hostname: "web-host",
      hasSharedProcesses: false,
    });
    return live;
  }

  async run(): Promise<void> {
    this.#running = this.runtime.run(this.#stop.signal);
    await this.runtime.ready;
  }

  spec(changes: SpecChanges): ContainerSpec {
    return {
      podUid,
      podName: "web",
      podNamespace: "default",
      name: "main",
      attempt: 0,
      annotations: {},
      image: hostImage,
      argv: ["true"],
      env: [["PATH", "/usr/local/bin:/usr/bin:/bin"]],
      workingDir: "/",
      user: { uid: 0, gid: 0, supplementalGroups: [] },
      mounts: [],
      isRootReadOnly: false,
      security: testSecurity,
      resources: testResources,
      processes: "own",
      stdin: "none",
      hasTty: false,
      logPath: join(this.root, "main.log"),
      ...changes,
    };
  }

  /** Runs the shell script in a container to its end. */
  async sh(script: string, changes: SpecChanges = {}): Promise<Finished> {
    const { id } = await this.runtime.start(this.spec({ argv: ["sh", "-c", script], ...changes }));
    const status = await this.ended(id);
    return { status, exitCode: status.end?.exitCode, output: this.output.of(id) };
  }

  /** Starts the shell script, and settles when it has written something. */
  async background(script: string, changes: SpecChanges = {}): Promise<ContainerStatus> {
    const status = await this.runtime.start(this.spec({ argv: ["sh", "-c", script], ...changes }));
    while (this.output.of(status.id) === "") {
      await systemClock.sleep(2);
    }
    return status;
  }

  async ended(id: string): Promise<ContainerStatus> {
    const { promise, resolve } = Promise.withResolvers<ContainerStatus>();
    using _handler = this.runtime.onExit((status) => {
      if (status.id === id) resolve(status);
    });
    const now = this.runtime.list().find((status) => status.id === id);
    return now?.end ? now : await promise;
  }

  /** Lets go of everything without stopping it. */
  async leave(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#stop.signal.aborted) {
      for (const { id } of this.runtime.list()) {
        await this.runtime.stop(id, { graceMs: 0 });
      }
      for (const uid of this.runtime.sandboxes()) {
        await this.runtime.removeSandbox(uid);
      }
      await this.leave();
    }
    if (this.#isOwnRoot) {
      await removeCgroupsOf(this.root);
      rmSync(this.root, { recursive: true, force: true });
    }
  }
}
