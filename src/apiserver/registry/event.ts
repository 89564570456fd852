// Events, in their two forms. Writers send them without looking first, so that an update may create.

import type { ApiObject } from "../../api/object.ts";
import type { Event, EventsV1Event } from "../../api/types.ts";
import {
  validateEvent,
  validateStrictEvent,
  validateStrictEventUpdate,
} from "../../api/validation/event.ts";
import { eventsView } from "./events-view.ts";
import { servedKind } from "./served-kind.ts";
import { type Strategy, strategyOf } from "./strategy.ts";

const strictKind = servedKind("events.k8s.io/v1", "Event");

/** core/v1 */
export const eventStrategy: Strategy = strategyOf<Event>({
  kind: servedKind("v1", "Event"),
  createsOnUpdate: true,
  fieldLabels: {
    "involvedObject.kind": ({ involvedObject }) => involvedObject.kind ?? "",
    "involvedObject.namespace": ({ involvedObject }) => involvedObject.namespace ?? "",
    "involvedObject.name": ({ involvedObject }) => involvedObject.name ?? "",
    "involvedObject.uid": ({ involvedObject }) => involvedObject.uid ?? "",
    "involvedObject.apiVersion": ({ involvedObject }) => involvedObject.apiVersion ?? "",
    "involvedObject.resourceVersion": ({ involvedObject }) => involvedObject.resourceVersion ?? "",
    "involvedObject.fieldPath": ({ involvedObject }) => involvedObject.fieldPath ?? "",
    reason: ({ reason }) => reason ?? "",
    reportingComponent: ({ reportingComponent }) => reportingComponent,
    source: ({ source, reportingComponent }) => source.component || reportingComponent,
    type: ({ type }) => type ?? "",
  },
  validate: validateEvent,
  validateUpdate: validateEvent,
});

/** events.k8s.io/v1 */
export const strictEventStrategy: Strategy = strategyOf<EventsV1Event>({
  kind: strictKind,
  createsOnUpdate: true,
  fieldLabels: {
    "regarding.kind": ({ regarding }) => regarding.kind ?? "",
    "regarding.namespace": ({ regarding }) => regarding.namespace ?? "",
    "regarding.name": ({ regarding }) => regarding.name ?? "",
    "regarding.uid": ({ regarding }) => regarding.uid ?? "",
    "regarding.apiVersion": ({ regarding }) => regarding.apiVersion ?? "",
    "regarding.resourceVersion": ({ regarding }) => regarding.resourceVersion ?? "",
    "regarding.fieldPath": ({ regarding }) => regarding.fieldPath ?? "",
    reason: ({ reason }) => reason ?? "",
    reportingController: ({ reportingController }) => reportingController ?? "",
    type: ({ type }) => type ?? "",
  },
  validate: (event) => validateStrictEvent(inCoreForm(event)),
  validateUpdate: (event, old) => validateStrictEventUpdate(inCoreForm(event), inCoreForm(old)),
});

function inCoreForm(event: EventsV1Event): Event {
  const view = eventsView(strictKind);
  if (view === undefined) throw new Error("Cannot read an event: its core form is not served");
  return view.toStored(event as unknown as ApiObject) as unknown as Event;
}
