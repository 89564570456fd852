// A container of the real runtime that has parts of a ConfigMap's volume mounted, and all of an agent that keeps them up to date:
// the volume's plugin, the sub paths, the mount thread. No server: swaps are as fast as the machine is.

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { LiveSubPaths } from "../../src/agent/live-sub-path/live-sub-paths.ts";
import { noticingStarts } from "../../src/agent/live-sub-path/noticing-starts.ts";
import { subPathMetrics } from "../../src/agent/live-sub-path/sub-path-metrics.ts";
import { containerMounts } from "../../src/agent/sub-path/container-mounts.ts";
import { SubPaths } from "../../src/agent/sub-path/sub-paths.ts";
import { MOUNTS_NOTE } from "../../src/agent/sub-path/volume-use.ts";
import {
  type PluginBench,
  pluginBench,
} from "../../src/agent/volumes/plugins/testing/plugin-bench.ts";
import type { MountedVolume } from "../../src/agent/volumes/volumes.ts";
import type { Pod, Volume } from "../../src/api/types.ts";
import { systemClock } from "../../src/base/clock.ts";
import { createMetrics, type Metrics } from "../../src/base/metrics.ts";
import type { NewEvent } from "../../src/controller/event-recorder.ts";
import { MountThread } from "../../src/mounts/mount-thread.ts";
import { SystemMounts } from "../../src/mounts/system-mounts.ts";
import type { ContainerStatus } from "../../src/runtime/runtime.ts";
import { LiveRuntime, podUid } from "../runtime/live-runtime.ts";

export type Data = Readonly<Record<string, string>>;

export interface LivePodOptions {
  /** Sub paths by where they are mounted. */
  readonly mounts: Readonly<Record<string, string>>;
  readonly first: Data;
  /** With the volume as in a pod's specification, if it has more than the ConfigMap's name. */
  readonly items?: readonly { readonly key: string; readonly path: string }[];
  readonly argv?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly canReplaceMounts?: boolean;
  readonly isRootReadOnly?: boolean;
  readonly isPrivileged?: boolean;
  readonly env?: readonly (readonly [string, string])[];
}

/** Where the container and the test share a directory. */
export const SHARED = "/shared";

export class LivePod implements AsyncDisposable {
  readonly #options: LivePodOptions;
  readonly #stop = new AbortController();
  readonly #bench: PluginBench;
  readonly #runtime: LiveRuntime;
  readonly #mounts = new SystemMounts();
  readonly #subPaths: SubPaths;
  readonly #volume: Volume;
  readonly #pod: Pod;
  readonly live: LiveSubPaths;
  /** Mounts are replaced when the volume is swapped; else only when `live` is told to. */
  isFollowing = true;
  readonly events: NewEvent[] = [];
  readonly metrics: Metrics = createMetrics();
  readonly #running: Promise<void>;
  #status: ContainerStatus | undefined;

  private constructor(options: LivePodOptions, runtime: LiveRuntime) {
    this.#options = options;
    this.#runtime = runtime;
    this.#bench = pluginBench({
      mounts: this.#mounts,
      parts: {
        followers: {
          shown: (place, hasChanged) =>
            this.isFollowing ? this.live.shown(place, hasChanged) : undefined,
        },
      },
    });
    const { paths, logger } = this.#bench.parts;
    this.#subPaths = new SubPaths({ paths, mounts: this.#mounts });
    this.live = new LiveSubPaths({
      ...{ paths, runtime: runtime.runtime, clock: systemClock, logger },
      replacer: new MountThread(systemClock),
      events: { record: (event) => void this.events.push(event) },
      metrics: subPathMetrics(this.metrics),
    });
    const { items } = options;
    this.#volume = {
      name: "config",
      configMap: { name: "app", defaultMode: 0o644, ...(items && { items: [...items] }) },
    };
    this.#pod = {
      metadata: {
        ...{ name: "web", namespace: "shop", uid: podUid },
        annotations: options.annotations ?? {},
      },
      spec: { volumes: [this.#volume] },
      status: {},
    };
    this.#running = this.live.run(this.#stop.signal);
  }

  static async start(options: LivePodOptions): Promise<LivePod> {
    const runtime = await LiveRuntime.start();
    const pod = new LivePod(options, runtime);
    try {
      mkdirSync(pod.shared);
      await pod.swap(options.first);
      await pod.startContainer();
      return pod;
    } catch (err) {
      await pod[Symbol.asyncDispose]();
      throw err;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#runtime[Symbol.asyncDispose]();
    this.#stop.abort();
    await this.#running;
    this.#subPaths.clean({ podUid, volume: "config" });
    await this.#bench.tearDown(this.#volume, this.#pod);
    this.#bench[Symbol.dispose]();
  }

  /** Of the shared directory, outside. */
  /** All that is of it is below these. */
  get directories(): readonly string[] {
    return [this.#runtime.root, this.#bench.parts.paths.root];
  }

  get shared(): string {
    return join(this.#runtime.root, "shared");
  }

  get pid(): number {
    const { pid } = this.#found ?? {};
    if (pid === undefined) throw new Error("the container does not run");
    return pid;
  }

  get hasEnded(): boolean {
    return this.#found?.end !== undefined;
  }

  get #found(): ContainerStatus | undefined {
    return this.#runtime.runtime.list().find(({ id }) => id === this.#status?.id);
  }

  get output(): string {
    return this.#runtime.output.of(this.#status?.id ?? "");
  }

  /** As an agent does when it prepares and starts one. */
  async startContainer(): Promise<void> {
    const { argv = ["sleep", "infinity"], mounts, canReplaceMounts = true } = this.#options;
    const { isRootReadOnly = false, isPrivileged = false } = this.#options;
    const { paths } = this.#bench.parts;
    const content = await this.#bench.setUp(this.#volume, this.#pod);
    const volume: MountedVolume = {
      ...content,
      plugin: "kubernetes.io/configmap",
      failure: undefined,
    };
    const prepared = containerMounts({
      pod: this.#pod,
      container: {
        name: "main",
        resources: {},
        volumeMounts: Object.entries(mounts).map(([mountPath, subPath]) => ({
          ...{ name: "config", mountPath, subPath },
        })),
      },
      volumes: new Map([["config", volume]]),
      variables: new Map(),
      ...{ paths, subPaths: this.#subPaths, canReplaceMounts, nodeHostsPath: "/etc/hosts" },
    });
    await this.beforeStart();
    const { runtime } = this.#runtime;
    const base = this.#runtime.spec({});
    this.#status = await noticingStarts(runtime, (status) => this.live.started(status)).start({
      ...base,
      argv,
      env: [...base.env, ...(this.#options.env ?? [])],
      isRootReadOnly,
      security: { ...base.security, isPrivileged },
      annotations: { [MOUNTS_NOTE]: JSON.stringify(prepared.uses) },
      mounts: [
        ...prepared.mounts,
        {
          ...{ hostPath: this.shared, containerPath: SHARED },
          ...{ isReadOnly: false, propagation: "None" },
        },
      ],
    });
  }

  /** For what happens between preparation and start. */
  beforeStart: () => Promise<void> = () => Promise.resolve();

  async restartContainer(): Promise<void> {
    const { runtime } = this.#runtime;
    await runtime.stop(this.#status?.id ?? "", { graceMs: 0 });
    await this.startContainer();
  }

  /** Settles as the agent's set-up of the volume does. */
  async swap(data: Data): Promise<void> {
    this.#bench.objects.configMap("app", data);
    await this.#bench.setUp(this.#volume, this.#pod);
  }

  /** As when nothing has changed and the net's turn has come. */
  async refresh(): Promise<void> {
    await this.#bench.setUp(this.#volume, this.#pod);
  }

  inside(...argv: readonly string[]): string {
    const pid = String(this.pid);
    return execFileSync("nsenter", ["-t", pid, "-m", "-p", "--root", "--wd", "--", ...argv], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  shows(path: string): string {
    return this.inside("cat", path);
  }

  get mountTable(): readonly string[] {
    return readFileSync(`/proc/${this.pid}/mountinfo`, "utf8").trim().split("\n");
  }

  /** By the sub path's place: "live", "behind missing" and so on. */
  get states(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      this.live.uses(podUid).map(({ mountPath, state }) => {
        const reason = "reason" in state ? ` ${state.reason}` : "";
        return [mountPath, `${state.state}${reason}`];
      }),
    );
  }
}
