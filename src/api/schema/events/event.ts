// The newer spelling of events: the same stored objects as the core group's.

import { eventSource } from "../core/event.ts";
import { objectReference } from "../core/references.ts";
import { metadata, typeMeta } from "../meta.ts";
import {
  always,
  field,
  int32,
  microTime,
  pointer,
  ref,
  required,
  string,
  type TypeSchema,
  time,
  type,
} from "../schema.ts";

const eventSeries: TypeSchema = type(
  "io.k8s.api.events.v1.EventSeries",
  "An event that keeps happening",
  {
    count: field(1, int32, "How often so far", required),
    lastObservedTime: field(2, microTime, "When it was seen last", required),
  },
);

export const event: TypeSchema = type(
  "io.k8s.api.events.v1.Event",
  "Something that happened to an object; kept for a while",
  {
    ...typeMeta,
    metadata,
    eventTime: field(2, microTime, "When it was seen first", required),
    series: field(3, ref(eventSeries), "Present if it goes on", pointer),
    reportingController: field(4, string, "Who says so"),
    reportingInstance: field(5, string, "Which instance of the reporter"),
    action: field(6, string, "What was done or failed"),
    reason: field(7, string, "Why, one CamelCase word for programs"),
    regarding: field(8, ref(objectReference), "To whom it happened", always),
    related: field(9, ref(objectReference), "A second object that plays a part", pointer),
    note: field(10, string, "What happened, for people"),
    type: field(11, string, "Normal or Warning"),
    deprecatedSource: field(12, ref(eventSource), "The core group's source", always),
    deprecatedFirstTimestamp: field(13, time, "The core group's firstTimestamp", always),
    deprecatedLastTimestamp: field(14, time, "The core group's lastTimestamp", always),
    deprecatedCount: field(15, int32, "The core group's count"),
  },
);
