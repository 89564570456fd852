// Empties namespaces that are to go, says in their conditions what is in the way, and lets go of them when nothing is left.

import { apiTime } from "../../api/api-time.ts";
import { kindOf } from "../../api/kinds.ts";
import type { ApiObject } from "../../api/object.ts";
import { isNotFound } from "../../api/status-error.ts";
import type { Namespace } from "../../api/types.ts";
import { describe } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import { type Discovered, discover } from "../../client/discovery.ts";
import type { Informer } from "../../client/informer.ts";
import { ResourceClient } from "../../client/resource-client.ts";
import { resourcePath } from "../../client/resource-path.ts";
import { Controller } from "../../controller/controller.ts";
import type { ControllerContext, RunnableController } from "../../controller/controller-context.ts";
import { DeletionRound } from "./deletion-round.ts";
import { type DeletionReport, namespaceConditions } from "./namespace-conditions.ts";
import { isPods, NamespaceContent, nameInConditions } from "./namespace-content.ts";

type StoredNamespace = Namespace & ApiObject;

const WORKERS = 10;
const FINALIZER = "kubernetes";
/**
 * Nobody lets go of a namespace sooner after its deletion was seen: another API server may not have heard of it yet, and take
 * something new into it.
 */
const GRACE_MS = 5000;

const kind = kindOf("v1", "Namespace");

export class NamespaceController implements RunnableController {
  readonly name = "namespace-controller";
  readonly #context: ControllerContext;
  readonly #logger: Logger;
  readonly #informer: Informer<StoredNamespace>;
  readonly #namespaces: ResourceClient<StoredNamespace>;
  readonly #controller: Controller;
  /** When the deletion of a namespace was seen first, by its name; gone with the namespace. */
  readonly #seenMs = new Map<string, number>();

  constructor(context: ControllerContext) {
    if (kind === undefined) throw new Error("Cannot empty namespaces: the API has no such kind");
    const { client, informers, clock, random, logger } = context;
    this.#context = context;
    this.#logger = logger.child({ controller: this.name });
    this.#namespaces = new ResourceClient<StoredNamespace>(client, kind);
    this.#informer = informers.of<StoredNamespace>(kind);
    this.#controller = new Controller({
      ...{ name: this.name, workers: WORKERS, clock, random, logger, loops: context.loops },
      synced: () => this.#informer.synced,
      sync: (name, signal) => this.#sync(name, signal),
    });
    this.#informer.onChange(({ type, object }) => this.#notice(type === "deleted", object));
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#controller.run(signal);
  }

  #notice(isGone: boolean, { metadata: { name = "", deletionTimestamp } }: ApiObject): void {
    if (isGone) {
      this.#seenMs.delete(name);
    } else if (deletionTimestamp != null) {
      // What changes later is mostly what we write ourselves.
      if (this.#seenMs.has(name)) this.#controller.queue.addAfter(name, GRACE_MS);
      else this.#begin(name);
    }
  }

  #begin(name: string): void {
    this.#seenMs.set(name, this.#context.clock.monotonicMs());
    this.#controller.queue.add(name);
  }

  async #sync(name: string, signal: AbortSignal): Promise<number | undefined> {
    let namespace = await this.#get(name, signal);
    if (namespace?.metadata.deletionTimestamp == null) return undefined;
    if (namespace.status.phase !== "Terminating") {
      const status = { ...namespace.status, phase: "Terminating" };
      namespace = await this.#namespaces.updateStatus({ ...namespace, status }, { signal });
    }
    if ((namespace.spec.finalizers ?? []).length === 0) return undefined;
    const round = await this.#empty(namespace, signal);
    const told = await this.#tell(namespace, round, signal);
    if (round.failures.length > 0) {
      throw new AggregateError(round.failures, `cannot empty the namespace ${name}`);
    }
    // Half of the time, so that it does not take twice as long as it must.
    const { estimateSeconds } = round;
    if (estimateSeconds > 0) return (Math.floor(estimateSeconds / 2) + 1) * 1000;
    const seenMs = this.#seenMs.get(name) ?? 0;
    const restMs = seenMs + GRACE_MS - this.#context.clock.monotonicMs();
    if (restMs > 0) return restMs;
    await this.#finalize(told, signal);
    return undefined;
  }

  async #get(name: string, signal: AbortSignal): Promise<StoredNamespace | undefined> {
    try {
      return await this.#namespaces.get({ name }, { signal });
    } catch (err) {
      if (isNotFound(err)) return undefined;
      throw err;
    }
  }

  /** One round over all that is served. A failure with one resource does not keep the others from being emptied. */
  async #empty(namespace: StoredNamespace, signal: AbortSignal): Promise<DeletionRound> {
    const { client, clock } = this.#context;
    const { name = "", deletionTimestamp = "" } = namespace.metadata;
    const round = new DeletionRound();
    const discovered = await this.#discover(round, signal);
    const resources = discovered.resources.filter(
      ({ namespaced, isPreferred, verbs }) => namespaced && isPreferred && verbs.includes("delete"),
    );
    const content = new NamespaceContent(client, name, signal);
    const pods = resources.find(isPods);
    if (pods !== undefined) {
      await round.take(nameInConditions(pods), async () => {
        const graceSeconds = await content.podGraceSeconds(pods);
        const passedMs = clock.now() - Date.parse(deletionTimestamp);
        return content.delete(pods, passedMs >= graceSeconds * 1000 ? 0 : graceSeconds);
      });
      // What they still use stays until they have stopped.
      if (round.remaining.size > 0) return round;
    }
    for (const resource of resources) {
      if (resource === pods) continue;
      await round.take(nameInConditions(resource), () => content.delete(resource, 0));
      signal.throwIfAborted();
    }
    return round;
  }

  async #discover(round: DeletionRound, signal: AbortSignal): Promise<Discovered> {
    try {
      const discovered = await discover(this.#context.client, signal);
      round.judge(discovered);
      return discovered;
    } catch (err) {
      signal.throwIfAborted();
      round.discoveryFailure = describe(err);
      round.failures.push(err);
      return { resources: [], failures: new Map(), misnamed: [] };
    }
  }

  /** Comes back with the namespace as it is then. That it cannot be told keeps nothing from going on. */
  async #tell(
    namespace: StoredNamespace,
    report: DeletionReport,
    signal: AbortSignal,
  ): Promise<StoredNamespace> {
    const { clock } = this.#context;
    const now = apiTime(clock.now());
    const { status } = namespace;
    const conditions = namespaceConditions(status.conditions ?? [], report, now);
    if (conditions === undefined) return namespace;
    try {
      const changed = { ...namespace, status: { ...status, conditions } };
      return await this.#namespaces.updateStatus(changed, { signal });
    } catch (err) {
      signal.throwIfAborted();
      this.#logger.warn("conditions not told", { name: namespace.metadata.name, err });
      return namespace;
    }
  }

  async #finalize(namespace: StoredNamespace, signal: AbortSignal): Promise<void> {
    const { name = "" } = namespace.metadata;
    const others = (namespace.spec.finalizers ?? []).filter((one) => one !== FINALIZER);
    const finalizers = [...new Set(others)].sort();
    const body = { ...namespace, spec: { ...namespace.spec, finalizers } };
    const path = resourcePath(this.#namespaces.kind, { name, subresource: "finalize" });
    try {
      await this.#context.client.request({ method: "PUT", path, body, signal });
    } catch (err) {
      // Somebody else was faster.
      if (!isNotFound(err)) throw err;
    }
  }
}
