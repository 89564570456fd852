// Gives every namespace the service account "default". A server of ours does so by itself; then it is there already.

import type { Informer } from "../../client/informer.ts";
import { ResourceClient } from "../../client/resource-client.ts";
import { Controller } from "../../controller/controller.ts";
import type { ControllerContext, RunnableController } from "../../controller/controller-context.ts";
import {
  isActive,
  isNeedless,
  NAMESPACE,
  type NamespaceObject,
  SERVICE_ACCOUNT,
  type ServiceAccountObject,
} from "./account-objects.ts";

const DEFAULT = "default";

export class ServiceAccountController implements RunnableController {
  readonly name = "serviceaccount-controller";
  readonly #loop: Controller;
  readonly #namespaces: Informer<NamespaceObject>;
  readonly #accounts: Informer<ServiceAccountObject>;
  readonly #client: ResourceClient<ServiceAccountObject>;

  constructor({ client, informers, clock, random, logger, loops }: ControllerContext) {
    this.#namespaces = informers.of<NamespaceObject>(NAMESPACE);
    this.#accounts = informers.of<ServiceAccountObject>(SERVICE_ACCOUNT);
    this.#client = new ResourceClient(client, SERVICE_ACCOUNT);
    this.#loop = new Controller({
      name: this.name,
      workers: 1,
      synced: async () =>
        void (await Promise.all([this.#namespaces.synced, this.#accounts.synced])),
      sync: (namespace, signal) => this.#sync(namespace, signal),
      ...{ clock, random, logger, loops },
    });
    this.#namespaces.onChange(({ type, object }) => {
      if (type !== "deleted") this.#loop.queue.add(object.metadata.name ?? "");
    });
    this.#accounts.onChange(({ type, object: { metadata } }) => {
      const isOurs = type === "deleted" && metadata.name === DEFAULT;
      if (isOurs) this.#loop.queue.add(metadata.namespace ?? "");
    });
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#loop.run(signal);
  }

  async #sync(namespace: string, signal: AbortSignal): Promise<undefined> {
    const isThere = this.#accounts.get(`${namespace}/${DEFAULT}`) !== undefined;
    if (isThere || !isActive(this.#namespaces.get(namespace))) return;
    try {
      await this.#client.create({ metadata: { name: DEFAULT, namespace } }, { signal });
    } catch (err) {
      if (!isNeedless(err)) throw err;
    }
  }
}
