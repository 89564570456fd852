// The table of pods. Pods that have ended say so in their rows, so that clients can tell them apart.

import type { Pod } from "../types.ts";
import { isConditionTrue, none, orNone } from "./cell-texts.ts";
import { podTexts } from "./column-texts.ts";
import { type PodSummary, podSummary } from "./pod-status.ts";
import {
  ageColumn,
  type ColumnOf,
  column,
  nameColumn,
  type RowCondition,
  type TableDefinition,
  tableOfRows,
} from "./table-column.ts";

export const podTable: TableDefinition<Pod> = {
  ...tableOfRows(
    podSummary,
    ofPod(nameColumn()),
    column("Ready", podTexts.ready, ({ ready, total }) => `${ready}/${total}`),
    column("Status", podTexts.status, ({ status }) => status),
    column("Restarts", podTexts.restarts, ({ restarts }) => restarts),
    ofPod(ageColumn()),
    ofPod(
      column("IP", podTexts.ip, ({ status }) => orNone(status?.podIPs?.[0]?.ip), { wide: true }),
    ),
    ofPod(column("Node", podTexts.node, ({ spec }) => orNone(spec?.nodeName), { wide: true })),
    ofPod(
      column(
        "Nominated Node",
        podTexts.nominatedNode,
        ({ status }) => orNone(status?.nominatedNodeName),
        { wide: true },
      ),
    ),
    ofPod(column("Readiness Gates", podTexts.readinessGates, gatesText, { wide: true })),
  ),
  conditions: (pod) => endedConditions[pod.status?.phase ?? ""] ?? [],
};

const endedConditions: Readonly<Record<string, readonly RowCondition[]>> = {
  Succeeded: [completed("Succeeded", "The pod has completed successfully.")],
  Failed: [completed("Failed", "The pod failed.")],
};

function completed(reason: string, message: string): RowCondition {
  return { type: "Completed", status: "True", reason, message };
}

function gatesText({ spec, status }: Pod): string {
  const gates = spec?.readinessGates ?? [];
  if (gates.length === 0) return none;
  const open = gates.filter(({ conditionType }) =>
    isConditionTrue(status?.conditions, conditionType ?? ""),
  );
  return `${open.length}/${gates.length}`;
}

function ofPod(of: ColumnOf<Pod>): ColumnOf<PodSummary> {
  return { column: of.column, cell: ({ pod }, nowMs) => of.cell(pod, nowMs) };
}
