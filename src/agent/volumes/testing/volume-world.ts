// A node for tests of volumes: objects that change when told to, three fake plugins, mounts that are a list, and time that is stepped.

import { setImmediate as nextTurn } from "node:timers/promises";
import { notFound } from "../../../api/status-error.ts";
import type { Pod, Volume } from "../../../api/types.ts";
import { createMetrics, type Metrics } from "../../../base/metrics.ts";
import { CaptureLogger } from "../../../base/testing/capture-logger.ts";
import { FakeClock } from "../../../base/testing/fake-clock.ts";
import { seededRandom } from "../../../base/testing/seeded-random.ts";
import { FakeMounts } from "../../../mounts/testing/fake-mounts.ts";
import { AgentPaths } from "../../agent-paths.ts";
import type { ObjectChangeHandler } from "../../objects/object-manager.ts";
import { SubPaths } from "../../sub-path/sub-paths.ts";
import { VolumeManager } from "../volume-manager.ts";
import type { VolumeChange } from "../volumes.ts";
import { FakePlugin } from "./fake-plugin.ts";

export interface WorldOptions {
  /** Plugins make real directories below it. */
  readonly root?: string;
  readonly syncPeriodMs?: number;
  /** Continues in the world of another: the same clock, objects and mounts, as after a restart. */
  readonly after?: VolumeWorld;
}

export class VolumeWorld {
  readonly clock: FakeClock;
  readonly logger: CaptureLogger = new CaptureLogger();
  readonly metrics: Metrics = createMetrics();
  readonly paths: AgentPaths;
  /** By name. */
  readonly objects: Map<string, string>;
  readonly mounts: FakeMounts;
  readonly configMaps: FakePlugin;
  readonly projected: FakePlugin;
  readonly emptyDirs: FakePlugin;
  readonly volumes: VolumeManager;
  readonly changes: VolumeChange[] = [];
  readonly #handlers = new Set<ObjectChangeHandler>();
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor({ root, syncPeriodMs = 60_000, after }: WorldOptions = {}) {
    this.clock = after?.clock ?? new FakeClock();
    this.objects = after?.objects ?? new Map<string, string>();
    this.mounts = after?.mounts ?? new FakeMounts();
    this.paths = new AgentPaths(root ?? "/nowhere-driftless-test");
    const read = ({ name }: { readonly name: string }): string => {
      const text = this.objects.get(name);
      if (text === undefined)
        throw notFound({ group: "", resource: "configmaps", kind: "ConfigMap" }, name);
      return text;
    };
    const disk = root === undefined ? {} : { paths: this.paths };
    this.configMaps = new FakePlugin({ sort: "configmap", read, ...disk });
    this.projected = new FakePlugin({ sort: "projected", read, ...disk });
    this.emptyDirs = new FakePlugin({ sort: "empty-dir", read, ...disk });
    const { clock, logger, metrics, paths } = this;
    this.volumes = new VolumeManager({
      ...{ clock, logger, metrics, paths, syncPeriodMs },
      plugins: [this.configMaps, this.projected, this.emptyDirs],
      random: seededRandom(1),
      onNextTurn: (callback) => void setImmediate(callback),
      objects: {
        onChange: (handler) => {
          this.#handlers.add(handler);
          return { [Symbol.dispose]: () => void this.#handlers.delete(handler) };
        },
      },
      mounts: this.mounts,
      subPaths: new SubPaths(this),
    });
    this.volumes.onChange((change) => this.changes.push(change));
  }

  /** Starts, and lets the agent look around. */
  async start(): Promise<this> {
    this.#running = this.volumes.run(this.#stop.signal);
    await this.settle();
    return this;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** Says that the object changed, or went; nothing has happened yet when it returns. */
  change(name: string, text: string | undefined): void {
    if (text === undefined) this.objects.delete(name);
    else this.objects.set(name, text);
    const reference = { kind: "ConfigMap", namespace: "default", name } as const;
    for (const handler of this.#handlers) {
      handler({ ...reference, object: undefined, isAnother: false }, []);
    }
  }

  /** Lets everything happen that needs no time. */
  async settle(): Promise<void> {
    for (let i = 0; i < 6; i++) await nextTurn();
  }

  async step(ms: number): Promise<void> {
    await this.clock.step(ms);
    await this.settle();
  }

  /** Where the volume's content says that it comes from, or undefined if it is not mounted. */
  text(podUid: string, volume: string): string | undefined {
    return this.volumes.current(podUid).get(volume)?.version;
  }
}

/** `{ data: "app" }` shows one ConfigMap, `["a", "b"]` projects two, "" is an emptyDir, undefined is something that nobody makes. */
export function podWith(
  uid: string,
  volumes: Readonly<Record<string, string | readonly string[] | undefined>>,
  options: { readonly labels?: Record<string, string>; readonly unused?: readonly string[] } = {},
): Pod {
  const { labels = {}, unused = [] } = options;
  const used = Object.keys(volumes).filter((name) => !unused.includes(name));
  const volumeMounts = used.map((name) => ({ name, mountPath: `/etc/${name}` }));
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: uid, namespace: "default", uid, labels },
    spec: {
      containers: [{ name: "app", image: "app", resources: {}, volumeMounts }],
      volumes: Object.entries(volumes).map(([name, source]) => ({ name, ...sourceOf(source) })),
    },
    status: {},
  };
}

function sourceOf(source: string | readonly string[] | undefined): Omit<Volume, "name"> {
  if (source === undefined) return { nfs: { server: "there", path: "/" } };
  if (source === "") return { emptyDir: {} };
  if (typeof source === "string") return { configMap: { name: source } };
  return { projected: { sources: source.map((name) => ({ configMap: { name } })) } };
}
