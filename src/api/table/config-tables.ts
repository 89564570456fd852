// Tables of what holds configuration, of who owns it and of where it lives.

import type {
  ConfigMap,
  Lease,
  Namespace,
  ResourceQuota,
  Secret,
  ServiceAccount,
} from "../types.ts";
import { configMapTexts, leaseTexts, namespaceTexts, secretTexts } from "./column-texts.ts";
import {
  ageColumn,
  column,
  nameColumn,
  type TableDefinition,
  tableOfColumns,
} from "./table-column.ts";

export const configMapTable: TableDefinition<ConfigMap> = tableOfColumns<ConfigMap>(
  nameColumn(),
  column("Data", configMapTexts.data, ({ data, binaryData }) => sizeOf(data) + sizeOf(binaryData)),
  ageColumn(),
);

export const secretTable: TableDefinition<Secret> = tableOfColumns<Secret>(
  nameColumn(),
  column("Type", secretTexts.type, ({ type }) => type ?? ""),
  column("Data", secretTexts.data, ({ data }) => sizeOf(data)),
  ageColumn(),
);

export const serviceAccountTable: TableDefinition<ServiceAccount> = tableOfColumns<ServiceAccount>(
  nameColumn(),
  ageColumn(),
);

export const namespaceTable: TableDefinition<Namespace> = tableOfColumns<Namespace>(
  nameColumn(),
  column("Status", namespaceTexts.status, ({ status }) => status?.phase ?? ""),
  ageColumn(),
);

export const leaseTable: TableDefinition<Lease> = tableOfColumns<Lease>(
  nameColumn(),
  column("Holder", leaseTexts.holder, ({ spec }) => spec?.holderIdentity ?? ""),
  ageColumn(),
);

export const resourceQuotaTable: TableDefinition<ResourceQuota> = tableOfColumns<ResourceQuota>(
  nameColumn(),
  column("Request", "Used and allowed, of everything but limits", (quota) => usage(quota, false)),
  column("Limit", "Used and allowed, of limits", (quota) => usage(quota, true)),
  ageColumn(),
);

/** "cpu: 1/4, pods: 2/10" */
function usage({ status }: ResourceQuota, limits: boolean): string {
  return Object.entries(status?.hard ?? {})
    .filter(([resource]) => resource.startsWith("limits.") === limits)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([resource, hard]) => `${resource}: ${status?.used?.[resource] ?? "0"}/${hard}`)
    .join(", ");
}

function sizeOf(map: Readonly<Record<string, unknown>> | undefined): number {
  return Object.keys(map ?? {}).length;
}
