// A client of a real server, and waiting for what it should see, by its own news and not by the clock.

import { kindOf } from "../../src/api/kinds.ts";
import type { ApiObject } from "../../src/api/object.ts";
import { systemClock } from "../../src/base/clock.ts";
import { systemRandom } from "../../src/base/random.ts";
import { CaptureLogger } from "../../src/base/testing/capture-logger.ts";
import { ApiClient, type ApiClientOptions } from "../../src/client/api-client.ts";
import { Informer } from "../../src/client/informer.ts";
import { type Connection, readKubeconfig } from "../../src/client/kubeconfig.ts";
import { listWatchOf } from "../../src/client/list-watch.ts";
import { ResourceClient } from "../../src/client/resource-client.ts";
import type { ResourceKind } from "../../src/client/resource-path.ts";

export type ConfigMap = ApiObject & { data?: Record<string, string> };

export const configMaps: ResourceKind = servedKind("v1", "ConfigMap");

export function servedKind(apiVersion: string, kind: string): ResourceKind {
  const found = kindOf(apiVersion, kind);
  if (found === undefined) throw new Error(`there is no ${kind} in ${apiVersion}`);
  return found;
}

export const parts: {
  readonly clock: typeof systemClock;
  readonly random: typeof systemRandom;
  readonly logger: CaptureLogger;
} = { clock: systemClock, random: systemRandom, logger: new CaptureLogger() };

/** With a part of the connection changed, such as its server. */
export function liveClient(
  kubeconfig: string,
  more: Partial<Connection> = {},
  options: Partial<ApiClientOptions> = {},
): ApiClient {
  const connection = { ...readKubeconfig(kubeconfig), ...more };
  return new ApiClient({ connection, clock: systemClock, timeoutMs: 60_000, ...options });
}

export class LiveInformer implements AsyncDisposable {
  readonly informer: Informer<ConfigMap>;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(client: ApiClient, namespace: string = "default") {
    const listWatch = listWatchOf<ConfigMap>({ client, kind: configMaps, namespace });
    const shape = { indexers: {}, startsWithNewest: false };
    this.informer = new Informer({ listWatch, ...shape, ...parts });
    this.#running = this.informer.run(this.#stop.signal);
  }

  /** Names and values, sorted. */
  get state(): readonly string[] {
    return this.informer.list().map(valueOfMap).sort();
  }

  /** Resolves when `holds` does. Never, otherwise: the test's time limit tells. */
  async until(holds: () => boolean): Promise<void> {
    await this.informer.synced;
    const done = Promise.withResolvers<void>();
    const look = (): void => {
      if (holds()) done.resolve();
    };
    using _handler = this.informer.onChange(look);
    look();
    await done.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}

export function valueOfMap({ metadata, data }: ConfigMap): string {
  return `${metadata.name}=${data?.["v"] ?? ""}`;
}

export function configMap(name: string, v: string): ConfigMap {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "default" },
    data: { v },
  };
}

export function maps(client: ApiClient): ResourceClient<ConfigMap> {
  return new ResourceClient<ConfigMap>(client, configMaps);
}
