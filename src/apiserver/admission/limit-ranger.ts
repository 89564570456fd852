// LimitRanges: containers that say nothing get the defaults of their namespace; containers, pods and claims that ask for
// too much or too little are refused.

import type { ApiObject } from "../../api/object.ts";
import type {
  Container,
  LimitRange,
  LimitRangeItem,
  PersistentVolumeClaim,
  Pod,
} from "../../api/types.ts";
import { list } from "../../api/validation/absent.ts";
import type { KindCache } from "../cache/kind-cache.ts";
import type { AdmissionPlugin, AdmissionRequest } from "./admission.ts";
import { type Asked, limitProblems, requestProblems } from "./limit-rules.ts";
import { podResources } from "./pod-resources.ts";
import { isAbout, joined, refusal } from "./refusal.ts";

const annotation = "kubernetes.io/limit-ranger";

export class LimitRanger implements AdmissionPlugin {
  readonly name = "LimitRanger";
  readonly #limitRanges: KindCache;

  constructor({ limitRanges }: { readonly limitRanges: KindCache }) {
    this.#limitRanges = limitRanges;
  }

  mutate(request: AdmissionRequest): void {
    const { object } = request;
    if (object === undefined || !isLimited(request) || !isAbout(request, "", "pods")) return;
    for (const range of this.#rangesOf(request)) setDefaults(object as ApiObject & Pod, range);
  }

  judge(request: AdmissionRequest): void {
    const { object } = request;
    if (object === undefined || !isLimited(request)) return;
    const problemsOf = isAbout(request, "", "pods")
      ? (limit: LimitRangeItem): string[] => podProblems(object as ApiObject & Pod, limit)
      : (limit: LimitRangeItem): string[] =>
          claimProblems(object as ApiObject & PersistentVolumeClaim, limit);
    for (const { spec } of this.#rangesOf(request)) {
      const problems = list(spec.limits).flatMap(problemsOf);
      if (problems.length > 0) throw refusal(request, joined(problems));
    }
  }

  #rangesOf({ namespace }: AdmissionRequest): LimitRange[] {
    return Array.from(
      this.#limitRanges.list(`${namespace}/`),
      ({ object }) => object as ApiObject & LimitRange,
    );
  }
}

/** A pod that runs is limited again only when it is resized; nothing is, on its way out. */
function isLimited(request: AdmissionRequest): boolean {
  const { operation, subresource, old } = request;
  if (old?.metadata.deletionTimestamp !== undefined) return false;
  if (isAbout(request, "", "pods")) {
    return subresource === "resize"
      ? operation === "UPDATE"
      : subresource === "" && operation === "CREATE";
  }
  const isClaim = isAbout(request, "", "persistentvolumeclaims") && subresource === "";
  return isClaim && (operation === "CREATE" || operation === "UPDATE");
}

/** Changes the pod, and says in an annotation how. A second time it changes nothing. */
function setDefaults(pod: Pod, { spec }: LimitRange): void {
  const limits = list(spec.limits).filter(({ type }) => type === "Container");
  const defaults: Asked = {
    requests: Object.assign({}, ...limits.map(({ defaultRequest }) => defaultRequest)) as Amounts,
    limits: Object.assign({}, ...limits.map((limit) => limit.default)) as Amounts,
  };
  const changes = [
    ...list(pod.spec.containers).flatMap((of) => completed(of, "container", defaults)),
    ...list(pod.spec.initContainers).flatMap((of) => completed(of, "init container", defaults)),
  ];
  if (changes.length === 0) return;
  pod.metadata.annotations = {
    ...pod.metadata.annotations,
    [annotation]: `LimitRanger plugin set: ${changes.join("; ")}`,
  };
}

type Amounts = { [name: string]: string };

/** Changes the container; says what was set. */
function completed(container: Container, what: string, defaults: Asked): string[] {
  const { resources } = container;
  return (["requests", "limits"] as const).flatMap((field) => {
    const given = resources[field] ?? {};
    const missing = Object.entries(defaults[field]).filter(([name]) => !Object.hasOwn(given, name));
    if (missing.length === 0) return [];
    resources[field] = { ...given, ...Object.fromEntries(missing) };
    const names = missing.map(([name]) => name).sort();
    return [`${names.join(", ")} ${field.slice(0, -1)} for ${what} ${container.name}`];
  });
}

function podProblems({ spec }: Pod, limit: LimitRangeItem): string[] {
  switch (limit.type) {
    case "Container":
      return [...list(spec.containers), ...list(spec.initContainers)].flatMap(
        ({ resources: { requests = {}, limits = {} } }) =>
          limitProblems(limit, { requests, limits }),
      );
    case "Pod":
      return limitProblems(limit, podResources(spec));
    default:
      return [];
  }
}

function claimProblems({ spec }: PersistentVolumeClaim, limit: LimitRangeItem): string[] {
  if (limit.type !== "PersistentVolumeClaim") return [];
  return requestProblems(limit, spec.resources?.requests ?? {});
}
