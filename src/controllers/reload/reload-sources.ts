// All that the reload controller reads, and which workloads a piece of news is about. Secrets and views may be out of reach (no right, a server that has
// none): then nothing is said about them. ConfigMaps and workloads may not: who cannot list them waits, and takes no silence for an empty list.

import type { ConfigKind } from "../../api/config/pod-uses.ts";
import type { ApiObject } from "../../api/object.ts";
import { StatusError } from "../../api/status-error.ts";
import { isAbort } from "../../base/abort.ts";
import { Backoff } from "../../base/backoff.ts";
import { Informer } from "../../client/informer.ts";
import { listWatchOf } from "../../client/list-watch.ts";
import { ResourceClient } from "../../client/resource-client.ts";
import type { ResourceKind } from "../../client/resource-path.ts";
import type { ControllerContext } from "../../controller/controller-context.ts";
import { BY_NAMESPACE, BY_OWNER, ownedBy } from "../../controller/informers.ts";
import { controllerOf } from "../../controller/owner.ts";
import { DEPLOYMENT, REPLICA_SET } from "../deployment/deployment-objects.ts";
import { keyOfObject, POD, type PodObject, servedKind } from "../pods/pod-object.ts";
import type { NamespaceDigests } from "./asking-workload.ts";
import { type ConfigDigest, digestsOf } from "./config-digest.ts";
import type { ViewObject } from "./pod-standing.ts";
import {
  parseTargetKey,
  podTarget,
  type ReloadTarget,
  targetKey,
  WORKLOADS,
  type WorkloadObject,
  workloadTarget,
} from "./reload-target.ts";

const CONFIG_KINDS: Readonly<Record<ConfigKind, ResourceKind>> = {
  ConfigMap: servedKind("v1", "ConfigMap"),
  Secret: servedKind("v1", "Secret"),
};
const CONFIG_VIEW = servedKind("driftless.dev/v1", "ConfigView");
const REVISION = "deployment.kubernetes.io/revision";

export class ReloadSources {
  readonly #context: ControllerContext;
  readonly workloads: ReadonlyMap<string, Informer<WorkloadObject>>;
  readonly pods: Informer<PodObject>;
  readonly #replicaSets: Informer<ApiObject>;
  readonly digests: Readonly<Record<ConfigKind, Informer<ConfigDigest>>>;
  readonly views: Informer<ViewObject>;
  /** Those of Secrets and views that can be had. */
  readonly #reached = new Set<Informer<ConfigDigest> | Informer<ViewObject>>();
  readonly #isReady = Promise.withResolvers<void>();

  constructor(context: ControllerContext) {
    const { informers } = context;
    this.#context = context;
    this.workloads = new Map(
      WORKLOADS.map((kind) => [kind.kind, informers.of<WorkloadObject>(kind)]),
    );
    this.pods = informers.of<PodObject>(POD);
    this.#replicaSets = informers.of<ApiObject>(REPLICA_SET);
    this.digests = {
      ConfigMap: digestInformer(context, "ConfigMap"),
      Secret: digestInformer(context, "Secret"),
    };
    this.views = ownInformer<ViewObject>(context, CONFIG_VIEW);
  }

  /** Settles when all that can be read has been. */
  async synced(): Promise<void> {
    await this.#isReady.promise;
    const shared = [...this.workloads.values(), this.pods, this.#replicaSets];
    const all = [...shared, this.digests.ConfigMap, ...this.#reached];
    await Promise.all(all.map((informer) => informer.synced));
  }

  async run(signal: AbortSignal): Promise<void> {
    const { ConfigMap, Secret } = this.digests;
    const optional: readonly [Informer<ConfigDigest> | Informer<ViewObject>, ResourceKind][] = [
      [Secret, CONFIG_KINDS.Secret],
      [this.views, CONFIG_VIEW],
    ];
    const running = [ConfigMap.run(signal)];
    const found = optional.map(async ([informer, kind]) => {
      if (!(await this.#mayRead(kind, signal))) return;
      this.#reached.add(informer);
      running.push(informer.run(signal));
    });
    await Promise.all(found);
    this.#isReady.resolve();
    await Promise.all(running);
  }

  get hasViews(): boolean {
    return this.#reached.has(this.views);
  }

  target(key: string): ReloadTarget | undefined {
    const { kind, key: name } = parseTargetKey(key);
    if (kind === POD.kind) {
      const pod = this.pods.get(name);
      return pod && isBare(pod) ? podTarget(pod) : undefined;
    }
    const object = this.workloads.get(kind)?.get(name);
    const of = WORKLOADS.find((one) => one.kind === kind);
    return object && of && workloadTarget(of, object);
  }

  digestsIn(namespace: string): NamespaceDigests {
    const { ConfigMap, Secret } = this.digests;
    return {
      get: (kind, name) => this.digests[kind].get(`${namespace}/${name}`),
      all: () => [ConfigMap, Secret].flatMap((one) => one.byIndex(BY_NAMESPACE, namespace)),
      isReadable: (kind) => kind === "ConfigMap" || this.#reached.has(Secret),
    };
  }

  /** The key of who is restarted for this pod: its workload, or itself. */
  keyOfPod(pod: PodObject): string | undefined {
    if (isBare(pod)) return targetKey(POD, pod);
    const { namespace = "" } = pod.metadata;
    const owner = controllerOf(pod);
    if (owner?.kind !== REPLICA_SET.kind) {
      const kind = WORKLOADS.find((one) => one.kind === owner?.kind);
      return kind && `${namespace}/${kind.kind}/${owner?.name}`;
    }
    const replicaSet = this.#replicaSets.get(`${namespace}/${owner.name}`);
    const above = replicaSet && controllerOf(replicaSet);
    return above?.kind === DEPLOYMENT.kind ? `${namespace}/${above.kind}/${above.name}` : undefined;
  }

  /** All pods of the target that are not on their way out. */
  podsOf({ kind, object }: ReloadTarget): readonly PodObject[] {
    if (kind === POD) return [object as PodObject];
    if (kind !== DEPLOYMENT) return this.#podsOwnedBy(object);
    return this.#replicaSetsOf(object).flatMap((replicaSet) => this.#podsOwnedBy(replicaSet));
  }

  /** Those of a Deployment that its newest template made; of others all. Undefined while nobody has looked at that template yet. */
  currentPodsOf(target: ReloadTarget): readonly PodObject[] | undefined {
    const { kind, object } = target;
    if (kind !== DEPLOYMENT) return this.podsOf(target);
    const { metadata, status } = object as WorkloadObject;
    if ((status?.observedGeneration ?? 0) < (metadata.generation ?? 0)) return undefined;
    const revision = metadata.annotations?.[REVISION];
    return this.#replicaSetsOf(object)
      .filter((one) => one.metadata.annotations?.[REVISION] === revision)
      .flatMap((replicaSet) => this.#podsOwnedBy(replicaSet));
  }

  viewOf(pod: PodObject): ViewObject | undefined {
    const view = this.views.get(keyOfObject(pod));
    return view?.pod.uid === pod.metadata.uid ? view : undefined;
  }

  #replicaSetsOf({ metadata }: ApiObject): readonly ApiObject[] {
    return this.#replicaSets.byIndex(BY_OWNER, ownedBy(metadata));
  }

  #podsOwnedBy({ metadata }: ApiObject): readonly PodObject[] {
    const pods = this.pods.byIndex(BY_OWNER, ownedBy(metadata));
    return pods.filter(({ metadata: { deletionTimestamp } }) => !deletionTimestamp);
  }

  /** False only if the server says so: that it has no such kind, or that it is not for us. */
  async #mayRead(kind: ResourceKind, signal: AbortSignal): Promise<boolean> {
    const { client, namespace, clock, random, logger } = this.#context;
    const times = { baseMs: 100, factor: 2, maxMs: 30_000, jitter: 0.2, resetAfterMs: 60_000 };
    const backoff = new Backoff({ ...times, clock, random });
    while (!signal.aborted) {
      try {
        await new ResourceClient(client, kind).list({ namespace, limit: 1, signal });
        return true;
      } catch (err) {
        if (err instanceof StatusError && (err.code === 403 || err.code === 404)) {
          logger.info("not followed", { resource: kind.resource, err });
          return false;
        }
      }
      try {
        await backoff.wait(signal);
      } catch (err) {
        if (!isAbort(err, signal)) throw err;
      }
    }
    return false;
  }
}

/** Nobody would make it anew. */
function isBare(pod: PodObject): boolean {
  return controllerOf(pod) === undefined;
}

function digestInformer(context: ControllerContext, kind: ConfigKind): Informer<ConfigDigest> {
  const { client, namespace, clock, random, logger } = context;
  const asked = { client, kind: CONFIG_KINDS[kind], namespace };
  const listWatch = digestsOf(kind, listWatchOf<ApiObject>(asked));
  const indexers = { [BY_NAMESPACE]: namespaceOf };
  return new Informer({ listWatch, indexers, startsWithNewest: true, clock, random, logger });
}

function ownInformer<T extends ApiObject>(
  { client, namespace, clock, random, logger }: ControllerContext,
  kind: ResourceKind,
): Informer<T> {
  const listWatch = listWatchOf<T>({ client, kind, namespace });
  return new Informer({ listWatch, indexers: {}, startsWithNewest: true, clock, random, logger });
}

function namespaceOf({ metadata }: ApiObject): readonly string[] {
  return [metadata.namespace ?? ""];
}
