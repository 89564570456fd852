// Publishes in every namespace the certificates by which pods know the API server, as the ConfigMap kube-root-ca.crt.
//
// A server of ours publishes those that it knows of by itself, where pods use them. If they are not the ones that we were given,
// each would put right what the other wrote, for ever; so who is contradicted a few times holds back, and says so.

import { semanticEqual } from "../../api/validation/semantic-equal.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Informer } from "../../client/informer.ts";
import { ResourceClient } from "../../client/resource-client.ts";
import { Controller } from "../../controller/controller.ts";
import type { ControllerContext, RunnableController } from "../../controller/controller-context.ts";
import {
  CONFIG_MAP,
  type ConfigMapObject,
  isActive,
  isNeedless,
  NAMESPACE,
  type NamespaceObject,
} from "./account-objects.ts";
import { selectedInformer } from "./selected-informer.ts";

const NAME = "kube-root-ca.crt";
const DESCRIPTION = "kubernetes.io/description";
const TEXT =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";
/** So often in a row it may be that somebody changed it by mistake. */
const MAX_REPAIRS = 5;
const HOLD_BACK_MS = 600_000;

export interface RootCertificateOptions {
  /** PEM. */
  readonly rootCertificates: string;
}

interface Repairs {
  readonly count: number;
  readonly sinceMs: number;
}

export class RootCertificateController implements RunnableController {
  readonly name = "root-ca-certificate-publisher-controller";
  readonly #loop: Controller;
  readonly #namespaces: Informer<NamespaceObject>;
  readonly #configMaps: Informer<ConfigMapObject>;
  readonly #client: ResourceClient<ConfigMapObject>;
  readonly #data: Readonly<Record<string, string>>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  /** By namespace: how often we had to put it right, and when that began. */
  readonly #repairs = new Map<string, Repairs>();

  constructor(context: ControllerContext, { rootCertificates }: RootCertificateOptions) {
    const { client, informers, clock, random, logger } = context;
    this.#data = { "ca.crt": rootCertificates };
    this.#clock = clock;
    this.#logger = logger;
    this.#namespaces = informers.of<NamespaceObject>(NAMESPACE);
    const fieldSelector = `metadata.name=${NAME}`;
    this.#configMaps = selectedInformer(context, { kind: CONFIG_MAP, fieldSelector });
    this.#client = new ResourceClient(client, CONFIG_MAP);
    this.#loop = new Controller({
      name: this.name,
      workers: 1,
      synced: async () => {
        await Promise.all([this.#namespaces.synced, this.#configMaps.synced]);
      },
      sync: (namespace, signal) => this.#sync(namespace, signal),
      ...{ clock, random, logger, loops: context.loops },
    });
    this.#namespaces.onChange(({ type, object }) => {
      const { name = "" } = object.metadata;
      if (type === "deleted") this.#repairs.delete(name);
      else this.#loop.queue.add(name);
    });
    this.#configMaps.onChange(({ type, object: { metadata } }) => {
      if (type !== "added") this.#loop.queue.add(metadata.namespace ?? "");
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#configMaps.run(signal), this.#loop.run(signal)]);
  }

  async #sync(namespace: string, signal: AbortSignal): Promise<number | undefined> {
    if (!isActive(this.#namespaces.get(namespace))) return undefined;
    const held = this.#configMaps.get(`${namespace}/${NAME}`);
    const hasText = (held?.metadata.annotations?.[DESCRIPTION] ?? "") !== "";
    if (held !== undefined && semanticEqual(held.data, this.#data) && hasText) return undefined;
    if (held !== undefined && this.#isContradicted(namespace)) return HOLD_BACK_MS;
    await this.#write(namespace, held, signal);
    return undefined;
  }

  async #write(
    namespace: string,
    held: ConfigMapObject | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const annotations = { ...held?.metadata.annotations, [DESCRIPTION]: TEXT };
    const metadata = { ...held?.metadata, name: NAME, namespace, annotations };
    const wanted = { ...held, metadata, data: { ...this.#data } };
    try {
      if (held === undefined) {
        await this.#client.create(wanted, { signal });
        return;
      }
      await this.#client.update(wanted, { signal });
      this.#countRepair(namespace);
    } catch (err) {
      if (!isNeedless(err)) throw err;
    }
  }

  #isContradicted(namespace: string): boolean {
    return (this.#recentRepairs(namespace)?.count ?? 0) >= MAX_REPAIRS;
  }

  /** Only what was written counts: that a write is refused because our copy is behind says nothing about anybody. */
  #countRepair(namespace: string): void {
    const { count, sinceMs } = this.#recentRepairs(namespace) ?? {
      count: 0,
      sinceMs: this.#clock.monotonicMs(),
    };
    this.#repairs.set(namespace, { count: count + 1, sinceMs });
    if (count + 1 < MAX_REPAIRS) return;
    this.#logger.warn("somebody else publishes other root certificates", { namespace });
  }

  #recentRepairs(namespace: string): Repairs | undefined {
    const held = this.#repairs.get(namespace);
    const isRecent = held !== undefined && this.#clock.monotonicMs() - held.sinceMs < HOLD_BACK_MS;
    return isRecent ? held : undefined;
  }
}
