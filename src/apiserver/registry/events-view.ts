// Events have two forms: core/v1, in which they are stored, and events.k8s.io/v1, which names the same fields anew.

import type { Kind } from "../../api/kind.ts";
import { kindOf } from "../../api/kinds.ts";
import type { ApiObject } from "../../api/object.ts";
import type { Event, EventsV1Event } from "../../api/types.ts";
import type { View } from "./resource.ts";

/** Undefined for every other kind. */
export function eventsView({ group, resource }: Kind): View | undefined {
  const storedKind = kindOf("v1", "Event");
  if (group !== "events.k8s.io" || resource !== "events" || storedKind === undefined)
    return undefined;
  return { storedKind, fromStored, toStored };
}

function fromStored(object: ApiObject): ApiObject {
  const event = object as ApiObject & Event;
  const { involvedObject, source, message, count, firstTimestamp, lastTimestamp } = event;
  const shown: EventsV1Event = {
    kind: "Event",
    apiVersion: "events.k8s.io/v1",
    metadata: event.metadata,
    eventTime: event.eventTime ?? null,
    series: event.series && {
      count: event.series.count ?? 0,
      lastObservedTime: event.series.lastObservedTime ?? null,
    },
    reportingController: present(event.reportingComponent),
    reportingInstance: present(event.reportingInstance),
    action: event.action,
    reason: event.reason,
    regarding: involvedObject,
    related: event.related,
    note: message,
    type: event.type,
    deprecatedSource: source,
    deprecatedFirstTimestamp: firstTimestamp ?? null,
    deprecatedLastTimestamp: lastTimestamp ?? null,
    deprecatedCount: count,
  };
  return shown as ApiObject;
}

function toStored(object: ApiObject): ApiObject {
  const event = object as ApiObject & EventsV1Event;
  const stored: Event = {
    kind: "Event",
    apiVersion: "v1",
    metadata: event.metadata,
    involvedObject: event.regarding,
    reason: event.reason,
    message: event.note,
    source: event.deprecatedSource,
    firstTimestamp: event.deprecatedFirstTimestamp ?? null,
    lastTimestamp: event.deprecatedLastTimestamp ?? null,
    count: event.deprecatedCount,
    type: event.type,
    eventTime: event.eventTime ?? null,
    series: event.series && {
      count: event.series.count,
      lastObservedTime: event.series.lastObservedTime ?? undefined,
    },
    action: event.action,
    related: event.related,
    reportingComponent: event.reportingController ?? "",
    reportingInstance: event.reportingInstance ?? "",
  };
  return stored as ApiObject;
}

function present(text: string): string | undefined {
  return text === "" ? undefined : text;
}
