import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../json.ts";
import type { Event } from "../types.ts";
import { validateEvent, validateStrictEvent, validateStrictEventUpdate } from "./event.ts";
import { decoded, told } from "./testing/judged.ts";

function event(value: JsonObject, namespace = "default"): Event {
  const metadata = { name: "e", namespace, resourceVersion: "1" };
  return decoded("v1", "Event", { metadata, ...value });
}

const fresh = {
  eventTime: "2026-01-02T03:04:05.000000Z",
  type: "Normal",
  reason: "R",
  action: "A",
  reportingComponent: "example.com/c",
  reportingInstance: "i",
};
const mismatch = 'involvedObject.namespace: Invalid value: "": does not match event.namespace';

describe("Event of core/v1", () => {
  const cases: Readonly<Record<string, readonly [Event, readonly string[]]>> = {
    "may say nothing": [event({}), []],
    "is in the namespace of what it is about": [
      event({ involvedObject: { namespace: "a" } }),
      ['involvedObject.namespace: Invalid value: "a": does not match event.namespace'],
    ],
    "about a thing without namespace is in default": [event({}, "other"), [mismatch]],
    "about such a thing may be in kube-system if it is a new one": [
      event(fresh, "kube-system"),
      [],
    ],
    "that is a new one may be in another namespace": [
      event({ ...fresh, involvedObject: { namespace: "a" } }),
      [],
    ],
    "that is a new one says who, what and why": [
      event({ eventTime: fresh.eventTime }),
      [
        "reportingComponent: Required value",
        'reportingComponent: Invalid value: "": name part must be non-empty',
        "reportingComponent: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
        "reportingInstance: Required value",
        "action: Required value",
        "reason: Required value",
      ],
    ],
    "that is a new one is brief": [
      event({ ...fresh, reason: "r".repeat(129), message: "m".repeat(1025) }),
      [
        'reason: Invalid value: "": can have at most 128 characters',
        'message: Invalid value: "": can have at most 1024 characters',
      ],
    ],
  };
  for (const [name, [value, errors]] of Object.entries(cases)) {
    it(name, () => {
      assert.deepEqual(told(validateEvent(value)), errors);
    });
  }
});

describe("Event of events.k8s.io/v1", () => {
  it("may be a new one", () => {
    assert.deepEqual(validateStrictEvent(event(fresh)), []);
  });

  it("has nothing of the old form", () => {
    const old = {
      ...fresh,
      type: "Odd",
      firstTimestamp: "2026-01-02T03:04:05Z",
      lastTimestamp: "2026-01-02T03:04:05Z",
      count: 1,
      source: { host: "h" },
      series: { count: 1 },
    };
    assert.deepEqual(told(validateStrictEvent(event(old))), [
      'series.count: Invalid value: "": should be at least 2',
      "series.lastObservedTime: Required value",
      'type: Invalid value: "": has invalid value: Odd',
      'firstTimestamp: Invalid value: "": needs to be unset',
      'lastTimestamp: Invalid value: "": needs to be unset',
      'count: Invalid value: "": needs to be unset',
      'source: Invalid value: "": needs to be unset',
    ]);
  });

  it("has a time", () => {
    const errors = validateStrictEvent(event({ ...fresh, eventTime: null }));
    assert.deepEqual(told(errors), ["eventTime: Required value"]);
  });

  it("is not rewritten; only its series goes on", () => {
    const next = event({
      ...fresh,
      reason: "S",
      involvedObject: { kind: "Pod", name: "p" },
      series: { count: 2, lastObservedTime: "2026-01-02T03:04:06.000000Z" },
    });
    assert.deepEqual(told(validateStrictEventUpdate(next, event(fresh))), [
      'involvedObject: Invalid value: {"Kind":"Pod","Namespace":"","Name":"p","UID":"","APIVersion":"","ResourceVersion":"","FieldPath":""}: field is immutable',
      'reason: Invalid value: "S": field is immutable',
      'reason: Invalid value: "S": field is immutable',
    ]);
  });
});
