// What quotas can count of a request's kind: the name in the quota, how much of it the request asks for, and how much
// of it is there. Nothing is computed for names that no quota has.

import { qualifiedResource } from "../../api/kind.ts";
import type { ApiObject } from "../../api/object.ts";
import type { PersistentVolumeClaim, Pod, Service } from "../../api/types.ts";
import { list } from "../../api/validation/absent.ts";
import type { KindCache } from "../cache/kind-cache.ts";
import type { AdmissionRequest } from "./admission.ts";
import type { ObjectCounts } from "./object-counts.ts";
import type { Scopes } from "./quota-scopes.ts";

export interface QuotaCounter {
  /** How much more there will be. */
  requested(): number;
  used(): number;
}

export interface CounterParts {
  readonly counts: ObjectCounts;
  readonly pods: KindCache;
  readonly services: KindCache;
  readonly persistentVolumeClaims: KindCache;
  /** Objects outside of them do not count. */
  readonly scopes: Scopes;
}

type Counters = ReadonlyMap<string, QuotaCounter>;

/** Of old quotas: their kinds are counted under these names as well as under "count/". */
const plainNames: ReadonlySet<string> = new Set([
  "configmaps",
  "persistentvolumeclaims",
  "replicationcontrollers",
  "resourcequotas",
  "secrets",
  "services",
]);

/** By name, for the kind of this request. */
export function quotaCounters(request: AdmissionRequest, parts: CounterParts): Counters {
  const { kind } = request;
  const resource = qualifiedResource(kind);
  if (resource === "pods") return podCounters(request, parts);
  // Only pods can be in a scope.
  if (!parts.scopes.isEverything) return new Map();
  const all = wholeCounter(request, parts);
  const counters = new Map<string, QuotaCounter>([[`count/${resource}`, all]]);
  if (plainNames.has(resource)) counters.set(resource, all);
  if (resource === "services") {
    counters.set("services.nodeports", summed(request, parts.services, nodePorts));
    counters.set("services.loadbalancers", summed(request, parts.services, loadBalancers));
  }
  if (resource === "persistentvolumeclaims") {
    const storageClass = classOf(request.object);
    counters.set(
      `${storageClass}.storageclass.storage.k8s.io/persistentvolumeclaims`,
      summed(request, parts.persistentVolumeClaims, (object) =>
        classOf(object) === storageClass ? 1 : 0,
      ),
    );
  }
  return counters;
}

function podCounters(request: AdmissionRequest, { counts, pods, scopes }: CounterParts): Counters {
  const { nowMs } = request;
  const isIn = (object: ApiObject): boolean => scopes.hold(object as ApiObject & Pod);
  if (request.object === undefined || !isIn(request.object)) return new Map();
  const running = summed(request, pods, (object) =>
    isIn(object) && !isOver(object as ApiObject & Pod, nowMs) ? 1 : 0,
  );
  const all = scopes.isEverything
    ? wholeCounter(request, { counts })
    : summed(request, pods, (object) => (isIn(object) ? 1 : 0));
  return new Map([
    ["pods", running],
    ["count/pods", all],
  ]);
}

function wholeCounter(
  { kind, namespace, operation }: AdmissionRequest,
  { counts }: { readonly counts: ObjectCounts },
): QuotaCounter {
  return {
    requested: () => (operation === "CREATE" ? 1 : 0),
    used: () => counts.inNamespace(kind, namespace),
  };
}

/** Looks at every object of the namespace. */
function summed(
  { namespace, object, old }: AdmissionRequest,
  cache: KindCache,
  usage: (object: ApiObject) => number,
): QuotaCounter {
  const of = (one: ApiObject | undefined): number => (one === undefined ? 0 : usage(one));
  return {
    requested: () => of(object) - of(old),
    used: () => {
      let sum = 0;
      for (const cached of cache.list(`${namespace}/`)) sum += usage(cached.object);
      return sum;
    },
  };
}

/** It has ended, or should have by now. */
function isOver({ metadata, status }: Pod, nowMs: number): boolean {
  if (status.phase === "Failed" || status.phase === "Succeeded") return true;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return false;
  return nowMs > Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000;
}

/** Those that it will get are counted as well as those that it has. */
function nodePorts(object: ApiObject): number {
  const { spec } = object as ApiObject & Service;
  const ports = list(spec.ports);
  if (spec.type === "NodePort") return ports.length;
  if (spec.type !== "LoadBalancer") return 0;
  if (spec.allocateLoadBalancerNodePorts !== false) return ports.length;
  return ports.filter(({ nodePort = 0 }) => nodePort !== 0).length;
}

function loadBalancers(object: ApiObject): number {
  return (object as ApiObject & Service).spec.type === "LoadBalancer" ? 1 : 0;
}

function classOf(object: ApiObject | undefined): string {
  return (object as (ApiObject & PersistentVolumeClaim) | undefined)?.spec.storageClassName ?? "";
}
