// `driftless history`: which contents a ConfigMap or Secret had, when, and by whom.

import { hasHistory } from "../api/config/history-annotation.ts";
import { ageOf } from "../api/duration.ts";
import type { JsonObject } from "../api/json.ts";
import type { ApiObject } from "../api/object.ts";
import type { ConfigRevision } from "../api/types.ts";
import { shortVersion } from "../base/content-version.ts";
import type { Look } from "./answers/look.ts";
import { type TextCell, type TextColumn, textTable } from "./answers/text-columns.ts";
import { type CliContext, type ExitCode, print, printError } from "./cli-context.ts";
import { changesText } from "./content-diff.ts";
import { listOf, type OutputFormat, withoutManagedFields } from "./output-format.ts";
import { plainText } from "./plain-text.ts";
import { authorOf, historyTarget, type RevisionHistory, readHistory } from "./revision-history.ts";

export interface HistoryOptions {
  /** KIND/NAME */
  readonly target: string;
  readonly format: OutputFormat;
  readonly look: Look;
}

export async function history(context: CliContext, options: HistoryOptions): Promise<ExitCode> {
  const { format } = options;
  const found = await readHistory(context, await historyTarget(context, options.target));
  if (format.type === "table") print(context, tableText(context, found, options));
  else if (format.type === "objects") print(context, format.print(objectsOf(found)));
  else {
    const names = found.revisions.map(({ metadata }) => metadata.name ?? "");
    print(context, names.map((name) => `configrevision.driftless.dev/${name}\n`).join(""));
  }
  if (found.live !== undefined && found.current === undefined) {
    printError(context, unrecorded(found));
  }
  return 0;
}

const COLUMNS: readonly TextColumn[] = [
  { name: "REVISION" },
  { name: "HASH" },
  { name: "AUTHOR", shrinks: { to: 8, from: "middle" } },
  { name: "AGE" },
  { name: "CHANGES", shrinks: { to: 16, from: "end" } },
  { name: "CURRENT" },
];

const WIDE_COLUMNS: readonly TextColumn[] = [
  { name: "REVISION" },
  { name: "HASH" },
  { name: "AUTHOR" },
  { name: "CHANGED AT" },
  { name: "RESOURCE VERSION" },
  { name: "CHANGES" },
  { name: "CURRENT" },
];

function tableText(
  { clock }: CliContext,
  { revisions, current }: RevisionHistory,
  { format, look }: HistoryOptions,
): string {
  if (revisions.length === 0) return "";
  const rows = revisions.map((revision): readonly TextCell[] => {
    const { number, hash, summary, changedAt, metadata, object } = revision;
    const isCurrent = revision === current;
    const changes = { text: changesText(summary ?? {}) };
    const head: readonly TextCell[] = [
      { text: String(number), ...(isCurrent && { colour: "green" as const }) },
      { text: format.isWide ? hash : shortVersion(hash) },
      { text: plainText(authorOf(revision)) },
    ];
    const mark: TextCell = { text: isCurrent ? "*" : "", colour: "green" };
    const at = changedAt ?? metadata.creationTimestamp;
    return format.isWide
      ? [...head, { text: at ?? "" }, { text: object.resourceVersion ?? "" }, changes, mark]
      : [...head, { text: ageOf(at, clock.now()) }, changes, mark];
  });
  const columns = format.isWide ? WIDE_COLUMNS : COLUMNS;
  // Wide lines may be as long as they like: somebody asked for all of it.
  const room = format.isWide ? { ...look, columns: undefined } : look;
  return textTable(room, columns, rows)
    .map((line) => `${line}\n`)
    .join("");
}

/** Those of Secrets without what was in them. */
function objectsOf({ revisions }: RevisionHistory): JsonObject {
  const shown = revisions.map((revision) => {
    const { binaryData, ...rest }: ConfigRevision = {
      apiVersion: "driftless.dev/v1",
      kind: "ConfigRevision",
      ...revision,
    };
    const whole = revision.secret === true ? rest : { ...rest, ...(binaryData && { binaryData }) };
    return withoutManagedFields(whole as object as ApiObject);
  });
  return listOf(shown);
}

function unrecorded({ target, live, revisions }: RevisionHistory): string {
  if (live !== undefined && !hasHistory(live)) {
    return `No history is kept of ${target.shown}: its annotation driftless.dev/history says so.`;
  }
  const what = revisions.length === 0 ? "has no history" : "has a content without a revision";
  return `${target.shown} ${what}: the server is about to make one, or keeps none (--config-history).`;
}
