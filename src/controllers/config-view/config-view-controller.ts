// Views are written by the agents of nodes. When a node is away its agent cannot correct them, and they would go on saying "in sync" for
// ever: so the views of its pods are marked here. When it is back its agent finds what differs, and corrects it itself. Views go with
// their pods, which own them: the garbage collector does that.

import { isNotFound } from "../../api/status-error.ts";
import type { Informer } from "../../client/informer.ts";
import { ResourceClient } from "../../client/resource-client.ts";
import { Controller } from "../../controller/controller.ts";
import type { ControllerContext, RunnableController } from "../../controller/controller-context.ts";
import { inParallel } from "../../controller/in-parallel.ts";
import { BY_NODE } from "../../controller/informers.ts";
import { NODE, type NodeObject } from "../node/node-objects.ts";
import { POD, type PodObject, servedKind } from "../pods/pod-object.ts";
import { absenceOf, markedAway, type ViewObject } from "./node-away.ts";

/** Views of one node that are written at the same time. */
const AT_ONCE = 8;
const WORKERS = 2;
/** A net: the last write of an agent may have come after ours. One list per node that is away. */
const LOOK_AGAIN_MS = 30_000;

export class ConfigViewController implements RunnableController {
  readonly name = "config-view-controller";
  readonly #context: ControllerContext;
  readonly #nodes: Informer<NodeObject>;
  readonly #pods: Informer<PodObject>;
  readonly #views: ResourceClient<ViewObject>;
  readonly #loop: Controller;

  constructor(context: ControllerContext) {
    const { client, informers, clock, random, logger } = context;
    this.#context = context;
    this.#nodes = informers.of<NodeObject>(NODE);
    this.#pods = informers.of<PodObject>(POD);
    this.#views = new ResourceClient(client, servedKind("driftless.dev/v1", "ConfigView"));
    this.#loop = new Controller({
      name: this.name,
      workers: WORKERS,
      synced: async () => void (await Promise.all([this.#nodes.synced, this.#pods.synced])),
      sync: (name, signal) => this.#sync(name, signal),
      ...{ clock, random, logger, loops: context.loops },
    });
    this.#nodes.onChange(({ type, object }) => {
      const { name = "" } = object.metadata;
      const isAway = absenceOf(name, type === "deleted" ? undefined : object) !== undefined;
      if (isAway) this.#loop.queue.add(name);
    });
    this.#pods.onChange(({ type, object: { spec } }) => {
      // Whose node was deleted while nobody looked. A node that is only late in the copy here is found by then.
      const { nodeName = "" } = spec;
      if (type === "added" && nodeName !== "" && this.#nodes.get(nodeName) === undefined) {
        this.#loop.queue.add(nodeName);
      }
    });
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#loop.run(signal);
  }

  async #sync(name: string, signal: AbortSignal): Promise<number | undefined> {
    const absence = absenceOf(name, this.#nodes.get(name));
    if (absence === undefined || this.#pods.byIndex(BY_NODE, name).length === 0) return undefined;
    const nowMs = this.#context.clock.now();
    const marked: ViewObject[] = [];
    for await (const view of this.#views.all({ fieldSelector: `node=${name}`, signal })) {
      const changed = markedAway(view, absence, nowMs);
      if (changed !== undefined) marked.push(changed);
    }
    const failures = await inParallel(marked, AT_ONCE, async (view) => {
      // It may be back meanwhile: then its agent knows better.
      if (absenceOf(name, this.#nodes.get(name)) === undefined) return;
      await this.#write(view, signal);
    });
    if (failures.length > 0) throw failures[0];
    return LOOK_AGAIN_MS;
  }

  /** Refused if its agent has written it since: that is looked at again. */
  async #write({ metadata, uses }: ViewObject, signal: AbortSignal): Promise<void> {
    const { namespace, name = "", resourceVersion } = metadata;
    const patch = { metadata: { resourceVersion }, uses };
    try {
      // No PUT: that would bring back a view that went with its pod.
      await this.#views.patch({ namespace, name }, patch, { type: "merge", signal });
    } catch (err) {
      if (!isNotFound(err)) throw err;
    }
  }
}
