// The nodes of a simulated cluster, and what their agents do: they renew leases, start the pods that are bound to them, make them ready,
// and let go of those that are deleted, each after a while. Which pods are slow, fail or never become ready is chosen by `fate`; nodes
// are lost and come back by `lose` and `comeBack`. An agent looks at what the pod is and does the next thing, so one that was away
// goes on where it was.

import type { ApiObject } from "../../api/object.ts";
import type { Lease, Node, Pod } from "../../api/types.ts";
import type { SimCluster } from "./sim-cluster.ts";
import { simKind } from "./sim-kinds.ts";
import { crashed, ended, isReady, ready, started } from "./sim-pod-status.ts";
import type { SimWrite } from "./sim-store.ts";
import { timestamp } from "./sim-writer.ts";

/** What becomes of a pod on its node. */
export interface SimFate {
  /** From bound to running. */
  readonly startMs: number;
  /** From running to ready; undefined: never. */
  readonly readyMs: number | undefined;
  /** From deleted to gone, but not longer than its grace. */
  readonly stopMs: number;
  /** From ready to the end; undefined: it runs until it is deleted. A crash is followed by a restart, and is the last one. */
  readonly endMs?: number;
  readonly endsAs?: "crash" | "Succeeded" | "Failed";
}

export interface SimNodesOptions {
  readonly count: number;
  /** "node-": they are called node-0, node-1 … */
  readonly prefix?: string;
  readonly capacity?: Readonly<Record<string, string>>;
  readonly labels?: (index: number) => Readonly<Record<string, string>>;
  /** Of each pod, asked once; the rest is the default. */
  readonly fate?: (pod: Pod) => Partial<SimFate>;
  /** New nodes keep the taint that says that they are not ready, for a node controller to take. */
  readonly keepsTaint?: boolean;
}

type Step = "start" | "ready" | "end" | "stop";

interface Plan {
  readonly step: Step;
  readonly timer: Disposable;
}

const DEFAULT_FATE: SimFate = { startMs: 500, readyMs: 1000, stopMs: 800 };
const RENEW_MS = 10_000;
const BY = "kubelet";
const pods = simKind("v1", "Pod");
const nodes = simKind("v1", "Node");
const leases = simKind("coordination.k8s.io/v1", "Lease");

export class SimNodes implements Disposable {
  readonly #sim: SimCluster;
  readonly #options: SimNodesOptions;
  readonly #stack = new DisposableStack();
  /** By name; false while it is lost. */
  readonly #isUp = new Map<string, boolean>();
  /** By uid, as long as the pod is there. */
  readonly #fates = new Map<string, SimFate>();
  readonly #crashed = new Set<string>();
  readonly #plans = new Map<string, Plan>();
  #heartbeat: Disposable | undefined;
  #made = 0;
  #addresses = 0;
  fate: (pod: Pod) => Partial<SimFate>;

  constructor(sim: SimCluster, options: SimNodesOptions) {
    this.#sim = sim;
    this.#options = options;
    this.fate = options.fate ?? (() => ({}));
    for (let i = 0; i < options.count; i++) this.add();
    this.#stack.use(sim.observe((write) => this.#see(write)));
    this.#beat();
  }

  /** All that are not removed, lost ones too. */
  get names(): readonly string[] {
    return [...this.#isUp.keys()];
  }

  isUp(name: string): boolean {
    return this.#isUp.get(name) === true;
  }

  add(labels: Readonly<Record<string, string>> = {}): string {
    const { prefix = "node-", capacity, labels: chosen, keepsTaint = false } = this.#options;
    const index = this.#made++;
    const name = `${prefix}${index}`;
    const all = { "kubernetes.io/hostname": name, ...chosen?.(index), ...labels };
    const status = {
      capacity: { cpu: "8", memory: "16Gi", pods: "110", ...capacity },
      conditions: this.#conditions(),
    };
    this.#sim.create(nodes, { metadata: { name, labels: all }, status }, BY);
    if (!keepsTaint) this.#sim.patch(nodes, name, { spec: { taints: null } }, BY);
    this.#isUp.set(name, true);
    this.#renew(name);
    return name;
  }

  /** The machine is gone, and so is its Node. */
  remove(name: string): void {
    this.#isUp.delete(name);
    if (this.#sim.get(nodes, name) !== undefined) this.#sim.delete(nodes, name, { by: BY });
    const lease = `kube-node-lease/${name}`;
    if (this.#sim.get(leases, lease) !== undefined) this.#sim.delete(leases, lease, { by: BY });
  }

  /** Nothing is heard of it any more, and its pods stay as they are. */
  lose(name: string): void {
    if (this.#isUp.has(name)) this.#isUp.set(name, false);
  }

  comeBack(name: string): void {
    if (!this.#isUp.has(name)) return;
    this.#isUp.set(name, true);
    this.#report(name);
    for (const pod of this.#sim.list<Pod>(pods)) this.#plan(pod);
  }

  [Symbol.dispose](): void {
    this.#heartbeat?.[Symbol.dispose]();
    for (const { timer } of this.#plans.values()) timer[Symbol.dispose]();
    this.#stack.dispose();
  }

  #beat(): void {
    this.#heartbeat = this.#sim.clock.schedule(RENEW_MS, () => {
      for (const [name, isUp] of this.#isUp) if (isUp) this.#report(name);
      this.#beat();
    });
  }

  #renew(name: string): void {
    const now = this.#sim.clock.now();
    const spec = {
      holderIdentity: name,
      leaseDurationSeconds: 40,
      renewTime: `${new Date(now).toISOString().slice(0, -1)}000Z`,
    };
    const held = this.#sim.get<Lease>(leases, `kube-node-lease/${name}`);
    if (held !== undefined) this.#sim.replace(leases, { ...held, spec }, BY);
    else this.#sim.create(leases, { metadata: { name, namespace: "kube-node-lease" }, spec }, BY);
  }

  /** Renews the lease, and says that it is well if the Node says otherwise. */
  #report(name: string): void {
    this.#renew(name);
    const node = this.#sim.get<Node>(nodes, name);
    if (node === undefined || isNodeReady(node)) return;
    this.#sim.patchStatus(nodes, name, { status: { conditions: this.#conditions() } }, BY);
  }

  #conditions(): readonly object[] {
    const now = timestamp(this.#sim.clock.now());
    const times = { lastHeartbeatTime: now, lastTransitionTime: now };
    const ready = { reason: "KubeletReady", message: "kubelet is posting ready status" };
    const pressures = ["MemoryPressure", "DiskPressure", "PIDPressure"];
    return [
      ...pressures.map((type) => ({ type, status: "False", ...times })),
      { type: "Ready", status: "True", ...times, ...ready },
    ];
  }

  #see({ type, kind, object }: SimWrite): void {
    if (kind.kind !== "Pod") return;
    if (type !== "DELETED") {
      this.#plan(object as ApiObject & Pod);
      return;
    }
    const { uid = "" } = object.metadata;
    this.#drop(uid);
    this.#fates.delete(uid);
    this.#crashed.delete(uid);
  }

  #plan(pod: ApiObject & Pod): void {
    const { uid = "" } = pod.metadata;
    const next = this.#isMine(pod) ? this.#next(pod) : undefined;
    if (this.#plans.get(uid)?.step === next?.step) return;
    this.#drop(uid);
    if (next === undefined) return;
    const { namespace = "", name = "" } = pod.metadata;
    const timer = this.#sim.clock.schedule(next.afterMs, () => {
      this.#plans.delete(uid);
      const live = this.#sim.get<Pod>(pods, `${namespace}/${name}`);
      if (live?.metadata.uid === uid && this.#isMine(live)) this.#do(next.step, live);
    });
    this.#plans.set(uid, { step: next.step, timer });
  }

  #drop(uid: string): void {
    this.#plans.get(uid)?.timer[Symbol.dispose]();
    this.#plans.delete(uid);
  }

  #isMine({ spec }: Pod): boolean {
    return this.isUp(spec.nodeName ?? "");
  }

  #next(pod: Pod): { readonly step: Step; readonly afterMs: number } | undefined {
    const { uid = "", deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata;
    const { startMs, readyMs, stopMs, endMs } = this.#fateOf(pod);
    if (deletionTimestamp != null) {
      return { step: "stop", afterMs: Math.min(stopMs, deletionGracePeriodSeconds * 1000) };
    }
    const { phase } = pod.status;
    if (phase === "Pending") return { step: "start", afterMs: startMs };
    if (phase !== "Running") return undefined;
    if (!isReady(pod)) {
      return readyMs === undefined ? undefined : { step: "ready", afterMs: readyMs };
    }
    return endMs === undefined || this.#crashed.has(uid)
      ? undefined
      : { step: "end", afterMs: endMs };
  }

  #fateOf(pod: Pod): SimFate {
    const { uid = "" } = pod.metadata;
    let fate = this.#fates.get(uid);
    if (fate === undefined) {
      fate = { ...DEFAULT_FATE, ...this.fate(pod) };
      this.#fates.set(uid, fate);
    }
    return fate;
  }

  #do(step: Step, pod: ApiObject & Pod): void {
    const { namespace = "", name = "", uid = "" } = pod.metadata;
    const key = `${namespace}/${name}`;
    const now = timestamp(this.#sim.clock.now());
    const write = (status: Pod["status"]): void => {
      this.#sim.replaceStatus(pods, { ...pod, status }, BY);
    };
    switch (step) {
      case "start":
        write(started(pod, { now, address: this.#address() }));
        return;
      case "ready":
        write(ready(pod, now));
        return;
      case "end": {
        const { endsAs = "crash" } = this.#fateOf(pod);
        this.#crashed.add(uid);
        write(endsAs === "crash" ? crashed(pod, now) : ended(pod, { now, phase: endsAs }));
        return;
      }
      case "stop":
        this.#sim.delete(pods, key, { gracePeriodSeconds: 0, preconditions: { uid }, by: BY });
    }
  }

  #address(): string {
    const n = ++this.#addresses;
    return `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
  }
}

function isNodeReady({ status }: Node): boolean {
  return (status.conditions ?? []).some(
    ({ type, status: is }) => type === "Ready" && is === "True",
  );
}
