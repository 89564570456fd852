import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Answer, compareAnswer } from "./compare-answer.ts";
import { parseScript } from "./script.ts";
import type { Variables } from "./script-variables.ts";

const json = (body: unknown, status = 200): Answer => ({
  status,
  headers: { "content-type": "application/json", warning: ["a", "b"] },
  text: JSON.stringify(body),
});

/** Faults of an answer against the lines of a script below its request. */
function faultsOf(lines: string, answer: Answer, variables: Variables = new Map()): string[] {
  const step = parseScript("a.txt", `== x\nGET a\n${lines}`).cases[0]?.steps[0];
  assert.ok(step);
  return [...compareAnswer(step, answer, variables)];
}

const object = {
  metadata: { name: "a", labels: { "x.y/z": "1" }, uid: "u-1" },
  items: [
    { name: "b", n: 1 },
    { name: "a", n: 2 },
  ],
};
const failure = {
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message: "a is invalid: b: too long",
  reason: "Invalid",
  details: {
    name: "a",
    causes: [
      { reason: "FieldValueInvalid", message: "too long", field: "b" },
      { reason: "Other", message: "why" },
    ],
  },
  code: 422,
};
const ofFailure = [
  "422 Invalid",
  "  message: a is invalid: b: too long",
  '  details: {"name":"a"}',
  "  cause: Other: why",
  "  cause: FieldValueInvalid b",
];

describe("compareAnswer", () => {
  for (const fact of [
    "metadata.name: a",
    'metadata.name: "a"',
    "metadata.name: /^[a-c]$/",
    "metadata.name: *",
    'metadata.labels["x.y/z"]: "1"',
    'items[*].name: ["b","a"]',
    'items[*].name (any order): ["a","b"]',
    "items[name=a].n: 2",
    "items[1].n: 2",
    'items:\n    [\n      {"name":"b","n":1},\n      {"name":"a","n":"…"}\n    ]',
    "no metadata.namespace",
    "not metadata.name: b",
    "Warning: a, b",
    "no Content-Length",
    `metadata.uid: \${uid}`,
    `metadata.uid: \${u*1}-1`,
  ]) {
    it(`finds that ${fact} holds`, () => {
      assert.deepEqual(faultsOf(`200\n  ${fact}`, json(object), new Map([["uid", "u-1"]])), []);
    });
  }

  for (const fact of [
    "metadata.name: b",
    'metadata.labels["x.y/z"]: 1',
    "metadata.namespace: *",
    'items[*].name: ["a","b"]',
    'items[*].name (any order): ["a","c"]',
    'items: [{"name":"b"},{"name":"a","n":2}]',
    "items[name=c].n: 2",
    "no metadata.name",
    "not metadata.name: a",
    "no Warning",
    "metadata.namespace -> namespace",
    "what is this",
  ]) {
    it(`finds that ${fact} does not hold, and says its line`, () => {
      const faults = faultsOf(`200\n  metadata.name: a\n  ${fact}`, json(object));
      assert.equal(faults.length, 1);
      assert.match(faults[0] ?? "", /^line 5: /);
    });
  }

  it("gives a variable the value that was found", () => {
    const variables: Variables = new Map();
    assert.deepEqual(faultsOf("200\n  items[0].n -> n", json(object), variables), []);
    assert.equal(variables.get("n"), 1);
  });

  it("wants the status that is said, or any success", () => {
    assert.deepEqual(faultsOf("", json(object, 201)), []);
    assert.match(faultsOf("", json(object, 404))[0] ?? "", /^expected a success\n {4}got 404/);
    assert.match(faultsOf("200", json(object, 201))[0] ?? "", /^expected 200\n {4}got 201/);
  });

  it("takes an error of which everything is said", () => {
    assert.deepEqual(faultsOf(ofFailure.join("\n"), json(failure, 422)), []);
  });

  for (const left of [1, 2, 3, 4]) {
    it(`refuses an error of which this is not said: ${ofFailure[left]?.trim()}`, () => {
      const lines = ofFailure.filter((_, index) => index !== left);
      assert.equal(faultsOf(lines.join("\n"), json(failure, 422)).length, 1);
    });
  }

  it("refuses an error with another reason or a cause that is not there", () => {
    const said = ofFailure.join("\n");
    assert.equal(faultsOf(said.replace("Invalid", "Conflict"), json(failure, 422)).length, 1);
    assert.equal(faultsOf(`${said}\n  cause: Other c`, json(failure, 422)).length, 1);
  });

  it("compares all events of a stream, in their order", () => {
    const events = ["ADDED", "DELETED"].map((type) => JSON.stringify({ type, object: { n: 1 } }));
    const stream = { ...json({}), text: `${events.join("\n")}\n` };
    const added = "200\n  event: ADDED\n    n: 1\n";
    assert.deepEqual(faultsOf(`${added}  event: DELETED\n    no m`, stream), []);
    assert.match(faultsOf(added, stream)[0] ?? "", /^expected the events \["ADDED"\]\n/);
    assert.match(faultsOf(`${added}  event: DELETED\n    n: 2`, stream)[0] ?? "", /^line 7: /);
    assert.match(faultsOf("200", stream)[0] ?? "", /^expected the events \[\]\n/);
  });

  it("reads YAML as it reads JSON", () => {
    const yaml = {
      ...json({}),
      headers: { "content-type": "application/yaml" },
      text: "a:\n  b: 1",
    };
    assert.deepEqual(faultsOf("200\n  a.b: 1", yaml), []);
  });
});
