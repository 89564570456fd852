// The table of the parts of the control plane.

import type { ComponentCondition, ComponentStatus } from "../types.ts";
import { column, nameColumn, type TableDefinition, tableOfColumns } from "./table-column.ts";

export const componentStatusTable: TableDefinition<ComponentStatus> =
  tableOfColumns<ComponentStatus>(
    nameColumn(),
    column("Status", "Healthy, Unhealthy or Unknown", (component) => {
      const health = healthOf(component);
      if (health === undefined) return "Unknown";
      return health.status === "True" ? "Healthy" : "Unhealthy";
    }),
    column("Message", "What was found", (component) => healthOf(component)?.message ?? ""),
    column("Error", "Why it is not well", (component) => healthOf(component)?.error ?? ""),
  );

function healthOf({ conditions }: ComponentStatus): ComponentCondition | undefined {
  return conditions?.find(({ type }) => type === "Healthy");
}
