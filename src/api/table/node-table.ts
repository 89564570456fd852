// The table of nodes.

import type { Node } from "../types.ts";
import { none, orNone } from "./cell-texts.ts";
import { nodeTexts } from "./column-texts.ts";
import {
  ageColumn,
  column,
  nameColumn,
  type TableDefinition,
  tableOfColumns,
} from "./table-column.ts";

const rolePrefix = "node-role.kubernetes.io/";
const roleLabel = "kubernetes.io/role";
const wide = { wide: true };

export const nodeTable: TableDefinition<Node> = tableOfColumns<Node>(
  nameColumn(),
  column("Status", nodeTexts.status, statusText),
  column("Roles", nodeTexts.roles, rolesText),
  ageColumn(),
  column("Version", nodeTexts.version, ({ status }) => status?.nodeInfo?.kubeletVersion ?? ""),
  column("Internal-IP", nodeTexts.addresses, (node) => addressOf(node, "InternalIP"), wide),
  column("External-IP", nodeTexts.addresses, (node) => addressOf(node, "ExternalIP"), wide),
  column("OS-Image", nodeTexts.osImage, ({ status }) => known(status?.nodeInfo?.osImage), wide),
  column("Kernel-Version", nodeTexts.kernelVersion, kernelText, wide),
  column(
    "Container-Runtime",
    nodeTexts.containerRuntime,
    ({ status }) => known(status?.nodeInfo?.containerRuntimeVersion),
    wide,
  ),
);

function statusText({ spec, status }: Node): string {
  const ready = status?.conditions?.findLast(({ type }) => type === "Ready");
  const word = ready === undefined ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady";
  return spec?.unschedulable === true ? `${word},SchedulingDisabled` : word;
}

function rolesText({ metadata }: Node): string {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(metadata?.labels ?? {})) {
    if (key.startsWith(rolePrefix)) roles.add(key.slice(rolePrefix.length));
    else if (key === roleLabel) roles.add(value);
  }
  roles.delete("");
  return orNone([...roles].sort().join(","));
}

function addressOf({ status }: Node, type: string): string {
  return status?.addresses?.find((each) => each.type === type)?.address ?? none;
}

function kernelText({ status }: Node): string {
  const architecture = status?.nodeInfo?.architecture;
  const kernel = known(status?.nodeInfo?.kernelVersion);
  return architecture === undefined || architecture === "" ? kernel : `${kernel} (${architecture})`;
}

function known(text: string | undefined): string {
  return text === undefined || text === "" ? "<unknown>" : text;
}
