// Where the pods of this node come from: the server, and files on this machine. Either may be missing. Mirror pods come from the
// server too, but are only pictures of those in files.

import { kindOf } from "../../api/kinds.ts";
import type { ApiObject } from "../../api/object.ts";
import type { Pod } from "../../api/types.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Random } from "../../base/random.ts";
import type { ApiClient } from "../../client/api-client.ts";
import { Informer } from "../../client/informer.ts";
import { type ListWatch, listWatchOf } from "../../client/list-watch.ts";
import { ResourceClient } from "../../client/resource-client.ts";
import type { ResourceKind } from "../../client/resource-path.ts";
import { MirrorPods } from "./mirror-pods.ts";
import { isMirror } from "./static-pod.ts";
import type { StaticPods } from "./static-pods.ts";

export type StoredPod = Pod & ApiObject;

export interface PodSourceOptions {
  /** Undefined: this machine has no server. */
  readonly client: ApiClient | undefined;
  /** Undefined: it has no directory of manifests. */
  readonly files: StaticPods | undefined;
  readonly nodeName: string;
  /** Of the Node object; undefined as long as it is not known. */
  readonly nodeUid: () => string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

export interface PodSourceHandlers {
  /** A pod that is new here, or as it is now. */
  readonly update: (pod: Pod) => void;
  readonly remove: (pod: Pod) => void;
  /** What the server has of this pod, or of its mirror, has changed. */
  readonly changedOnServer: (pod: Pod) => void;
  /** The server answers: for the first time, again, or still. */
  readonly serverIsBack: () => void;
}

export class PodSource {
  readonly #options: PodSourceOptions;
  /** Undefined without a server. */
  readonly pods: ResourceClient<StoredPod> | undefined;
  readonly #informer: Informer<StoredPod> | undefined;
  readonly #mirrors: MirrorPods | undefined;
  #onAnswer: () => void = () => undefined;

  constructor(options: PodSourceOptions) {
    this.#options = options;
    const { client, nodeName, clock, random, logger } = options;
    if (client === undefined) return;
    const kind = podKind();
    const fieldSelector = `spec.nodeName=${nodeName}`;
    const listWatch = listWatchOf<StoredPod>({ client, kind, fieldSelector });
    const base = { clock, random, logger };
    const told: ListWatch<StoredPod> = {
      ...listWatch,
      watch: async (parameters, signal) => {
        const watched = await listWatch.watch(parameters, signal);
        this.#onAnswer();
        return watched;
      },
    };
    this.#informer = new Informer({
      listWatch: told,
      indexers: {},
      startsWithNewest: true,
      ...base,
    });
    this.pods = new ResourceClient(client, kind);
    this.#mirrors = new MirrorPods({ ...options, pods: this.pods });
  }

  /** Settles when all pods of this node are known. With a server that is away, it does not. */
  get synced(): Promise<void> {
    return this.#allSynced();
  }

  async #allSynced(): Promise<void> {
    await this.#options.files?.synced;
    await this.#informer?.synced;
  }

  /** It is from a file. What a pod says of itself does not count: anybody can write that into one. */
  isStatic({ metadata }: Pod): boolean {
    return this.#options.files?.has(metadata.uid ?? "") === true;
  }

  /** The pod as the server has it: of a static pod its mirror. */
  onServer(pod: Pod): Pod | undefined {
    if (this.isStatic(pod)) return this.#mirrors?.of(pod);
    const { namespace = "", name = "", uid } = pod.metadata;
    const found = this.#informer?.get(`${namespace}/${name}`);
    return found?.metadata.uid === uid ? found : undefined;
  }

  /** Handlers hear of what is there at once, and of everything that comes until `signal` aborts. */
  async run(handlers: PodSourceHandlers, signal: AbortSignal): Promise<void> {
    this.#onAnswer = handlers.serverIsBack;
    using _files = this.#listenToFiles(handlers);
    using _server = this.#listenToServer(handlers);
    void this.synced.then(() => this.#mirrors?.complete());
    await Promise.all([
      this.#options.files?.run(signal),
      this.#informer?.run(signal),
      this.#mirrors?.run(signal),
    ]);
  }

  #listenToFiles({ update, remove }: PodSourceHandlers): Disposable | undefined {
    return this.#options.files?.onChange(({ type, object }) => {
      if (type === "deleted") {
        this.#mirrors?.deleteStatic(object);
        remove(object);
      } else {
        this.#mirrors?.setStatic(object);
        update(object);
      }
    });
  }

  #listenToServer({ update, remove, changedOnServer }: PodSourceHandlers): Disposable | undefined {
    return this.#informer?.onChange(({ type, object }) => {
      if (isMirror(object)) {
        if (type === "deleted") this.#mirrors?.deleteMirror(object);
        else this.#mirrors?.setMirror(object);
        const pod = this.#mirrors?.staticOf(object);
        if (pod !== undefined) changedOnServer(pod);
      } else if (type === "deleted") {
        remove(object);
      } else {
        update(object);
        changedOnServer(object);
      }
    });
  }
}

function podKind(): ResourceKind {
  const kind = kindOf("v1", "Pod");
  if (kind === undefined) throw new Error("Cannot follow pods: the API has no such kind");
  return kind;
}
