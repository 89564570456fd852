// What an applier is told whose fields belong to others. Conflicts are listed by owner, in the words of the API.

import { StatusError } from "../status-error.ts";
import { identityOf, type Owner } from "./managed-fields.ts";
import { elementText } from "./path-element.ts";

export interface ApplyConflict {
  readonly owner: Owner;
  readonly path: readonly string[];
}

export function conflictError(conflicts: readonly ApplyConflict[]): StatusError {
  const inOrder = conflicts.toSorted((a, b) =>
    identityOf(a.owner) < identityOf(b.owner)
      ? -1
      : Number(identityOf(a.owner) !== identityOf(b.owner)),
  );
  return new StatusError({
    code: 409,
    reason: "Conflict",
    message: messageOf(inOrder),
    details: {
      causes: inOrder.map(({ owner, path }) => ({
        reason: "FieldManagerConflict",
        message: `conflict with ${nameOf(owner)}`,
        field: textOf(path),
      })),
    },
  });
}

function messageOf(conflicts: readonly ApplyConflict[]): string {
  const [first] = conflicts;
  if (first !== undefined && conflicts.length === 1) {
    return `Apply failed with 1 conflict: conflict with ${nameOf(first.owner)}: ${textOf(first.path)}`;
  }
  const byOwner = Map.groupBy(conflicts, ({ owner }) => nameOf(owner));
  const lines = [...byOwner].flatMap(([name, theirs]) => [
    `conflicts with ${name}:`,
    ...theirs.map(({ path }) => `- ${textOf(path)}`),
  ]);
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join("\n")}`;
}

function nameOf({ manager, operation, apiVersion, subresource }: Owner): string {
  const within = subresource === "" ? "" : ` with subresource ${JSON.stringify(subresource)}`;
  const using = operation === "Update" ? ` using ${apiVersion}` : "";
  return JSON.stringify(manager) + within + using;
}

function textOf(path: readonly string[]): string {
  return path.map(elementText).join("");
}
