// Objects live in namespaces that are there and stay; some namespaces stay for ever. What is in a namespace on its way
// out can still be changed and deleted: that is how it empties.

import { forbidden, notFound } from "../../api/status-error.ts";
import type { KindCache } from "../cache/kind-cache.ts";
import { servedKind } from "../registry/served-kind.ts";
import type { AdmissionPlugin, AdmissionRequest } from "./admission.ts";
import { isAbout, refusal } from "./refusal.ts";

const immortal: ReadonlySet<string> = new Set(["default", "kube-system", "kube-public"]);
const namespaceKind = servedKind("v1", "Namespace");

export class NamespaceLifecycle implements AdmissionPlugin {
  readonly name = "NamespaceLifecycle";
  readonly #namespaces: KindCache;

  constructor({ namespaces }: { readonly namespaces: KindCache }) {
    this.#namespaces = namespaces;
  }

  /** Before all others: what they would say of an object in no namespace leads nobody anywhere. */
  mutate(request: AdmissionRequest): void {
    this.judge(request);
  }

  judge(request: AdmissionRequest): void {
    const { operation, name, namespace } = request;
    if (isAbout(request, "", "namespaces")) {
      if (operation !== "DELETE" || !immortal.has(name)) return;
      throw forbidden(namespaceKind, name, "this namespace may not be deleted");
    }
    if (operation !== "CREATE" || namespace === "" || isAccessReview(request)) return;
    const found = this.#namespaces.get(namespace)?.object;
    if (found === undefined) throw notFound(namespaceKind, namespace);
    if (found.metadata.deletionTimestamp === undefined) return;
    throw refusal(
      request,
      `unable to create new content in namespace ${namespace} because it is being terminated`,
      [
        {
          reason: "NamespaceTerminating",
          message: `namespace ${namespace} is being terminated`,
          field: "metadata.namespace",
        },
      ],
    );
  }
}

/** Whoever asks about rights must not learn from the answer which namespaces there are. */
function isAccessReview(request: AdmissionRequest): boolean {
  return isAbout(request, "authorization.k8s.io", "localsubjectaccessreviews");
}
