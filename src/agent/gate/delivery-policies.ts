// The policies of the server, as an informer of this node knows them: all of them, since one watch that is there before the pods come
// never makes one wait. A server that has no such kind has no policies.

import { PAUSED_AT } from "../../api/delivery-policy-notes.ts";
import type { ApiObject } from "../../api/object.ts";
import { labelSelectorOf } from "../../api/selectors/label-selector.ts";
import { isNotFound } from "../../api/status-error.ts";
import type { DeliveryCheck, DeliveryPolicy } from "../../api/types.ts";
import { untilAborted } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { describe } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import type { Random } from "../../base/random.ts";
import type { ContentCheck } from "../../checks/check-protocol.ts";
import type { Format } from "../../checks/parse-content.ts";
import type { ApiClient } from "../../client/api-client.ts";
import { Informer } from "../../client/informer.ts";
import { type ListWatch, listWatchOf } from "../../client/list-watch.ts";
import { ResourceClient } from "../../client/resource-client.ts";
import type { ResourceKind } from "../../client/resource-path.ts";
import { isOlderVersion } from "../../client/resource-version.ts";
import type { Choosable, Policies, Policy } from "./policies.ts";
import { SharedQuestions } from "./shared-questions.ts";

export interface DeliveryPoliciesParts {
  readonly client: ApiClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

const POLICIES: ResourceKind = {
  group: "driftless.dev",
  version: "v1",
  kind: "DeliveryPolicy",
  resource: "deliverypolicies",
  namespaced: true,
};

/** Then the watch has to do. */
const CONFIRM_TRIES = 3;
const CONFIRM_PAUSE_MS = 1000;

type StoredPolicy = DeliveryPolicy & ApiObject;

interface Known {
  readonly policy: Policy;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  chooses(object: Choosable): boolean;
}

export class DeliveryPolicies implements Policies {
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #client: ResourceClient<StoredPolicy>;
  readonly #informer: Informer<StoredPolicy>;
  /** By namespace, then by name. */
  readonly #known = new Map<string, Map<string, Known>>();
  readonly #handlers = new Set<{ readonly handle: (namespace: string | undefined) => void }>();
  readonly #asked = new SharedQuestions();
  /** The server does not know the kind. */
  #isMissing = false;

  constructor({ client, clock, random, logger }: DeliveryPoliciesParts) {
    this.#logger = logger;
    const listWatch = this.#noticing(listWatchOf<StoredPolicy>({ client, kind: POLICIES }));
    const parts = { clock, random, logger };
    this.#informer = new Informer({ listWatch, indexers: {}, startsWithNewest: true, ...parts });
    this.#client = new ResourceClient(client, POLICIES);
    this.#clock = clock;
    this.#informer.onChange(({ type, object }) => {
      const isNews = type === "deleted" ? this.#remove(object) : this.#put(object);
      // Until all are known nobody asks.
      if (isNews && this.#informer.hasSynced) this.#tell(object.metadata.namespace);
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    void this.#informer.synced.then(() => this.#tell(undefined));
    await untilAborted(signal, (one) => this.#informer.run(one));
  }

  choosing(object: Choosable): readonly Policy[] | undefined {
    if (!this.#informer.hasSynced) return this.#isMissing ? [] : undefined;
    const known = this.#known.get(object.namespace);
    if (known === undefined || known.size === 0) return [];
    const chosen = [...known.values()].filter((one) => this.#isThere(one) && one.chooses(object));
    return chosen.map(({ policy }) => policy).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  onChange(handle: (namespace: string | undefined) => void): Disposable {
    const handler = { handle };
    this.#handlers.add(handler);
    return { [Symbol.dispose]: () => this.#handlers.delete(handler) };
  }

  async confirm(namespace: string, signal: AbortSignal): Promise<void> {
    if (this.#isMissing) return;
    for (let tries = 1; !signal.aborted; tries++) {
      try {
        await this.#asked.ask(namespace, (one) => this.#ask(one, signal));
        return;
      } catch (err) {
        if (signal.aborted) return;
        this.#logger.warn("cannot confirm the delivery policies", {
          namespace,
          why: describe(err),
        });
        if (tries === CONFIRM_TRIES) return;
      }
      await untilAborted(signal, (one) => this.#clock.sleep(CONFIRM_PAUSE_MS, one));
    }
  }

  async #ask(namespace: string, signal: AbortSignal): Promise<void> {
    const { items } = await this.#client.list({ namespace, signal });
    const news = items.filter((item) => this.#isThere(knownOf(item)) && this.#put(item));
    if (news.length > 0) this.#tell(namespace);
  }

  /** An answer may be older than the watch, which has seen the policy go since; and the watch may never have seen it come. */
  #isThere({ policy: { namespace, name }, resourceVersion }: Known): boolean {
    const { lastResourceVersion } = this.#informer;
    const isHeld = this.#informer.get(`${namespace}/${name}`) !== undefined;
    return isHeld || isOlderVersion(lastResourceVersion, resourceVersion);
  }

  /** Says whether that is new: what was asked for and what is watched come in any order. */
  #put(object: StoredPolicy): boolean {
    const { namespace = "", name = "", uid, resourceVersion } = object.metadata;
    let known = this.#known.get(namespace);
    if (known === undefined) {
      known = new Map();
      this.#known.set(namespace, known);
    }
    const before = known.get(name);
    const isSame = before?.uid === uid && before?.resourceVersion === resourceVersion;
    if (isSame || isOlderVersion(resourceVersion, before?.resourceVersion)) return false;
    known.set(name, knownOf(object));
    return true;
  }

  #remove({ metadata: { namespace = "", name = "", uid } }: StoredPolicy): boolean {
    const known = this.#known.get(namespace);
    return known?.get(name)?.uid === uid && known?.delete(name) === true;
  }

  #tell(namespace: string | undefined): void {
    for (const { handle } of this.#handlers) handle(namespace);
  }

  #noticing(inner: ListWatch<StoredPolicy>): ListWatch<StoredPolicy> {
    const noticed = async <T>(work: Promise<T>): Promise<T> => {
      try {
        return await work;
      } catch (err) {
        if (isNotFound(err) && !this.#isMissing) {
          this.#isMissing = true;
          this.#logger.info("the server has no delivery policies");
          this.#tell(undefined);
        }
        throw err;
      }
    };
    return {
      ...inner,
      list: (version, signal) => noticed(inner.list(version, signal)),
      watch: (parameters, signal) => noticed(inner.watch(parameters, signal)),
    };
  }
}

function knownOf({ metadata, spec }: StoredPolicy): Known {
  const { namespace = "", name = "", uid = "", generation = 0 } = metadata;
  const kinds: readonly string[] = spec.kinds ?? [];
  const selector = labelSelectorOf(spec.selector);
  const policy: Policy = {
    namespace,
    name,
    fingerprint: `${uid}:${generation}`,
    checks: (spec.checks ?? []).map((check) => contentCheck({ namespace, policy: name }, check)),
    pausedAtMs: spec.rollout?.paused === true ? pausedAtMs(metadata) : undefined,
  };
  return {
    policy,
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    chooses: ({ kind, labels }) =>
      (kinds.length === 0 || kinds.includes(kind)) && selector.matches(labels),
  };
}

function contentCheck(
  of: Pick<ContentCheck, "namespace" | "policy">,
  { name, keys, format, schema }: DeliveryCheck,
): ContentCheck {
  return {
    ...of,
    name,
    keys: keys ?? [],
    format: format ? (format as Format) : undefined,
    schema: schema ?? undefined,
  };
}

/** Without a note of it, the policy counts as paused from its beginning: too little goes out rather than too much. */
function pausedAtMs({ annotations, creationTimestamp }: DeliveryPolicy["metadata"]): number {
  const noted = Date.parse(annotations?.[PAUSED_AT] ?? "");
  if (Number.isFinite(noted)) return noted;
  const made = Date.parse(creationTimestamp ?? "");
  return Number.isFinite(made) ? made : 0;
}
