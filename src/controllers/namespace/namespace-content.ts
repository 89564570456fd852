// What is in a namespace, of one resource after the other: deleted, and counted if it does not go at once.

import { apiVersionOf } from "../../api/kind.ts";
import type { ApiObject } from "../../api/object.ts";
import { StatusError } from "../../api/status-error.ts";
import type { Pod } from "../../api/types.ts";
import type { ApiClient } from "../../client/api-client.ts";
import type { ServedResource } from "../../client/discovery.ts";
import { METADATA_LIST } from "../../client/list-watch.ts";
import { ResourceClient } from "../../client/resource-client.ts";
import { type ResourceKind, resourcePath } from "../../client/resource-path.ts";

/** What is left of a resource. */
export interface Remainder {
  readonly count: number;
  readonly finalizers: ReadonlyMap<string, number>;
  /** How long it may take until it is gone; 0 if nothing is left. */
  readonly estimateSeconds: number;
}

export const NOTHING: Remainder = { count: 0, finalizers: new Map(), estimateSeconds: 0 };

/** Whoever put a finalizer on something is given this long before anybody looks again. */
const FINALIZER_SECONDS = 15;

const PAGE = 500;

/** Deletions that leave dependents to nobody: everything here goes. */
const DELETE_OPTIONS = { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Background" };

export class NamespaceContent {
  readonly #client: ApiClient;
  readonly #namespace: string;
  readonly #signal: AbortSignal;

  constructor(client: ApiClient, namespace: string, signal: AbortSignal) {
    this.#client = client;
    this.#namespace = namespace;
    this.#signal = signal;
  }

  /** Throws if something stays although nobody holds it. `graceSeconds`: how long it may take to stop. */
  async delete(resource: ServedResource, graceSeconds: number): Promise<Remainder> {
    const there = await this.#list(resource);
    if (there?.length === 0) return NOTHING;
    await this.#deleteAll(resource, there ?? []);
    const left = there && (await this.#list(resource));
    // Nobody can tell what is left.
    if (left === undefined) return { ...NOTHING, estimateSeconds: graceSeconds };
    if (left.length === 0) return NOTHING;
    const finalizers = finalizersOf(left);
    const heldSeconds = finalizers.size > 0 ? FINALIZER_SECONDS : 0;
    const estimateSeconds = graceSeconds || heldSeconds;
    if (estimateSeconds > 0) return { count: left.length, finalizers, estimateSeconds };
    throw new UnexpectedItemsError(this.#namespace, resource, left.length);
  }

  /** The longest time that a pod takes which still runs. */
  async podGraceSeconds(pods: ResourceKind): Promise<number> {
    const objects = new ResourceClient<Pod & ApiObject>(this.#client, pods);
    let longest = 0;
    const options = { namespace: this.#namespace, signal: this.#signal };
    for await (const { spec, status } of objects.all(options)) {
      if (status.phase === "Succeeded" || status.phase === "Failed") continue;
      longest = Math.max(longest, spec.terminationGracePeriodSeconds ?? 0);
    }
    return longest;
  }

  async #deleteAll(resource: ServedResource, items: readonly ApiObject[]): Promise<void> {
    if (resource.verbs.includes("deletecollection")) {
      const isSupported = await this.#ask("DELETE", resource, {});
      if (isSupported !== undefined) return;
    }
    for (const { metadata } of items) await this.#ask("DELETE", resource, { name: metadata.name });
  }

  /** Undefined if they cannot be listed. */
  async #list(resource: ServedResource): Promise<readonly ApiObject[] | undefined> {
    if (!resource.verbs.includes("list")) return undefined;
    const items: ApiObject[] = [];
    let next: string | undefined;
    do {
      const answer = await this.#ask("GET", resource, { continue: next });
      if (answer === undefined) return undefined;
      items.push(...(answer.items ?? []));
      next = answer.metadata?.continue;
    } while (next);
    return items;
  }

  /** Undefined if the server has no such resource, object or way to ask. */
  async #ask(
    method: "GET" | "DELETE",
    resource: ServedResource,
    {
      name,
      continue: next,
    }: { readonly name?: string | undefined; readonly continue?: string | undefined },
  ): Promise<ListAnswer | undefined> {
    const place = { namespace: this.#namespace, ...(name !== undefined && { name }) };
    const query = method === "GET" ? { limit: PAGE, continue: next } : {};
    const form = method === "GET" ? { accept: METADATA_LIST } : { body: DELETE_OPTIONS };
    const path = resourcePath(resource, place, query);
    try {
      const answer = await this.#client.request({ method, path, signal: this.#signal, ...form });
      return answer as ListAnswer;
    } catch (err) {
      if (err instanceof StatusError && (err.code === 404 || err.code === 405)) return undefined;
      throw err;
    }
  }
}

/** How many objects each holds. */
function finalizersOf(objects: readonly ApiObject[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of objects.flatMap(({ metadata }) => metadata.finalizers ?? [])) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

interface ListAnswer {
  readonly items?: readonly ApiObject[] | null;
  readonly metadata?: { readonly continue?: string };
}

/** They were deleted, nothing holds them, and they are there. */
export class UnexpectedItemsError extends Error {
  override readonly name = "UnexpectedItemsError";
  readonly count: number;

  constructor(namespace: string, { group, version, resource }: ResourceKind, count: number) {
    super(
      `unexpected items still remain in namespace: ${namespace} for gvr: ${group}/${version}, Resource=${resource}`,
    );
    this.count = count;
  }
}

/** "configmaps.", "deployments.apps": as conditions name it. */
export function nameInConditions({ group, resource }: ResourceKind): string {
  return `${resource}.${group}`;
}

export function isPods(kind: ResourceKind): boolean {
  return kind.resource === "pods" && apiVersionOf(kind) === "v1";
}
