// The Node object of this machine: found or made once, then followed. A Node that somebody deletes while the agent runs is
// not made again: deleting it is how a machine is locked out, and only who may give it a new token lets it in again.

import { isAlreadyExists, isNotFound } from "../../api/status-error.ts";
import { deadline, isAbort, untilAborted } from "../../base/abort.ts";
import { Backoff } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Random } from "../../base/random.ts";
import type { ApiClient } from "../../client/api-client.ts";
import { ObjectWatch } from "../../client/object-watch.ts";
import type { ResourceClient } from "../../client/resource-client.ts";
import { isOlderVersion } from "../../client/resource-version.ts";
import { FailureLog } from "./failure-log.ts";
import { NODES, type NodeObject } from "./node-kinds.ts";

export interface OwnNodeOptions {
  readonly nodeName: string;
  /** Those that the agent sets. It leaves others alone. */
  readonly labels: Readonly<Record<string, string>>;
  /** To watch it. */
  readonly client: ApiClient;
  readonly nodes: Pick<ResourceClient<NodeObject>, "get" | "create" | "patch">;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

const REQUEST_MS = 10_000;

export class OwnNode {
  readonly #options: OwnNodeOptions;
  readonly #registered = Promise.withResolvers<void>();
  readonly #handlers = new Set<() => void>();
  /** The newest that was read, written or heard of. */
  #object: NodeObject | undefined;

  constructor(options: OwnNodeOptions) {
    this.#options = options;
  }

  /** Settles when the server is known to have it. Waits for the server as long as it takes. */
  get registered(): Promise<void> {
    return this.#registered.promise;
  }

  /** Undefined before it is registered, and when it was deleted. */
  get object(): NodeObject | undefined {
    return this.#object;
  }

  get uid(): string | undefined {
    return this.#object?.metadata.uid;
  }

  /** Called when somebody has changed, made or deleted it. */
  onChange(handler: () => void): Disposable {
    this.#handlers.add(handler);
    return { [Symbol.dispose]: () => void this.#handlers.delete(handler) };
  }

  /** The server answered a write with it. */
  wrote(object: NodeObject): void {
    const isGone = this.#object === undefined || this.#object.metadata.uid !== object.metadata.uid;
    if (isGone || this.#isOld(object)) return;
    this.#object = object;
  }

  run(signal: AbortSignal): Promise<void> {
    return untilAborted(signal, async () => {
      this.#object = await this.#register(signal);
      this.#registered.resolve();
      const { nodeName: name, client, clock, random, logger } = this.#options;
      const onChange = (object: NodeObject | undefined): void => this.#saw(object);
      const watched = { client, kind: NODES, name, onChange, clock, random, logger };
      await new ObjectWatch<NodeObject>(watched).run(signal);
    });
  }

  async #register(signal: AbortSignal): Promise<NodeObject> {
    const { clock, random, logger, nodeName } = this.#options;
    // As the kubelet, with chance: a thousand nodes that come up with a server do not come as one.
    const pauses = { baseMs: 200, factor: 2, maxMs: 7000, jitter: 0.5, resetAfterMs: 60_000 };
    const backoff = new Backoff({ ...pauses, clock, random });
    const failures = new FailureLog(logger, "cannot register this node");
    for (;;) {
      using limit = deadline({ clock, timeoutMs: REQUEST_MS, signal });
      try {
        const node = await this.#withLabels(await this.#findOrMake(limit.signal), limit.signal);
        failures.worked();
        return node;
      } catch (err) {
        if (isAbort(err, signal)) throw err;
        failures.failed(err, { node: nodeName });
        await backoff.wait(signal);
      }
    }
  }

  async #findOrMake(signal: AbortSignal): Promise<NodeObject> {
    const { nodes, nodeName: name, labels, logger } = this.#options;
    try {
      return await nodes.get({ name }, { signal }); // Joining has made it, or an earlier start.
    } catch (err) {
      if (!isNotFound(err)) throw err;
    }
    const metadata = { name, labels: { ...labels } };
    try {
      const made = { apiVersion: "v1", kind: "Node", metadata } as unknown as NodeObject;
      const created = await nodes.create(made, { signal });
      logger.info("made the Node of this machine", { node: name, uid: created.metadata.uid });
      return created;
    } catch (err) {
      if (!isAlreadyExists(err)) throw err;
      return nodes.get({ name }, { signal });
    }
  }

  async #withLabels(node: NodeObject, signal: AbortSignal): Promise<NodeObject> {
    const { nodes, nodeName: name, labels } = this.#options;
    const has = node.metadata.labels ?? {};
    const missing = Object.entries(labels).filter(([key, value]) => has[key] !== value);
    if (missing.length === 0) return node;
    const metadata = { uid: node.metadata.uid, labels: Object.fromEntries(missing) };
    return nodes.patch({ name }, { metadata }, { type: "strategic", signal });
  }

  #saw(object: NodeObject | undefined): void {
    const { logger, nodeName: node } = this.#options;
    const before = this.#object;
    if (object !== undefined && before?.metadata.uid === object.metadata.uid) {
      if (this.#isOld(object)) return;
    } else if (object !== undefined) {
      logger.warn("the Node of this machine was made anew", { node, uid: object.metadata.uid });
    } else if (before !== undefined) {
      logger.error(
        "the Node of this machine was deleted: it is locked out until it joins again with a new token",
        { node, uid: before.metadata.uid },
      );
    }
    this.#object = object;
    for (const handler of this.#handlers) handler();
  }

  /** What is heard may be from before what was last written. */
  #isOld({ metadata: { resourceVersion } }: NodeObject): boolean {
    return isOlderVersion(resourceVersion, this.#object?.metadata.resourceVersion);
  }
}
