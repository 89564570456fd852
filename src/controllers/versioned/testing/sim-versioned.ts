// A simulated cluster with versioned sources, and workloads that use them, rolled out by the real controllers. No write may take away a
// copy that a pod, a ReplicaSet, a revision or a template names.

import type { ApiObject } from "../../../api/object.ts";
import type { ConfigMap, PodSpec, ReplicaSet } from "../../../api/types.ts";
import type { ResourceKind } from "../../../client/resource-path.ts";
import { controllerOf } from "../../../controller/owner.ts";
import { SimCluster } from "../../../controller/testing/sim-cluster.ts";
import { SimNodes } from "../../../controller/testing/sim-nodes.ts";
import type { SimWrite } from "../../../controller/testing/sim-store.ts";
import { DaemonSetController } from "../../daemon-set/daemon-set-controller.ts";
import { DeploymentController } from "../../deployment/deployment-controller.ts";
import { servedKind } from "../../pods/pod-object.ts";
import { ReplicaSetController } from "../../replica-set/replica-set-controller.ts";
import type { SourceObject } from "../config-copy.ts";
import { configReferences } from "../config-references.ts";
import type { WorkloadObject } from "../pointing.ts";
import { REFERRING, referredBy } from "../referring-objects.ts";
import { VersionedController } from "../versioned-controller.ts";
import { newestSince, type SourceKind, sourceOfCopy, VERSIONED } from "../versioned-names.ts";

export const CONFIG_MAP: ResourceKind = servedKind("v1", "ConfigMap");
export const SECRET: ResourceKind = servedKind("v1", "Secret");
export const DEPLOYMENTS: ResourceKind = servedKind("apps/v1", "Deployment");
const REPLICA_SETS = servedKind("apps/v1", "ReplicaSet");
export const GRACE_MS = 60_000;
const REVISION = "deployment.kubernetes.io/revision";

export class SimVersioned implements AsyncDisposable {
  readonly sim: SimCluster;
  readonly #nodes: SimNodes;
  /** Writes of the controllers under test, as "patch Deployment web". */
  readonly writes: string[] = [];
  /** Names of copies that are gone. */
  readonly removed: string[] = [];

  constructor(seed = 1) {
    this.sim = new SimCluster({ seed });
    this.#nodes = new SimNodes(this.sim, { count: 1 });
    this.sim.observe((write) => this.#see(write));
  }

  async start(): Promise<void> {
    const { context } = this.sim;
    await this.sim.start(
      new VersionedController(this.sim.contextOf("versioned"), { graceMs: GRACE_MS }),
      new DeploymentController(context),
      new ReplicaSetController(context),
      new DaemonSetController(context),
    );
  }

  async restart(): Promise<void> {
    await this.sim.stop();
    await this.start();
  }

  source(name: string, text: string, more: object = {}): void {
    const metadata = { name, namespace: "default", annotations: { [VERSIONED]: "true" } };
    this.sim.create(CONFIG_MAP, { metadata, data: { text }, ...more });
  }

  change(name: string, text: string): void {
    this.sim.patch(CONFIG_MAP, `default/${name}`, { data: { text } });
  }

  /** A Deployment of one pod with a volume for each source. */
  deployment(
    name: string,
    sources: readonly string[],
    more: { readonly asks?: string } = {},
  ): void {
    const { asks = "true" } = more;
    this.sim.create(DEPLOYMENTS, {
      metadata: { name, namespace: "default", annotations: { [VERSIONED]: asks } },
      spec: {
        replicas: 1,
        revisionHistoryLimit: 2,
        strategy: {},
        selector: { matchLabels: { app: name } },
        template: { metadata: { labels: { app: name } }, spec: podSpec(sources) },
      },
    });
  }

  /** Names that the template of a Deployment has, in their order. */
  names(deployment: string): readonly string[] {
    return configReferences(this.#deployment(deployment).spec.template.spec).map(
      ({ name }) => name,
    );
  }

  /** Names of the copies of a source that are there, the newest with a star. */
  copies(source: string, kind: SourceKind = "ConfigMap"): readonly string[] {
    return this.sim
      .list<ConfigMap>(kind === "Secret" ? SECRET : CONFIG_MAP)
      .filter((object) => sourceOfCopy(object) === source)
      .map((object) => `${object.metadata.name}${newestSince(object) === undefined ? "" : "*"}`);
  }

  newest(source: string, kind: SourceKind = "ConfigMap"): string {
    const marked = this.copies(source, kind).filter((name) => name.endsWith("*"));
    if (marked.length !== 1) throw new Error(`${marked.length} copies of ${source} are the newest`);
    return marked[0]?.slice(0, -1) ?? "";
  }

  copy(name: string): (SourceObject & ApiObject) | undefined {
    return this.sim.get<SourceObject>(CONFIG_MAP, `default/${name}`);
  }

  /** As `kubectl rollout undo`: the template of the revision before, with that one's annotations. False if there is none. */
  undo(deployment: string): boolean {
    const live = this.#deployment(deployment);
    const current = Number(live.metadata.annotations?.[REVISION] ?? 0);
    const revisionOf = ({ metadata }: ApiObject): number =>
      Number(metadata.annotations?.[REVISION] ?? 0);
    const before = this.sim
      .list<ReplicaSet>(REPLICA_SETS)
      .filter((set) => controllerOf(set)?.uid === live.metadata.uid && revisionOf(set) < current)
      .toSorted((a, b) => revisionOf(b) - revisionOf(a))[0];
    if (before === undefined) return false;
    const { "pod-template-hash": _, ...labels } = before.spec.template.metadata.labels ?? {};
    const annotations = {
      ...Object.fromEntries(
        Object.keys(live.metadata.annotations ?? {}).map((key) => [key, null as string | null]),
      ),
      ...before.metadata.annotations,
      [REVISION]: live.metadata.annotations?.[REVISION] ?? null,
    };
    const template = { ...before.spec.template, metadata: { labels } };
    this.sim.patch(DEPLOYMENTS, `default/${deployment}`, {
      metadata: { annotations },
      spec: { template },
    });
    return true;
  }

  /** What the controller under test has told of, by reason. */
  told(reason: string): readonly string[] {
    return this.sim.events
      .filter((event) => event.component === "versioned-controller" && event.reason === reason)
      .map(({ message }) => message);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#nodes[Symbol.dispose]();
    await this.sim[Symbol.asyncDispose]();
  }

  #deployment(name: string): WorkloadObject {
    const found = this.sim.get<WorkloadObject>(DEPLOYMENTS, `default/${name}`);
    if (found === undefined) throw new Error(`There is no Deployment ${name}`);
    return found;
  }

  #see({ type, kind, object, by }: SimWrite): void {
    if (by !== "versioned") return;
    this.writes.push(`${type} ${kind.kind} ${object.metadata.name}`);
    if (type !== "DELETED") return;
    const name = `${kind.kind}/${object.metadata.name}`;
    for (const referring of REFERRING) {
      const user = this.sim
        .list<ApiObject>(referring.kind)
        .find((one) => referredBy(referring, one).includes(name));
      if (user === undefined) continue;
      throw new Error(`${name} goes while ${referring.kind.kind} ${user.metadata.name} names it`);
    }
    this.removed.push(object.metadata.name ?? "");
  }
}

export function podSpec(sources: readonly string[]): PodSpec {
  return {
    nodeName: "node-0",
    containers: [{ name: "c", image: "i" }],
    volumes: sources.map((name) => ({ name, configMap: { name } })),
  } as unknown as PodSpec;
}
