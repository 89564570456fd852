// Puts pods on nodes. What the server answers decides, and where it does not answer it is asked until it is known: a pod that may be
// on a node counts against it until it is certain that it is not.

import { isNotFound, StatusError } from "../../api/status-error.ts";
import { Backoff } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import type { Random } from "../../base/random.ts";
import type { ApiClient } from "../../client/api-client.ts";
import type { ResourceClient } from "../../client/resource-client.ts";
import { resourcePath } from "../../client/resource-path.ts";
import type { SchedulablePod } from "./pod-info.ts";

export interface BinderOptions {
  readonly client: ApiClient;
  readonly pods: ResourceClient<SchedulablePod>;
  readonly clock: Clock;
  readonly random: Random;
}

/** Where the pod is now: on this node, put there by us or by somebody else; on none, and why; or nowhere at all. */
export type Bound =
  | { readonly on: string; readonly isOurs: boolean }
  | { readonly refused: string }
  | { readonly isGone: true };

export class Binder {
  readonly #options: BinderOptions;

  constructor(options: BinderOptions) {
    this.#options = options;
  }

  /** Rejects if `signal` aborts, or the server will not say how it stands. */
  async bind(pod: SchedulablePod, node: string, signal: AbortSignal): Promise<Bound> {
    const { client, pods } = this.#options;
    const { namespace, name = "", uid } = pod.metadata;
    const place = { namespace, name, subresource: "binding" };
    const body = {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { namespace, name, uid },
      target: { kind: "Node", name: node },
    };
    try {
      await client.request({ method: "POST", path: resourcePath(pods.kind, place), body, signal });
      return { on: node, isOurs: true };
    } catch (err) {
      signal.throwIfAborted();
      const fresh = await this.#look(pod, signal);
      if (fresh === undefined) return { isGone: true };
      const { nodeName = "" } = fresh.spec;
      // A server that refused has not done it; one that broke off may have.
      const isRefusal = err instanceof StatusError && err.code < 500;
      if (nodeName !== "") return { on: nodeName, isOurs: nodeName === node && !isRefusal };
      return { refused: err instanceof Error ? err.message : String(err) };
    }
  }

  /** As the server has it; undefined if it is gone. */
  async #look(pod: SchedulablePod, signal: AbortSignal): Promise<SchedulablePod | undefined> {
    const { pods, clock, random } = this.#options;
    const { namespace, name = "", uid } = pod.metadata;
    const pause = new Backoff({
      ...{ baseMs: 500, factor: 2, maxMs: 10_000, jitter: 0.2, resetAfterMs: 60_000 },
      ...{ clock, random },
    });
    for (;;) {
      try {
        const fresh = await pods.get({ namespace, name }, { signal });
        return fresh.metadata.uid === uid ? fresh : undefined;
      } catch (err) {
        signal.throwIfAborted();
        if (isNotFound(err)) return undefined;
        // Asking again would not help.
        if (err instanceof StatusError && err.code === 403) throw err;
      }
      await pause.wait(signal);
    }
  }
}
