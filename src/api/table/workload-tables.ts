// Tables of what keeps pods running: how many there should be and how many there are.

import type {
  ControllerRevision,
  DaemonSet,
  Deployment,
  PodDisruptionBudget,
  PodSpec,
  ReplicaSet,
  ReplicationController,
  Scale,
  StatefulSet,
} from "../types.ts";
import { containerColumns, labelsText, none, selectorOr, selectorText } from "./cell-texts.ts";
import { daemonSetTexts, deploymentTexts, readyPodsText, replicaSetTexts } from "./column-texts.ts";
import {
  ageColumn,
  column,
  nameColumn,
  type TableDefinition,
  tableOfColumns,
} from "./table-column.ts";

const wide = { wide: true };
const integer = { type: "integer" } as const;

export const deploymentTable: TableDefinition<Deployment> = tableOfColumns<Deployment>(
  nameColumn(),
  column("Ready", readyPodsText, readyText),
  column("Up-to-date", deploymentTexts.upToDate, ({ status }) => status?.updatedReplicas ?? 0),
  column("Available", deploymentTexts.available, ({ status }) => status?.availableReplicas ?? 0),
  ageColumn(),
  ...containerColumns(templateSpec),
  column(
    "Selector",
    deploymentTexts.selector,
    ({ spec }) => selectorOr(spec?.selector, "<invalid>"),
    wide,
  ),
);

export const replicaSetTable: TableDefinition<ReplicaSet> = tableOfColumns<ReplicaSet>(
  nameColumn(),
  column("Desired", replicaSetTexts.desired, ({ spec }) => spec?.replicas ?? 0, integer),
  column("Current", replicaSetTexts.current, ({ status }) => status?.replicas ?? 0, integer),
  column("Ready", replicaSetTexts.ready, ({ status }) => status?.readyReplicas ?? 0, integer),
  ageColumn(),
  ...containerColumns(templateSpec),
  column("Selector", replicaSetTexts.selector, ({ spec }) => selectorText(spec?.selector), wide),
);

export const replicationControllerTable: TableDefinition<ReplicationController> =
  tableOfColumns<ReplicationController>(
    nameColumn(),
    column("Desired", "How many pods there should be", ({ spec }) => spec?.replicas ?? 0, integer),
    column("Current", "How many pods there are", ({ status }) => status?.replicas ?? 0, integer),
    column("Ready", "How many are ready", ({ status }) => status?.readyReplicas ?? 0, integer),
    ageColumn(),
    ...containerColumns(templateSpec),
    column("Selector", "Labels of its pods", ({ spec }) => labelsText(spec?.selector), wide),
  );

export const daemonSetTable: TableDefinition<DaemonSet> = {
  ...tableOfColumns<DaemonSet>(
    nameColumn(),
    column(
      "Desired",
      daemonSetTexts.desired,
      ({ status }) => status?.desiredNumberScheduled ?? 0,
      integer,
    ),
    column(
      "Current",
      daemonSetTexts.current,
      ({ status }) => status?.currentNumberScheduled ?? 0,
      integer,
    ),
    column("Ready", daemonSetTexts.ready, ({ status }) => status?.numberReady ?? 0, integer),
    column(
      "Up-to-date",
      daemonSetTexts.upToDate,
      ({ status }) => status?.updatedNumberScheduled ?? 0,
      integer,
    ),
    column(
      "Available",
      daemonSetTexts.available,
      ({ status }) => status?.numberAvailable ?? 0,
      integer,
    ),
    column("Node Selector", daemonSetTexts.nodeSelector, (set) =>
      labelsText(templateSpec(set)?.nodeSelector),
    ),
    ageColumn(),
    ...containerColumns(templateSpec),
    column("Selector", daemonSetTexts.selector, ({ spec }) => selectorText(spec?.selector), wide),
  ),
  // Made when a client is sent the object itself.
  hiddenAnnotation: "deprecated.daemonset.template.generation",
};

export const statefulSetTable: TableDefinition<StatefulSet> = tableOfColumns<StatefulSet>(
  nameColumn(),
  column("Ready", readyPodsText, readyText),
  ageColumn(),
  ...containerColumns(templateSpec),
);

export const controllerRevisionTable: TableDefinition<ControllerRevision> =
  tableOfColumns<ControllerRevision>(
    nameColumn(),
    column("Controller", "Whose revision this is", controllerText),
    column("Revision", "Its number; later ones are higher", ({ revision }) => revision ?? 0),
    ageColumn(),
  );

export const podDisruptionBudgetTable: TableDefinition<PodDisruptionBudget> =
  tableOfColumns<PodDisruptionBudget>(
    nameColumn(),
    column("Min Available", "How many pods must stay available", ({ spec }) =>
      String(spec?.minAvailable ?? "N/A"),
    ),
    column("Max Unavailable", "How many pods may be unavailable", ({ spec }) =>
      String(spec?.maxUnavailable ?? "N/A"),
    ),
    column(
      "Allowed Disruptions",
      "How many pods may be disrupted now",
      ({ status }) => status?.disruptionsAllowed ?? 0,
      integer,
    ),
    ageColumn(),
  );

export const scaleTable: TableDefinition<Scale> = tableOfColumns<Scale>(
  nameColumn({ format: "" }),
  column("Desired", "How many pods there should be", ({ spec }) => spec?.replicas ?? 0, integer),
  column("Available", "How many pods there are", ({ status }) => status?.replicas ?? 0, integer),
  ageColumn(),
);

interface Template {
  readonly spec?: { readonly template?: { readonly spec?: PodSpec | undefined } | undefined };
}

function templateSpec({ spec }: Template): PodSpec | undefined {
  return spec?.template?.spec;
}

/** "1/3" */
function readyText({
  spec,
  status,
}: {
  readonly spec?: { readonly replicas?: number | undefined };
  readonly status?: { readonly readyReplicas?: number | undefined };
}): string {
  return `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`;
}

/** "daemonset.apps/web" */
function controllerText({ metadata }: ControllerRevision): string {
  const owner = metadata?.ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined) return none;
  const { apiVersion, kind, name } = owner;
  const group = apiVersion.includes("/") ? `.${apiVersion.slice(0, apiVersion.indexOf("/"))}` : "";
  return `${`${kind}${group}`.toLowerCase()}/${name}`;
}
