// Which table belongs to which kind. A kind that is not here is shown by name and time of creation.

import type { JsonValue } from "../json.ts";
import { qualifiedResource } from "../kind.ts";
import type { ApiObject } from "../object.ts";
import { ageText } from "./column-texts.ts";
import { componentStatusTable } from "./component-table.ts";
import {
  configMapTable,
  leaseTable,
  namespaceTable,
  resourceQuotaTable,
  secretTable,
  serviceAccountTable,
} from "./config-tables.ts";
import { configRevisionTable, configViewTable, deliveryPolicyTable } from "./driftless-tables.ts";
import { eventsV1EventTable, eventTable } from "./event-tables.ts";
import { cronJobTable, jobTable } from "./job-tables.ts";
import {
  endpointSliceTable,
  endpointsTable,
  ingressTable,
  networkPolicyTable,
  serviceTable,
} from "./network-tables.ts";
import { nodeTable } from "./node-table.ts";
import { podTable } from "./pod-table.ts";
import { clusterRoleBindingTable, roleBindingTable } from "./rbac-tables.ts";
import { persistentVolumeClaimTable, persistentVolumeTable } from "./storage-tables.ts";
import {
  column,
  type Named,
  nameColumn,
  type RowCondition,
  type TableColumn,
  type TableDefinition,
  tableOfColumns,
} from "./table-column.ts";
import {
  controllerRevisionTable,
  daemonSetTable,
  deploymentTable,
  podDisruptionBudgetTable,
  replicaSetTable,
  replicationControllerTable,
  scaleTable,
  statefulSetTable,
} from "./workload-tables.ts";

export interface KindTable {
  readonly columns: readonly TableColumn[];
  /** One for each column; ages are counted up to `nowMs`. */
  cells(object: ApiObject, nowMs: number): JsonValue[];
  conditions(object: ApiObject): readonly RowCondition[];
  readonly hiddenAnnotation: string | undefined;
}

/** The table of a kind, or of the `scale.autoscaling` that several kinds have as a subresource. */
export function tableFor(kind: { readonly group: string; readonly resource: string }): KindTable {
  return tables.get(qualifiedResource(kind)) ?? defaultTable;
}

const defaultTable: KindTable = of<Named>(
  tableOfColumns<Named>(
    nameColumn(),
    column("Created At", ageText, ({ metadata }) => metadata?.creationTimestamp ?? null, {
      type: "date",
    }),
  ),
);

const tables: ReadonlyMap<string, KindTable> = new Map<string, KindTable>([
  ["configmaps", of(configMapTable)],
  ["endpoints", of(endpointsTable)],
  ["events", of(eventTable)],
  ["namespaces", of(namespaceTable)],
  ["componentstatuses", of(componentStatusTable)],
  ["nodes", of(nodeTable)],
  ["persistentvolumeclaims", of(persistentVolumeClaimTable)],
  ["persistentvolumes", of(persistentVolumeTable)],
  ["pods", of(podTable)],
  ["replicationcontrollers", of(replicationControllerTable)],
  ["resourcequotas", of(resourceQuotaTable)],
  ["secrets", of(secretTable)],
  ["serviceaccounts", of(serviceAccountTable)],
  ["services", of(serviceTable)],
  ["controllerrevisions.apps", of(controllerRevisionTable)],
  ["daemonsets.apps", of(daemonSetTable)],
  ["deployments.apps", of(deploymentTable)],
  ["replicasets.apps", of(replicaSetTable)],
  ["statefulsets.apps", of(statefulSetTable)],
  ["scale.autoscaling", of(scaleTable)],
  ["cronjobs.batch", of(cronJobTable)],
  ["jobs.batch", of(jobTable)],
  ["leases.coordination.k8s.io", of(leaseTable)],
  ["endpointslices.discovery.k8s.io", of(endpointSliceTable)],
  ["configrevisions.driftless.dev", of(configRevisionTable)],
  ["configviews.driftless.dev", of(configViewTable)],
  ["deliverypolicies.driftless.dev", of(deliveryPolicyTable)],
  ["events.events.k8s.io", of(eventsV1EventTable)],
  ["ingresses.networking.k8s.io", of(ingressTable)],
  ["networkpolicies.networking.k8s.io", of(networkPolicyTable)],
  ["poddisruptionbudgets.policy", of(podDisruptionBudgetTable)],
  ["clusterrolebindings.rbac.authorization.k8s.io", of(clusterRoleBindingTable)],
  ["rolebindings.rbac.authorization.k8s.io", of(roleBindingTable)],
]);

/** Objects of a kind have been decoded as that kind's type; here the compiler is told so. */
function of<T>(definition: TableDefinition<T>): KindTable {
  return {
    columns: definition.columns,
    cells: (object, nowMs) => definition.cells(object as unknown as T, nowMs),
    conditions: (object) => definition.conditions?.(object as unknown as T) ?? [],
    hiddenAnnotation: definition.hiddenAnnotation,
  };
}
