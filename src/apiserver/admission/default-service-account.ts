// Gives every namespace the service account "default" and, once a pod on a node mounts it, a ConfigMap with
// the certificates by which pods know the API. Follows the caches; whatever of the two is deleted or changed is put right
// again.
//
// One namespace at a time, from a set: however often something changes while a namespace waits, it is looked at once.
// Several servers may do this side by side; the store decides who was first, and the others find it done.

import type { ApiObject } from "../../api/object.ts";
import type { Pod } from "../../api/types.ts";
import { list } from "../../api/validation/absent.ts";
import { semanticEqual } from "../../api/validation/semantic-equal.ts";
import { aborted, isAbort } from "../../base/abort.ts";
import { Backoff } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Random } from "../../base/random.ts";
import type { CachedObject } from "../cache/cached-object.ts";
import type { ObjectStore } from "../registry/object-store.ts";
import type { Resource } from "../registry/resource.ts";
import { createdBySystem, updatedBySystem } from "../registry/system-write.ts";
import { DEFAULT_ACCOUNT } from "./service-account.ts";
import { ROOT_CERTIFICATES } from "./token-volume.ts";

const description =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";
const manager = "driftless-server";

export interface DefaultServiceAccountOptions {
  readonly namespaces: Resource;
  readonly serviceAccounts: Resource;
  readonly configMaps: Resource;
  readonly pods: Resource;
  readonly objects: ObjectStore;
  /** PEM of the authority that issued the server's certificate. */
  readonly rootCertificates: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

export class DefaultServiceAccount {
  readonly #options: DefaultServiceAccountOptions;
  /** Namespaces that have to be looked at. */
  readonly #due = new Set<string>();
  /** Namespaces with a pod on a node that mounts the certificates, now or before. */
  readonly #mounting = new Set<string>();
  #wake = Promise.withResolvers<void>();

  constructor(options: DefaultServiceAccountOptions) {
    this.#options = options;
    const { namespaces, serviceAccounts, configMaps, pods } = options;
    namespaces.cache.follow({
      reset: (objects) => this.#lookAt(Array.from(objects, ({ key }) => key)),
      changed: (now) => this.#lookAt(now === undefined ? [] : [now.key]),
    });
    pods.cache.follow({
      reset: (objects) => {
        for (const object of objects) this.#meet(object);
      },
      changed: (now) => this.#meet(now),
    });
    this.#guard(serviceAccounts, `/${DEFAULT_ACCOUNT}`);
    this.#guard(configMaps, `/${ROOT_CERTIFICATES}`);
  }

  /** Settles when the signal aborts. What cannot be written now is tried again, with growing pauses. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, logger } = this.#options;
    const backoff = new Backoff({
      baseMs: 100,
      factor: 2,
      maxMs: 5000,
      jitter: 0.5,
      resetAfterMs: 60_000,
      clock,
      random,
    });
    const end = aborted(signal);
    while (!signal.aborted) {
      const [namespace] = this.#due;
      if (namespace === undefined) {
        await Promise.race([this.#wake.promise, end]);
        continue;
      }
      this.#due.delete(namespace);
      try {
        await this.#provide(namespace);
      } catch (err) {
        logger.warn("cannot give a namespace its default service account", { namespace, err });
        this.#due.add(namespace);
        await paused(backoff, signal);
      }
    }
  }

  #meet(pod: CachedObject | undefined): void {
    const { namespace = "" } = pod?.object.metadata ?? {};
    if (pod === undefined || this.#mounting.has(namespace) || !mountsCertificates(pod)) return;
    this.#mounting.add(namespace);
    this.#lookAt([namespace]);
  }

  /** Looks at the namespace of every object with this name that changes or goes. */
  #guard({ cache }: Resource, suffix: string): void {
    cache.follow({
      // The namespaces are reset as well when the caches are, and all of them are looked at.
      reset: () => undefined,
      changed: (now, before) => {
        const key = (now ?? before)?.key ?? "";
        if (before !== undefined && key.endsWith(suffix)) {
          this.#lookAt([key.slice(0, -suffix.length)]);
        }
      },
    });
  }

  #lookAt(names: readonly string[]): void {
    if (names.length === 0) return;
    for (const name of names) this.#due.add(name);
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }

  async #provide(namespace: string): Promise<void> {
    const { namespaces, serviceAccounts, configMaps, rootCertificates } = this.#options;
    const found = namespaces.cache.get(namespace)?.object;
    if (found === undefined || found.metadata.deletionTimestamp !== undefined) {
      this.#mounting.delete(namespace);
      return;
    }
    await this.#ensure(serviceAccounts, { metadata: { name: DEFAULT_ACCOUNT, namespace } });
    const isThere = configMaps.cache.get(`${namespace}/${ROOT_CERTIFICATES}`) !== undefined;
    if (!isThere && !this.#mounting.has(namespace)) return;
    await this.#ensure(configMaps, {
      metadata: {
        name: ROOT_CERTIFICATES,
        namespace,
        annotations: { "kubernetes.io/description": description },
      },
      data: { "ca.crt": rootCertificates },
    });
  }

  /** Creates the object, or gives it back the content that it should have. Everything else of it is its users'. */
  async #ensure(resource: Resource, wanted: ApiObject): Promise<void> {
    const { namespace = "", name = "" } = wanted.metadata;
    const key = `${namespace}/${name}`;
    const isRight = (current: CachedObject | undefined): boolean =>
      current !== undefined && semanticEqual(current.object["data"], wanted["data"]);
    if (isRight(resource.cache.get(key))) return;
    await this.#options.objects.change(resource, key, (current) => {
      if (isRight(current)) return { do: "nothing" };
      const write = { manager, nowMs: this.#options.clock.now() };
      return {
        do: "write",
        object:
          current === undefined
            ? createdBySystem(resource, wanted, write)
            : updatedBySystem(
                resource,
                { live: current.object, wanted: { ...current.object, data: wanted["data"] } },
                write,
              ),
      };
    });
  }
}

function mountsCertificates({ object }: CachedObject): boolean {
  const { volumes, nodeName = "" } = (object as object as Pod).spec;
  if (nodeName === "") return false;
  return list(volumes).some(
    ({ configMap, projected }) =>
      configMap?.name === ROOT_CERTIFICATES ||
      list(projected?.sources).some((source) => source.configMap?.name === ROOT_CERTIFICATES),
  );
}

async function paused(backoff: Backoff, signal: AbortSignal): Promise<void> {
  try {
    await backoff.wait(signal);
  } catch (err) {
    if (!isAbort(err, signal)) throw err;
  }
}
