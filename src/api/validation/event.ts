// Events. There are two forms of the same objects: core/v1, which takes nearly everything, because its clients are old,
// and events.k8s.io/v1, which is strict. Both are judged in the core form; field names are those of the core form too.

import type { JsonObject, JsonValue } from "../json.ts";
import type { Event, ObjectReference } from "../types.ts";
import { isAbsent, number, text } from "./absent.ts";
import { type FieldError, invalid, invalids, required } from "./field-error.ts";
import { FieldPath } from "./field-path.ts";
import { nameIsDnsSubdomain, qualifiedName } from "./names.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";
import { immutableField, semanticEqual } from "./semantic-equal.ts";
import { exceedsBytes } from "./utf8-length.ts";

const rules = { namespaced: true, name: nameIsDnsSubdomain };
const maxBytes = 128;
const maxNoteBytes = 1024;

/** core/v1, for new events and for updates. */
export function validateEvent(event: Event): FieldError[] {
  return validateAnyEvent(event, "reportingComponent");
}

/** events.k8s.io/v1 */
export function validateStrictEvent(event: Event): FieldError[] {
  const errors = [
    ...validateAnyEvent(event, "reportingController"),
    ...validateObjectMeta(event.metadata, rules),
    ...validateSeries(event),
  ];
  if (isAbsent(event.eventTime)) errors.push(required(FieldPath.of("eventTime")));
  const type = text(event.type);
  if (type !== "Normal" && type !== "Warning") {
    errors.push(invalid(FieldPath.of("type"), "", `has invalid value: ${type}`));
  }
  const { component, host } = event.source;
  const unwanted = {
    firstTimestamp: !isAbsent(event.firstTimestamp),
    lastTimestamp: !isAbsent(event.lastTimestamp),
    count: number(event.count) !== 0,
    source: text(component) !== "" || text(host) !== "",
  };
  for (const [name, isSet] of Object.entries(unwanted)) {
    if (isSet) errors.push(invalid(FieldPath.of(name), "", "needs to be unset"));
  }
  return errors;
}

/** events.k8s.io/v1: what happened is not rewritten. Only the series goes on. */
export function validateStrictEventUpdate(event: Event, old: Event): FieldError[] {
  const frozen = (names: readonly (keyof Event)[]) =>
    names
      .filter((name) => !semanticEqual(event[name], old[name]))
      .map((name) => invalid(FieldPath.of(name), shown(event, name), "field is immutable"));
  return [
    ...validateAnyEvent(event, "reportingController"),
    ...validateObjectMetaUpdate(event.metadata, old.metadata),
    ...(semanticEqual(event.series, old.series) ? [] : validateSeries(event)),
    ...frozen(["involvedObject", "reason", "message", "source"]),
    ...frozen(["firstTimestamp", "lastTimestamp", "count", "reason", "type", "eventTime"]),
    ...frozen(["action", "related"]),
    ...immutableField(
      event.reportingComponent,
      old.reportingComponent,
      FieldPath.of("reportingController"),
    ),
    ...frozen(["reportingInstance"]),
  ];
}

/** References and sources are shown with the names that the original has for their fields. */
function shown(event: Event, name: keyof Event): JsonValue {
  switch (name) {
    case "involvedObject":
      return shownReference(event.involvedObject);
    case "related":
      return event.related === undefined ? null : shownReference(event.related);
    case "source":
      return { Component: text(event.source.component), Host: text(event.source.host) };
    case "count":
      return number(event.count);
    case "firstTimestamp":
    case "lastTimestamp":
    case "eventTime":
      return event[name] ?? null;
    default:
      return (event[name] as string | undefined) ?? "";
  }
}

function shownReference(reference: ObjectReference): JsonObject {
  return {
    Kind: text(reference.kind),
    Namespace: text(reference.namespace),
    Name: text(reference.name),
    UID: text(reference.uid),
    APIVersion: text(reference.apiVersion),
    ResourceVersion: text(reference.resourceVersion),
    FieldPath: text(reference.fieldPath),
  };
}

function validateAnyEvent(event: Event, controllerName: string): FieldError[] {
  const namespace = text(event.metadata.namespace);
  const involved = text(event.involvedObject.namespace);
  const isOld = isAbsent(event.eventTime);
  const errors = agrees({ namespace, involved, isOld })
    ? []
    : [
        invalid(
          FieldPath.of("involvedObject", "namespace"),
          involved,
          "does not match event.namespace",
        ),
      ];
  return isOld ? errors : [...errors, ...validateNewFields(event, FieldPath.of(controllerName))];
}

/** An event is in the namespace of what it is about; about things outside of all namespaces in "default". */
function agrees(of: {
  readonly namespace: string;
  readonly involved: string;
  readonly isOld: boolean;
}): boolean {
  const { namespace, involved, isOld } = of;
  if (involved === "") {
    return namespace === "default" || namespace === (isOld ? "" : "kube-system");
  }
  return !isOld || namespace === involved;
}

function validateNewFields(event: Event, controllerPath: FieldPath): FieldError[] {
  const controller = event.reportingComponent;
  const errors = controller === "" ? [required(controllerPath)] : [];
  errors.push(...invalids(controllerPath, controller, qualifiedName(controller)));
  for (const name of ["reportingInstance", "action", "reason"] as const) {
    const path = FieldPath.of(name);
    const value = text(event[name]);
    if (value === "") errors.push(required(path));
    if (exceedsBytes(value, maxBytes)) {
      errors.push(invalid(path, "", `can have at most ${maxBytes} characters`));
    }
  }
  if (exceedsBytes(text(event.message), maxNoteBytes)) {
    const detail = `can have at most ${maxNoteBytes} characters`;
    errors.push(invalid(FieldPath.of("message"), "", detail));
  }
  return errors;
}

function validateSeries({ series }: Event): FieldError[] {
  if (isAbsent(series)) return [];
  const errors: FieldError[] = [];
  if (number(series.count) < 2) {
    errors.push(invalid(FieldPath.of("series", "count"), "", "should be at least 2"));
  }
  if (isAbsent(series.lastObservedTime)) {
    errors.push(required(FieldPath.of("series", "lastObservedTime")));
  }
  return errors;
}
