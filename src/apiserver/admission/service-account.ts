// Every pod has a service account: "default" if it names none. With it come a token, the credentials for images and,
// where the account says so, a limit to the Secrets that it lists.
//
// Nothing waits here. The account "default" is made by default-service-account.ts right after its namespace, and again
// if it is deleted; where that part runs, an account that is not there yet is taken for the empty one that it will be.

import type { ServiceAccount as Account, Container, Pod } from "../../api/types.ts";
import { entry, list } from "../../api/validation/absent.ts";
import type { Random } from "../../base/random.ts";
import type { KindCache } from "../cache/kind-cache.ts";
import type { AdmissionPlugin, AdmissionRequest } from "./admission.ts";
import { environmentSecrets, refersToSecrets } from "./pod-secrets.ts";
import { isAbout, refusal } from "./refusal.ts";
import { mountToken } from "./token-volume.ts";

export const DEFAULT_ACCOUNT = "default";
const mirrorKey = "kubernetes.io/config.mirror";
const mountableKey = "kubernetes.io/enforce-mountable-secrets";
/** What counts as true in the value of an annotation. */
const truths: ReadonlySet<string> = new Set(["1", "t", "T", "TRUE", "true", "True"]);

export interface ServiceAccountOptions {
  readonly serviceAccounts: KindCache;
  /** True where every namespace is given its account "default" anyway. False refuses pods until it is there. */
  readonly impliesDefault: boolean;
  readonly random: Random;
}

export class ServiceAccount implements AdmissionPlugin {
  readonly name = "ServiceAccount";
  readonly #options: ServiceAccountOptions;

  constructor(options: ServiceAccountOptions) {
    this.#options = options;
  }

  mutate(request: AdmissionRequest): void {
    const pod = podOf(request);
    if (pod === undefined || request.operation !== "CREATE" || isMirror(pod)) return;
    const { spec } = pod;
    if ((spec.serviceAccountName ?? "") === "") {
      spec.serviceAccountName = DEFAULT_ACCOUNT;
      spec.serviceAccount = DEFAULT_ACCOUNT;
    }
    const account = this.#accountOf(request, pod);
    const automount = spec.automountServiceAccountToken ?? account.automountServiceAccountToken;
    if (automount !== false) mountToken(pod, this.#options.random);
    const credentials = list(account.imagePullSecrets);
    if (list(spec.imagePullSecrets).length === 0 && credentials.length > 0) {
      spec.imagePullSecrets = credentials.map(({ name }) => ({
        ...(name !== undefined && { name }),
      }));
    }
  }

  judge(request: AdmissionRequest): void {
    const pod = podOf(request);
    if (pod === undefined) return;
    const { operation, subresource } = request;
    if (operation === "UPDATE" && subresource === "ephemeralcontainers") {
      this.#judgeSecrets(request, pod, debuggingProblem);
    }
    if (operation !== "CREATE") return;
    if (isMirror(pod)) refuseIf(request, mirrorProblem(pod));
    else this.#judgeSecrets(request, pod, podProblem);
  }

  #judgeSecrets(
    request: AdmissionRequest,
    pod: Pod,
    problemOf: (pod: Pod, account: Account) => string | undefined,
  ): void {
    if ((pod.spec.serviceAccountName ?? "") === "") {
      const { name = "" } = pod.metadata;
      throw refusal(request, `no service account specified for pod ${request.namespace}/${name}`);
    }
    const account = this.#accountOf(request, pod);
    const isStrict = truths.has(entry(account.metadata.annotations, mountableKey) ?? "");
    if (isStrict) refuseIf(request, problemOf(pod, account));
  }

  #accountOf(request: AdmissionRequest, { spec }: Pod): Account {
    const { serviceAccounts, impliesDefault } = this.#options;
    const { namespace } = request;
    const name = spec.serviceAccountName ?? "";
    const found = serviceAccounts.get(`${namespace}/${name}`)?.object;
    // As a kind's own cache holds them.
    if (found !== undefined) return found as Account & typeof found;
    if (impliesDefault && name === DEFAULT_ACCOUNT) return { metadata: { name, namespace } };
    throw refusal(
      request,
      `error looking up service account ${namespace}/${name}: serviceaccount ${JSON.stringify(name)} not found`,
    );
  }
}

function podOf(request: AdmissionRequest): Pod | undefined {
  const { object, subresource } = request;
  if (!isAbout(request, "", "pods") || object === undefined) return undefined;
  if (subresource !== "" && subresource !== "ephemeralcontainers") return undefined;
  return object as Pod & typeof object;
}

/** What a node shows of a pod that it runs on its own; the API must not change it. */
function isMirror({ metadata }: Pod): boolean {
  return entry(metadata.annotations, mirrorKey) !== undefined;
}

function mirrorProblem(pod: Pod): string | undefined {
  const { spec } = pod;
  if ((spec.serviceAccountName ?? "") !== "")
    return "a mirror pod may not reference service accounts";
  if (refersToSecrets(pod)) return "a mirror pod may not reference secrets";
  const hasToken = list(spec.volumes).some(({ projected }) =>
    list(projected?.sources).some(({ serviceAccountToken }) => serviceAccountToken !== undefined),
  );
  return hasToken ? "a mirror pod may not use ServiceAccountToken volume projections" : undefined;
}

function podProblem({ spec }: Pod, account: Account): string | undefined {
  const listed = new Set(list(account.secrets).map(({ name }) => name));
  const volume = list(spec.volumes).find(
    ({ secret }) => secret !== undefined && !listed.has(secret.secretName),
  );
  if (volume !== undefined) {
    return `volume with secret.secretName="${volume.secret?.secretName ?? ""}" ${notListed(account)}`;
  }
  const problem =
    containersProblem("init container", list(spec.initContainers), account) ??
    containersProblem("container", list(spec.containers), account);
  if (problem !== undefined) return problem;
  const credentials = new Set(list(account.imagePullSecrets).map(({ name }) => name));
  const given = list(spec.imagePullSecrets);
  const i = given.findIndex(({ name }) => !credentials.has(name));
  if (i === -1) return undefined;
  return `imagePullSecrets[${i}].name="${given[i]?.name ?? ""}" ${notListed(account, "imagePullSecret")}`;
}

function debuggingProblem({ spec }: Pod, account: Account): string | undefined {
  return containersProblem("ephemeral container", list(spec.ephemeralContainers), account);
}

function containersProblem(
  what: string,
  containers: readonly Container[],
  account: Account,
): string | undefined {
  const listed = new Set(list(account.secrets).map(({ name }) => name));
  for (const container of containers) {
    const use = environmentSecrets(container).find(({ secret }) => !listed.has(secret));
    if (use === undefined) continue;
    return `${what} ${container.name} with ${use.by} referencing secret.secretName="${use.secret}" ${notListed(account)}`;
  }
  return undefined;
}

function notListed({ metadata }: Account, what = "secret"): string {
  return `is not allowed because service account ${metadata.name ?? ""} does not reference that ${what}`;
}

function refuseIf(request: AdmissionRequest, problem: string | undefined): void {
  if (problem !== undefined) throw refusal(request, problem);
}
