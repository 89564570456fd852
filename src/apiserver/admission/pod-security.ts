// Pods that may do more than their namespace allows are refused, noted or warned of, as its labels say. Of objects that
// make pods only the templates are looked at, and those are never refused: their pods will be.

import type { ApiObject } from "../../api/object.ts";
import { forbidden, internalError, invalid } from "../../api/status-error.ts";
import type { Container, Pod } from "../../api/types.ts";
import { list } from "../../api/validation/absent.ts";
import type { FieldError } from "../../api/validation/field-error.ts";
import { goQuote } from "../../api/validation/go-text.ts";
import type { KindCache } from "../cache/kind-cache.ts";
import type { AdmissionPlugin, AdmissionRequest } from "./admission.ts";
import { detailsOf, evaluate } from "./pod-security/evaluate.ts";
import { warningsAbout } from "./pod-security/existing-pods.ts";
import type { PodLike } from "./pod-security/findings.ts";
import { ignoredLabels, type LabelledNamespace } from "./pod-security/ignored-labels.ts";
import { templateIn } from "./pod-security/pod-of.ts";
import {
  isFullyPrivileged,
  isSame,
  isStricter,
  type LevelVersion,
  labelPrefix,
  type Policy,
  policyOf,
  privileged,
  type ReadPolicy,
  textOf,
} from "./pod-security/policy.ts";
import { isAbout, joined } from "./refusal.ts";

/** Written by others than those who decide what runs: how it went, where it runs, who looks into it. */
const ignoredSubresources: ReadonlySet<string> = new Set([
  "exec",
  "attach",
  "binding",
  "eviction",
  "log",
  "portforward",
  "proxy",
  "status",
]);

export interface Exemptions {
  readonly namespaces: readonly string[];
  readonly usernames: readonly string[];
  readonly runtimeClasses: readonly string[];
}

export interface PodSecurityOptions {
  readonly namespaces: KindCache;
  readonly pods: KindCache;
  /** Where a namespace has no labels. */
  readonly defaults?: Policy;
  readonly exemptions?: Exemptions;
}

const noExemptions: Exemptions = { namespaces: [], usernames: [], runtimeClasses: [] };

export class PodSecurity implements AdmissionPlugin {
  readonly name = "PodSecurity";
  readonly #namespaces: KindCache;
  readonly #pods: KindCache;
  readonly #defaults: Policy;
  readonly #exemptions: Exemptions;

  constructor({ namespaces, pods, defaults, exemptions }: PodSecurityOptions) {
    this.#namespaces = namespaces;
    this.#pods = pods;
    this.#defaults = defaults ?? privileged;
    this.#exemptions = exemptions ?? noExemptions;
  }

  judge(request: AdmissionRequest): void {
    const { operation, object, subresource } = request;
    if (object === undefined || (operation !== "CREATE" && operation !== "UPDATE")) return;
    if (isAbout(request, "", "pods")) {
      if (!ignoredSubresources.has(subresource)) this.#judgePod(request, object as ApiObject & Pod);
      return;
    }
    if (subresource !== "") return;
    if (isAbout(request, "", "namespaces")) this.#judgeNamespace(request, object);
    else this.#judgeTemplate(request, templateIn(request.kind, object));
  }

  #judgePod(request: AdmissionRequest, pod: ApiObject & Pod): void {
    const { namespace, operation, old } = request;
    // First, so that the last finalizer of a pod can go when its namespace has gone.
    if (operation === "UPDATE" && !isSignificant(pod, old as (ApiObject & Pod) | undefined)) return;
    if (this.#isExempt(request, pod)) return;
    const read = this.#policyIn(namespace);
    if (read === undefined) throw internalError(failedLookup(namespace));
    if (read.errors.length === 0 && isFullyPrivileged(read.policy)) {
      note(request, "enforce-policy", textOf(privileged.enforce));
      return;
    }
    const { enforce } = read.policy;
    note(request, "enforce-policy", textOf(enforce));
    const findings = evaluate(enforce, pod);
    this.#audit(request, pod, read);
    if (findings.length === 0) {
      warn(request, pod, read.policy.warn);
      return;
    }
    throw forbidden(
      request.kind,
      request.name || (pod.metadata.name ?? ""),
      `violates PodSecurity ${goQuote(textOf(enforce))}: ${detailsOf(findings)}`,
    );
  }

  #judgeTemplate(request: AdmissionRequest, template: PodLike | undefined): void {
    if (template === undefined || this.#isExempt(request, template)) return;
    const { namespace } = request;
    const read = this.#policyIn(namespace);
    if (read === undefined) {
      note(
        request,
        "error",
        `${failedLookup(namespace)}: namespaces ${goQuote(namespace)} not found`,
      );
      return;
    }
    this.#audit(request, template, read);
    warn(request, template, read.policy.warn);
  }

  #audit(request: AdmissionRequest, pod: PodLike, { policy, errors }: ReadPolicy): void {
    if (errors.length > 0) note(request, "error", `Failed to parse policy: ${textsOf(errors)}`);
    const findings = evaluate(policy.audit, pod);
    if (findings.length > 0) {
      note(request, "audit-violations", wouldViolate(policy.audit, detailsOf(findings)));
    }
  }

  #judgeNamespace(request: AdmissionRequest, { metadata }: ApiObject): void {
    const name = request.name || (metadata.name ?? "");
    const now = policyOf(metadata.labels, this.#defaults);
    const before =
      request.operation === "UPDATE"
        ? policyOf(request.old?.metadata.labels, this.#defaults)
        : undefined;
    const isNews = textsOf(now.errors) !== textsOf(before?.errors ?? []);
    if (now.errors.length > 0 && isNews) throw invalid(request.kind, name, now.errors);
    const { policy } = now;
    if (before !== undefined && !isTightened(policy.enforce, before.policy.enforce)) return;
    request.warnings.push(...this.#labelWarnings({ name, policy, labels: metadata.labels ?? {} }));
  }

  #labelWarnings(namespace: LabelledNamespace): string[] {
    const { name, policy } = namespace;
    if (this.#exemptions.namespaces.includes(name)) return ignoredLabels(namespace, this.#defaults);
    const { enforce } = policy;
    return warningsAbout({ namespace: name, pods: this.#podsIn(name), enforce });
  }

  #podsIn(namespace: string): Pod[] {
    const { runtimeClasses } = this.#exemptions;
    return Array.from(
      this.#pods.list(`${namespace}/`),
      ({ object }) => object as ApiObject & Pod,
    ).filter(({ spec }) => !runtimeClasses.includes(spec.runtimeClassName ?? ""));
  }

  #isExempt(request: AdmissionRequest, { spec }: PodLike): boolean {
    const { namespaces, usernames, runtimeClasses } = this.#exemptions;
    const by = [
      ...(namespaces.includes(request.namespace) ? ["namespace"] : []),
      ...(usernames.includes(request.user.name) ? ["user"] : []),
      ...(runtimeClasses.includes(spec.runtimeClassName ?? "") ? ["runtimeClass"] : []),
    ];
    if (by[0] !== undefined) note(request, "exempt", by[0]);
    return by.length > 0;
  }

  #policyIn(namespace: string): ReadPolicy | undefined {
    const found = this.#namespaces.get(namespace);
    return found && policyOf(found.object.metadata.labels, this.#defaults);
  }
}

function failedLookup(namespace: string): string {
  return `failed to lookup namespace ${goQuote(namespace)}`;
}

function note({ annotations }: AdmissionRequest, key: string, value: string): void {
  annotations.set(labelPrefix + key, value);
}

function warn({ warnings }: AdmissionRequest, pod: PodLike, level: LevelVersion): void {
  const findings = evaluate(level, pod);
  if (findings.length > 0) warnings.push(wouldViolate(level, detailsOf(findings)));
}

function wouldViolate(level: LevelVersion, details: string): string {
  return `would violate PodSecurity ${goQuote(textOf(level))}: ${details}`;
}

function textsOf(errors: readonly FieldError[]): string {
  return joined(errors.map(({ field, message }) => `${field}: ${message}`));
}

function isTightened(now: LevelVersion, before: LevelVersion): boolean {
  if (now.level === "privileged" || isSame(now, before)) return false;
  return now.version !== before.version || isStricter(now.level, before.level);
}

/** A pod that runs keeps running: only new programs in it are looked at. */
function isSignificant({ spec }: Pod, old: Pod | undefined): boolean {
  if (old === undefined) return true;
  const added = list<Container>(spec.ephemeralContainers).some((container) => {
    const before = list(old.spec.ephemeralContainers).find(({ name }) => name === container.name);
    return before === undefined || before.image !== container.image;
  });
  return (
    added ||
    (["containers", "initContainers"] as const).some((field) => {
      const [now, before] = [list(spec[field]), list(old.spec[field])];
      return now.length !== before.length || now.some(({ image }, i) => image !== before[i]?.image);
    })
  );
}
