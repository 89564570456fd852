// ResourceQuotas, as far as they count objects: what would exceed one is refused. Used is what the caches hold now, not
// what a status says, so that a quota holds from the moment at which it is there.
//
// Amounts of CPU, memory and storage are not added up here.

import { parseQuantity } from "../../api/quantity.ts";
import type { ResourceQuota as Quota } from "../../api/types.ts";
import type { KindCache } from "../cache/kind-cache.ts";
import type { AdmissionPlugin, AdmissionRequest } from "./admission.ts";
import type { ObjectCounts } from "./object-counts.ts";
import { type QuotaCounter, quotaCounters } from "./quota-counters.ts";
import { scopesOf } from "./quota-scopes.ts";
import { refusal } from "./refusal.ts";

export interface ResourceQuotaOptions {
  readonly quotas: KindCache;
  readonly counts: ObjectCounts;
  /** Of the kinds of which not only the number counts. */
  readonly pods: KindCache;
  readonly services: KindCache;
  readonly persistentVolumeClaims: KindCache;
}

interface Exceeded {
  readonly name: string;
  readonly requested: number;
  readonly used: number;
  readonly limited: string;
}

export class ResourceQuota implements AdmissionPlugin {
  readonly name = "ResourceQuota";
  readonly #options: ResourceQuotaOptions;

  constructor(options: ResourceQuotaOptions) {
    this.#options = options;
  }

  /** Requests that are under way at the same time do not see each other: they may go beyond by as many as they are. */
  judge(request: AdmissionRequest): void {
    const { operation, subresource, namespace, object } = request;
    if (object === undefined || subresource !== "" || namespace === "") return;
    if (operation !== "CREATE" && operation !== "UPDATE") return;
    for (const { object: quota } of this.#options.quotas.list(`${namespace}/`)) {
      this.#hold(request, quota as Quota & typeof quota);
    }
  }

  #hold(request: AdmissionRequest, { metadata, spec }: Quota): void {
    const scopes = scopesOf(spec);
    const counters = quotaCounters(request, { ...this.#options, scopes });
    const exceeded = Object.entries(spec.hard ?? {})
      .flatMap(([name, hard]) => excess(name, { hard, counter: counters.get(name) }))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
    if (exceeded.length === 0) return;
    const told = (of: "requested" | "used" | "limited"): string =>
      exceeded.map((one) => `${one.name}=${one[of]}`).join(",");
    throw refusal(
      request,
      `exceeded quota: ${metadata.name ?? ""}, requested: ${told("requested")}, used: ${told("used")}, limited: ${told("limited")}`,
    );
  }
}

function excess(
  name: string,
  { hard, counter }: { readonly hard: string; readonly counter: QuotaCounter | undefined },
): Exceeded[] {
  const requested = counter?.requested() ?? 0;
  if (counter === undefined || requested <= 0) return [];
  const used = counter.used();
  if (parseQuantity(String(used + requested)).compare(parseQuantity(hard)) <= 0) return [];
  return [{ name, requested, used, limited: hard }];
}
