// The tables of events, in both groups: the same objects under two names for their fields, and the same columns.

import { ageOf } from "../duration.ts";
import type { Event, EventsV1Event } from "../types.ts";
import { eventTexts } from "./column-texts.ts";
import {
  type ColumnOf,
  column,
  nameColumn,
  type TableDefinition,
  tableOfRows,
} from "./table-column.ts";

/** What the columns need, by the names of the core group. */
type EventRow = Pick<
  Event,
  | "count"
  | "eventTime"
  | "firstTimestamp"
  | "involvedObject"
  | "lastTimestamp"
  | "message"
  | "metadata"
  | "reason"
  | "reportingComponent"
  | "reportingInstance"
  | "series"
  | "source"
  | "type"
>;

const wide = { wide: true };

const columns: readonly ColumnOf<EventRow>[] = [
  column("Last Seen", eventTexts.lastSeen, (event, nowMs) => ageOf(lastSeen(event), nowMs)),
  column("Type", eventTexts.type, ({ type }) => type ?? ""),
  column("Reason", eventTexts.reason, ({ reason }) => reason ?? ""),
  column("Object", eventTexts.object, objectText),
  column(
    "Subobject",
    eventTexts.subobject,
    ({ involvedObject }) => involvedObject?.fieldPath ?? "",
    wide,
  ),
  column("Source", eventTexts.source, sourceText, wide),
  column("Message", eventTexts.message, ({ message }) => (message ?? "").trim()),
  column(
    "First Seen",
    eventTexts.firstSeen,
    (event, nowMs) => ageOf(firstSeen(event), nowMs),
    wide,
  ),
  column("Count", eventTexts.count, ({ series, count }) => series?.count ?? (count || 1), wide),
  nameColumn(wide),
];

export const eventTable: TableDefinition<Event> = tableOfRows((event: Event) => event, ...columns);
export const eventsV1EventTable: TableDefinition<EventsV1Event> = tableOfRows(
  (event: EventsV1Event) => ({
    metadata: event.metadata,
    type: event.type,
    reason: event.reason,
    message: event.note,
    count: event.deprecatedCount,
    source: event.deprecatedSource,
    firstTimestamp: event.deprecatedFirstTimestamp,
    lastTimestamp: event.deprecatedLastTimestamp,
    eventTime: event.eventTime,
    reportingComponent: event.reportingController ?? "",
    reportingInstance: event.reportingInstance ?? "",
    involvedObject: event.regarding,
    series: event.series,
  }),
  ...columns,
);

function firstSeen({ firstTimestamp, eventTime }: EventRow): string | null | undefined {
  return firstTimestamp ?? eventTime;
}

function lastSeen(event: EventRow): string | null | undefined {
  if (event.series !== undefined) return event.series.lastObservedTime;
  return event.lastTimestamp ?? firstSeen(event);
}

/** "pod/web-0" */
function objectText({ involvedObject }: EventRow): string {
  const { kind = "", name = "" } = involvedObject ?? {};
  return kind.toLowerCase() + (name === "" ? "" : `/${name}`);
}

/** "kubelet, node-1" */
function sourceText({ source, reportingComponent, reportingInstance }: EventRow): string {
  const component = source?.component || reportingComponent || "";
  const host = source?.host || reportingInstance || "";
  return host === "" ? component : `${component}, ${host}`;
}
