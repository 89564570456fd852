// What is particular to a kind when the simulated cluster writes an object of it: defaults, what clients may not set, what counts as a
// generation, how long it takes to go. The same as the real server does, for the kinds that controllers deal with; all others
// are stored as they are sent.

import { setDaemonSetDefaults } from "../../api/defaults/daemon-set.ts";
import { setDeploymentDefaults } from "../../api/defaults/deployment.ts";
import { setPodDefaults } from "../../api/defaults/pod.ts";
import { qosClassOf } from "../../api/defaults/pod-qos.ts";
import { setReplicaSetDefaults } from "../../api/defaults/replica-set.ts";
import { setSecretDefaults } from "../../api/defaults/secret.ts";
import { applyTableDefaults } from "../../api/defaults/table-defaults.ts";
import { restoreTableOrder } from "../../api/defaults/table-order.ts";
import { apiVersionOf, type Kind } from "../../api/kind.ts";
import type { ApiObject } from "../../api/object.ts";
import { zeroOf } from "../../api/object-form.ts";
import type {
  DaemonSet,
  Deployment,
  Lease,
  Namespace,
  Node,
  Pod,
  ReplicaSet,
  Secret,
  ServiceAccount,
} from "../../api/types.ts";
import {
  templateGenerationAnnotation,
  templateGenerationOf,
  validateDaemonSet,
  validateDaemonSetStatusUpdate,
  validateDaemonSetUpdate,
} from "../../api/validation/daemon-set.ts";
import {
  validateDeployment,
  validateDeploymentStatusUpdate,
  validateDeploymentUpdate,
} from "../../api/validation/deployment.ts";
import type { FieldError } from "../../api/validation/field-error.ts";
import { validateLease, validateLeaseUpdate } from "../../api/validation/lease.ts";
import {
  validateNamespace,
  validateNamespaceFinalizeUpdate,
  validateNamespaceStatusUpdate,
  validateNamespaceUpdate,
} from "../../api/validation/namespace.ts";
import { validateNode, validateNodeChange, validateNodeUpdate } from "../../api/validation/node.ts";
import { validatePod } from "../../api/validation/pod.ts";
import { validatePodStatusUpdate } from "../../api/validation/pod-status.ts";
import { validatePodUpdate } from "../../api/validation/pod-update.ts";
import {
  validateReplicaSet,
  validateReplicaSetStatusUpdate,
  validateReplicaSetUpdate,
} from "../../api/validation/replica-set.ts";
import { validateSecret, validateSecretUpdate } from "../../api/validation/secret.ts";
import { semanticEqual } from "../../api/validation/semantic-equal.ts";
import {
  validateServiceAccount,
  validateServiceAccountUpdate,
} from "../../api/validation/service-account.ts";

type Judge<T> = (object: T, old: T) => readonly FieldError[];

export interface SimRules<T = ApiObject> {
  readonly countsGenerations?: boolean;
  readonly createsOnUpdate?: boolean;
  readonly requiresResourceVersion?: boolean;
  readonly returnsDeleted?: boolean;
  readonly orphansByDefault?: boolean;
  /** All of these change the object. */
  readonly setDefaults?: (object: T) => void;
  readonly prepareForCreate?: (object: T) => void;
  readonly prepareForUpdate?: (object: T, old: T) => void;
  readonly prepareForStatusUpdate?: (object: T, old: T) => void;
  readonly validate?: (object: T) => readonly FieldError[];
  readonly validateUpdate?: Judge<T>;
  readonly validateStatusUpdate?: Judge<T>;
  readonly validateFinalize?: Judge<T>;
  /** In seconds; undefined for kinds that know no grace. */
  readonly gracePeriod?: (object: T, requested: number | undefined) => number;
  readonly markDeleted?: (object: T) => T;
}

const POD: SimRules<Pod> = {
  countsGenerations: true,
  returnsDeleted: true,
  setDefaults: setPodDefaults,
  prepareForCreate(pod) {
    tolerateLostNodes(pod);
    pod.status = { phase: "Pending", qosClass: qosClassOf(pod.spec) };
  },
  prepareForUpdate(pod, old) {
    pod.status = old.status;
    tolerateLostNodes(pod);
  },
  prepareForStatusUpdate(pod, old) {
    pod.spec = old.spec;
    pod.metadata = { ...pod.metadata, ownerReferences: old.metadata.ownerReferences };
    pod.status = { ...pod.status, qosClass: pod.status.qosClass || old.status.qosClass };
  },
  validate: validatePod,
  validateUpdate: validatePodUpdate,
  validateStatusUpdate: validatePodStatusUpdate,
  gracePeriod({ spec, status }, requested) {
    const isOver = status.phase === "Failed" || status.phase === "Succeeded";
    if ((spec.nodeName ?? "") === "" || isOver) return 0;
    const seconds = requested ?? spec.terminationGracePeriodSeconds ?? 0;
    return seconds < 0 ? 1 : seconds;
  },
};

/** As the admission plug-in does that is always on. */
function tolerateLostNodes({ spec }: Pod): void {
  for (const key of ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"]) {
    const isTolerated = (spec.tolerations ?? []).some(
      (one) =>
        ((one.key ?? "") === key || (one.key ?? "") === "") &&
        ["", "NoExecute"].includes(one.effect ?? ""),
    );
    if (isTolerated) continue;
    spec.tolerations = [
      ...(spec.tolerations ?? []),
      { key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 },
    ];
  }
  spec.priority ??= 0;
  spec.preemptionPolicy ??= "PreemptLowerPriority";
}

const DEPLOYMENT: SimRules<Deployment> = {
  countsGenerations: true,
  setDefaults: setDeploymentDefaults,
  prepareForUpdate({ metadata }, old) {
    if (semanticEqual(metadata.annotations ?? {}, old.metadata.annotations ?? {})) return;
    metadata.generation = (old.metadata.generation ?? 0) + 1;
  },
  prepareForStatusUpdate({ metadata }, old) {
    metadata.labels = old.metadata.labels;
  },
  validate: validateDeployment,
  validateUpdate: validateDeploymentUpdate,
  validateStatusUpdate: validateDeploymentStatusUpdate,
};

const REPLICA_SET: SimRules<ReplicaSet> = {
  countsGenerations: true,
  setDefaults: setReplicaSetDefaults,
  validate: validateReplicaSet,
  validateUpdate: validateReplicaSetUpdate,
  validateStatusUpdate: validateReplicaSetStatusUpdate,
};

const DAEMON_SET: SimRules<DaemonSet> = {
  countsGenerations: true,
  setDefaults: setDaemonSetDefaults,
  prepareForCreate(set) {
    setTemplateGeneration(set, Math.max(1, templateGenerationOf(set)));
  },
  prepareForUpdate(set, old) {
    const isSame = semanticEqual(set.spec.template, old.spec.template);
    setTemplateGeneration(set, templateGenerationOf(old) + (isSame ? 0 : 1));
  },
  validate: validateDaemonSet,
  validateUpdate: validateDaemonSetUpdate,
  validateStatusUpdate: validateDaemonSetStatusUpdate,
};

function setTemplateGeneration({ metadata }: DaemonSet, generation: number): void {
  const annotations = { ...metadata.annotations };
  annotations[templateGenerationAnnotation] = String(generation);
  metadata.annotations = annotations;
}

const NOT_READY = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };

const NODE: SimRules<Node> = {
  setDefaults({ status }) {
    if (status.allocatable === undefined && status.capacity !== undefined) {
      status.allocatable = { ...status.capacity };
    }
  },
  prepareForCreate({ spec }) {
    const taints = spec.taints ?? [];
    const isTainted = taints.some(
      ({ key, effect }) => key === NOT_READY.key && effect === NOT_READY.effect,
    );
    if (!isTainted) spec.taints = [...taints, { ...NOT_READY }];
  },
  validate: validateNode,
  validateUpdate: validateNodeUpdate,
  validateStatusUpdate: validateNodeChange,
};

const NAMESPACE: SimRules<Namespace> = {
  returnsDeleted: true,
  setDefaults({ metadata, status }) {
    const { name = "" } = metadata;
    if (name !== "") {
      metadata.labels = { ...metadata.labels, "kubernetes.io/metadata.name": name };
    }
    status.phase ||= "Active";
  },
  prepareForCreate(namespace) {
    const finalizers = namespace.spec.finalizers ?? [];
    if (!finalizers.includes("kubernetes")) {
      namespace.spec.finalizers = [...finalizers, "kubernetes"];
    }
    namespace.status = { phase: "Active" };
  },
  prepareForUpdate(namespace, old) {
    namespace.spec = { ...namespace.spec, finalizers: old.spec.finalizers };
  },
  validate: validateNamespace,
  validateUpdate: validateNamespaceUpdate,
  validateStatusUpdate: validateNamespaceStatusUpdate,
  validateFinalize: validateNamespaceFinalizeUpdate,
  markDeleted: (namespace) => ({
    ...namespace,
    metadata: { ...namespace.metadata, deletionGracePeriodSeconds: undefined },
    status: { ...namespace.status, phase: "Terminating" },
  }),
};

const LEASE: SimRules<Lease> = {
  createsOnUpdate: true,
  requiresResourceVersion: true,
  validate: validateLease,
  validateUpdate: validateLeaseUpdate,
};

const SECRET: SimRules<Secret> = {
  setDefaults: setSecretDefaults,
  validate: validateSecret,
  validateUpdate: validateSecretUpdate,
};

const SERVICE_ACCOUNT: SimRules<ServiceAccount> = {
  returnsDeleted: true,
  validate: validateServiceAccount,
  validateUpdate: validateServiceAccountUpdate,
};

const RULES: Readonly<Record<string, SimRules>> = {
  "v1/Pod": forAny(POD),
  "v1/Node": forAny(NODE),
  "v1/Namespace": forAny(NAMESPACE),
  "v1/Secret": forAny(SECRET),
  "v1/ServiceAccount": forAny(SERVICE_ACCOUNT),
  "v1/Event": { createsOnUpdate: true },
  "v1/ReplicationController": { countsGenerations: true, orphansByDefault: true },
  "v1/Service": { createsOnUpdate: true, returnsDeleted: true },
  "apps/v1/Deployment": forAny(DEPLOYMENT),
  "apps/v1/ReplicaSet": forAny(REPLICA_SET),
  "apps/v1/DaemonSet": forAny(DAEMON_SET),
  "apps/v1/StatefulSet": { countsGenerations: true },
  "batch/v1/Job": { countsGenerations: true, orphansByDefault: true },
  "batch/v1/CronJob": { countsGenerations: true },
  "policy/v1/PodDisruptionBudget": { countsGenerations: true, requiresResourceVersion: true },
  "coordination.k8s.io/v1/Lease": forAny(LEASE),
};

/** Whoever asks gives it objects of that kind only. */
export function rulesOf(kind: Kind): SimRules {
  return RULES[`${apiVersionOf(kind)}/${kind.kind}`] ?? {};
}

function forAny<T>(rules: SimRules<T>): SimRules {
  return rules as unknown as SimRules;
}

/** Changes the object: fills in what was left out. */
export function applyDefaults(kind: Kind, object: ApiObject): void {
  rulesOf(kind).setDefaults?.(object);
  applyTableDefaults(kind.schema, object);
  restoreTableOrder(kind.schema, object);
}

/** Changes a new object: its status is the server's. */
export function prepareForCreate(kind: Kind, object: ApiObject): void {
  const status = kind.schema.fields.get("status");
  // Nodes say themselves how they are when they come.
  if (status !== undefined && kind.kind !== "Node") object["status"] = zeroOf(status);
  rulesOf(kind).prepareForCreate?.(object);
  restoreTableOrder(kind.schema, object);
}

/** Changes the new object: what this endpoint may not touch comes from the old one. */
export function prepareForUpdate(
  kind: Kind,
  { object, old, subresource }: { object: ApiObject; old: ApiObject; subresource: string },
): void {
  const rules = rulesOf(kind);
  if (subresource === "status") {
    for (const field of kind.schema.fields.keys()) {
      if (field !== "metadata" && field !== "status") object[field] = old[field];
    }
    rules.prepareForStatusUpdate?.(object, old);
  } else {
    if (kind.schema.fields.has("status")) object["status"] = old["status"];
    if (subresource !== "finalize") rules.prepareForUpdate?.(object, old);
  }
  restoreTableOrder(kind.schema, object);
}

export function judgeUpdate(
  kind: Kind,
  { object, old, subresource }: { object: ApiObject; old: ApiObject; subresource: string },
): readonly FieldError[] {
  const { validateUpdate, validateStatusUpdate, validateFinalize } = rulesOf(kind);
  const judge =
    subresource === "status"
      ? (validateStatusUpdate ?? validateUpdate)
      : subresource === "finalize"
        ? validateFinalize
        : validateUpdate;
  return judge?.(object, old) ?? [];
}
