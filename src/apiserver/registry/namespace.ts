// Namespaces. A new one is active and held by the "kubernetes" finalizer, which goes when all that is in it has gone;
// who writes the namespace itself can change neither.

import { restoreTableOrder } from "../../api/defaults/table-order.ts";
import type { Namespace } from "../../api/types.ts";
import {
  validateNamespace,
  validateNamespaceFinalizeUpdate,
  validateNamespaceStatusUpdate,
  validateNamespaceUpdate,
} from "../../api/validation/namespace.ts";
import { servedKind } from "./served-kind.ts";
import { type Strategy, strategyOf } from "./strategy.ts";

const kind = servedKind("v1", "Namespace");
const nameLabel = "kubernetes.io/metadata.name";
const finalizer = "kubernetes";

export const namespaceStrategy: Strategy = strategyOf<Namespace>({
  kind,
  returnsDeleted: true,
  fieldLabels: { "status.phase": ({ status }) => status.phase ?? "" },

  applyDefaults(namespace): void {
    setNameLabel(namespace);
    namespace.status.phase ||= "Active";
    restoreTableOrder(kind.schema, namespace);
  },

  prepareForCreate(namespace): void {
    // Again, because the name may have been generated in between.
    setNameLabel(namespace);
    const finalizers = namespace.spec.finalizers ?? [];
    if (!finalizers.includes(finalizer)) namespace.spec.finalizers = [...finalizers, finalizer];
    namespace.status = { phase: "Active" };
    restoreTableOrder(kind.schema, namespace);
  },

  prepareForUpdate(namespace, old): void {
    namespace.spec = { ...namespace.spec, finalizers: old.spec.finalizers };
    namespace.status = old.status;
  },

  prepareForStatusUpdate(namespace, old): void {
    namespace.spec = old.spec;
  },

  validate: validateNamespace,
  validateUpdate: validateNamespaceUpdate,
  validateStatusUpdate: validateNamespaceStatusUpdate,

  subresourceUpdates: {
    finalize: {
      prepare(namespace, old): void {
        namespace.status = old.status;
      },
      validate: validateNamespaceFinalizeUpdate,
    },
  },

  /** Namespaces know no grace period: they go when they are empty. */
  markDeleted(namespace): Namespace {
    return {
      ...namespace,
      metadata: { ...namespace.metadata, deletionGracePeriodSeconds: undefined },
      status: { ...namespace.status, phase: "Terminating" },
    };
  },
});

function setNameLabel({ metadata }: Namespace): void {
  const { name = "" } = metadata;
  if (name === "" || metadata.labels?.[nameLabel] === name) return;
  metadata.labels = { ...metadata.labels, [nameLabel]: name };
}
