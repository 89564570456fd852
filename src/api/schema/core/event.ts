// Event: something that happened to an object, in the spelling that most clients still write.

import { objectMeta, typeMeta } from "../meta.ts";
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
import { objectReference } from "./references.ts";

export const eventSource: TypeSchema = type(
  "io.k8s.api.core.v1.EventSource",
  "Who reported an event, in the old spelling",
  {
    component: field(1, string, "Part of the system"),
    host: field(2, string, "The node it ran on"),
  },
);

const eventSeries: TypeSchema = type(
  "io.k8s.api.core.v1.EventSeries",
  "An event that keeps happening",
  {
    count: field(1, int32, "How often so far"),
    lastObservedTime: field(2, microTime, "When it was seen last", always),
  },
);

export const event: TypeSchema = type(
  "io.k8s.api.core.v1.Event",
  "Something that happened to an object; kept for a while",
  {
    ...typeMeta,
    metadata: field(1, ref(objectMeta), "Name, labels and the bookkeeping of the object", required),
    involvedObject: field(2, ref(objectReference), "To whom it happened", required),
    reason: field(3, string, "Why, one CamelCase word for programs"),
    message: field(4, string, "What happened, for people"),
    source: field(5, ref(eventSource), "Who says so, in the old spelling", always),
    firstTimestamp: field(6, time, "When it was seen first", always),
    lastTimestamp: field(7, time, "When it was seen last", always),
    count: field(8, int32, "How often it was seen"),
    type: field(9, string, "Normal or Warning"),
    eventTime: field(10, microTime, "When it was seen first, to the microsecond", always),
    series: field(11, ref(eventSeries), "Present if it goes on", pointer),
    action: field(12, string, "What was done or failed"),
    related: field(13, ref(objectReference), "A second object that plays a part", pointer),
    reportingComponent: field(14, string, "Who says so", always),
    reportingInstance: field(15, string, "Which instance of the reporter", always),
  },
);
