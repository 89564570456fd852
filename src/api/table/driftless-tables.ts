// Tables of our own kinds: what changed, who has it, and how changes travel.

import { judgeUse } from "../config/use-state.ts";
import { ageOf } from "../duration.ts";
import type { ConfigRevision, ConfigView, DeliveryPolicy } from "../types.ts";
import { isConditionTrue, none, orNone, selectorText } from "./cell-texts.ts";
import { ageText } from "./column-texts.ts";
import {
  ageColumn,
  column,
  nameColumn,
  type TableDefinition,
  tableOfColumns,
} from "./table-column.ts";

const wide = { wide: true };
/** Of a content hash: enough to tell versions apart, and what the tools accept. */
const shortHashLength = 10;

export const configRevisionTable: TableDefinition<ConfigRevision> = tableOfColumns<ConfigRevision>(
  nameColumn(),
  column("Number", "Counts the contents of the object", ({ number }) => number ?? 0, {
    type: "integer",
  }),
  column("Object", "Whose content this is", ({ object }) =>
    `${object?.kind ?? ""}/${object?.name ?? ""}`.toLowerCase(),
  ),
  column("Hash", "Names the content", ({ hash }) => (hash ?? "").slice(0, shortHashLength)),
  column("Author", "Who made the change", ({ author }) => author || "<unknown>"),
  column("Age", ageText, ({ changedAt, metadata }, nowMs) =>
    ageOf(changedAt ?? metadata?.creationTimestamp, nowMs),
  ),
  column("Changes", "Keys that were added, changed and removed", changesText, wide),
);

export const configViewTable: TableDefinition<ConfigView> = tableOfColumns<ConfigView>(
  nameColumn(),
  column("Pod", "The pod that is looked at", ({ pod }) => pod?.name ?? ""),
  column("In Sync", "Uses that have the wanted content", inSyncText),
  column("Drift", "Why the others do not", driftText),
  ageColumn(),
  column("Node", "Where the pod runs", ({ node }) => orNone(node), wide),
);

export const deliveryPolicyTable: TableDefinition<DeliveryPolicy> = tableOfColumns<DeliveryPolicy>(
  nameColumn(),
  column("Step", "The rollout step that was reached, of how many", stepText),
  column("Paused", "Deliveries are held", ({ spec }) =>
    spec?.rollout?.paused === true ? "True" : "False",
  ),
  column("Rollback", "What follows a step that is not healthy", ({ spec }) =>
    orNone(spec?.rollback),
  ),
  column("Ready", "Nothing is in the way of deliveries", readyText),
  ageColumn(),
  column("Checks", "How many checks a change must pass", ({ spec }) => spec?.checks?.length ?? 0, {
    type: "integer",
    wide: true,
  }),
  column("Selector", "Which objects it is for", ({ spec }) => selectorText(spec?.selector), wide),
);

/** "+1 ~2 -0" */
function changesText({ summary }: ConfigRevision): string {
  if (summary === undefined) return none;
  const { added = [], changed = [], removed = [] } = summary;
  return `+${added.length} ~${changed.length} -${removed.length}`;
}

/** By the view's own word: a table is made from one object alone. */
function inSyncText({ uses = [] }: ConfigView): string {
  const inSync = uses.filter(
    (use) => judgeUse(use, { version: use.wanted?.hash ?? "gone" }).state === "InSync",
  );
  return `${inSync.length}/${uses.length}`;
}

/** Each reason once. */
function driftText({ uses = [] }: ConfigView): string {
  const reasons = uses.flatMap(({ drift }) => (drift?.reason === undefined ? [] : [drift.reason]));
  return orNone([...new Set(reasons)].sort().join(","));
}

function stepText({ spec, status }: DeliveryPolicy): string {
  return `${status?.step ?? 0}/${spec?.rollout?.steps?.length ?? 0}`;
}

function readyText({ status }: DeliveryPolicy): string {
  const conditions = status?.conditions;
  if (conditions?.some(({ type }) => type === "Ready") !== true) return "Unknown";
  return isConditionTrue(conditions, "Ready") ? "True" : "False";
}
