import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { labelSelectorOf } from "./label-selector.ts";
import { parseLabelSelector } from "./label-selector-parser.ts";
import { SelectorError } from "./selector-error.ts";

describe("a label selector", () => {
  for (const [text, labels] of [
    ["", { x: "y" }],
    ["x=y", { x: "y" }],
    ["x = y , z==w", { x: "y", z: "w" }],
    ["x!=y,z!=w", { x: "z" }],
    ["notin=in", { notin: "in" }],
    ["in in (in,notin)", { in: "notin" }],
    ["x", { x: "" }],
    ["!x", { y: "z" }],
    ["x>1", { x: "2" }],
    ["x<1", { x: "0" }],
    ["x in (a,,b)", { x: "" }],
    ["x in ()", { x: "" }],
    ["x notin (a)", {}],
    ["x=", { x: "" }],
    ["x=,z= ", { x: "", z: "" }],
    ["example.com/a in (b)\n", { "example.com/a": "b" }],
  ] as const) {
    test(`${JSON.stringify(text)} matches ${JSON.stringify(labels)}`, () => {
      assert.equal(parseLabelSelector(text).matches(labels), true);
    });
  }

  for (const [text, labels] of [
    ["x=z", {}],
    ["x=y", { x: "z" }],
    ["x=y,z=w", { x: "y", z: "v" }],
    ["x", { y: "z" }],
    ["!x", { x: "" }],
    ["x>1", { x: "1" }],
    ["x>1", { x: "many" }],
    ["x<1", {}],
    ["x in (a,b)", { x: "c" }],
    ["x notin (a,b)", { x: "b" }],
    ["a=1,a=2", { a: "1" }],
    ["constructor", {}],
  ] as const) {
    test(`${JSON.stringify(text)} does not match ${JSON.stringify(labels)}`, () => {
      assert.equal(parseLabelSelector(text).matches(labels), false);
    });
  }

  test("without labels to look at is asked about none", () => {
    assert.equal(parseLabelSelector("!x").matches(undefined), true);
    assert.equal(parseLabelSelector("x").matches(undefined), false);
  });

  for (const [text, canonical] of [
    ["z=1, a in (y,x) ,b", "a in (x,y),b,z=1"],
    ["a==b", "a==b"],
    ["!a,b!=c", "!a,b!=c"],
    ["a>1,b<5", "a>1,b<5"],
    ["a notin (b,b)", "a notin (b)"],
    ["a in ()", "a in ()"],
  ] as const) {
    test(`${text} is written as ${canonical}`, () => {
      assert.equal(parseLabelSelector(text).toString(), canonical);
    });
  }

  for (const [text, message] of [
    ["=x", "found '=', expected: !, identifier, or 'end of string'"],
    [",", "found ',', expected: !, identifier, or 'end of string'"],
    ["a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ["a===b", "unable to parse requirement: found '=', expected: identifier"],
    ["a=b,", "found '', expected: identifier after ','"],
    ["a=b,=", "found '=', expected: identifier after ','"],
    ["!a=b", "found '=', expected: ',' or 'end of string'"],
    ["x==a==b", "found '==', expected: ',' or 'end of string'"],
    ["!", "unable to parse requirement: found '', expected: identifier"],
    ["a in b", "unable to parse requirement: found 'b' expected: '('"],
    ["a in (", "unable to parse requirement: found '', expected: ',', ')' or identifier"],
    ["a in (b", "unable to parse requirement: found '', expected: ',' or ')'"],
    ["a in (,", "unable to parse requirement: found '', expected: ',', or identifier"],
    ["a in (b=)", "unable to parse requirement: found '=', expected: ',' or ')'"],
    [
      "x<a",
      `unable to parse requirement: values[0]: Invalid value: "a": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
    [
      "-a=b",
      `unable to parse requirement: <nil>: Invalid value: "-a": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      "a=-",
      `unable to parse requirement: values[0][a]: Invalid value: "-": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
  ] as const) {
    test(`${JSON.stringify(text)} is refused with the API's words`, () => {
      assert.throws(() => parseLabelSelector(text), new SelectorError(message));
    });
  }

  test("says which exact values it demands", () => {
    const { requiredEquals } = parseLabelSelector("a=1,b in (2),c in (3,4),d!=5,e,f==6");
    assert.deepEqual(
      [...requiredEquals],
      [
        ["a", "1"],
        ["b", "2"],
        ["f", "6"],
      ],
    );
  });

  test("with a hundred thousand values is parsed and matched in one go", () => {
    const values = Array.from({ length: 100_000 }, (_, i) => `v${i}`);
    const selector = parseLabelSelector(`a in (${values.join(",")})`);
    for (let i = 0; i < 1000; i++) assert.equal(selector.matches({ a: `v${i * 99}` }), true);
    assert.throws(() => parseLabelSelector(`${"a.".repeat(500_000)}!`), SelectorError);
    assert.throws(() => parseLabelSelector("(".repeat(1_000_000)), SelectorError);
  });
});

describe("a LabelSelector of an object", () => {
  test("matches nothing if it is absent and everything if it is empty", () => {
    assert.equal(labelSelectorOf(undefined).matches({}), false);
    assert.equal(labelSelectorOf({}).matches({ a: "b" }), true);
    assert.equal(labelSelectorOf({}).isEmpty, true);
    assert.equal(labelSelectorOf(undefined).isEmpty, false);
  });

  test("demands its labels and its expressions together", () => {
    const selector = labelSelectorOf({
      matchLabels: { app: "web" },
      matchExpressions: [
        { key: "tier", operator: "In", values: ["a", "b"] },
        { key: "zone", operator: "NotIn", values: ["z"] },
        { key: "on", operator: "Exists" },
        { key: "off", operator: "DoesNotExist" },
      ],
    });
    assert.equal(selector.toString(), "app=web,!off,on,tier in (a,b),zone notin (z)");
    assert.equal(selector.matches({ app: "web", tier: "b", on: "" }), true);
    assert.equal(selector.matches({ app: "web", tier: "b", on: "", off: "" }), false);
  });

  test("is refused if an expression makes no sense", () => {
    const refused = (operator: string, values: string[], message: string) =>
      assert.throws(
        () => labelSelectorOf({ matchExpressions: [{ key: "a", operator, values }] }),
        new SelectorError(message),
      );
    refused("Is", [], '"Is" is not a valid label selector operator');
    refused(
      "In",
      [],
      "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
    );
    refused(
      "Exists",
      ["b"],
      'values: Invalid value: ["b"]: values set must be empty for exists and does not exist',
    );
  });
});

const key = fc.stringMatching(/^[a-c]{1,2}$/);
const value = fc.stringMatching(/^[x-z]{0,1}$/);
const term = fc.oneof(
  fc.tuple(key, fc.constantFrom("=", "==", "!="), value).map((parts) => parts.join("")),
  fc
    .tuple(key, fc.constantFrom("in", "notin"), fc.array(value, { maxLength: 3 }))
    .map(([k, operator, values]) => `${k} ${operator} (${values.join(",")})`),
  key,
  key.map((k) => `!${k}`),
);
const labelSets = fc.dictionary(key, value);

test("any label selector means the same when its own text is parsed", () => {
  fc.assert(
    fc.property(fc.array(term, { maxLength: 4 }), labelSets, (terms, labels) => {
      const selector = parseLabelSelector(terms.join(","));
      const again = parseLabelSelector(selector.toString());
      assert.equal(again.toString(), selector.toString());
      assert.equal(again.matches(labels), selector.matches(labels));
      if (selector.matches(labels)) {
        for (const [k, v] of selector.requiredEquals) assert.equal(labels[k], v);
      }
    }),
  );
});

test("any text is parsed or refused, and nothing else happens", () => {
  const noise = fc.string({ unit: fc.constantFrom(..."ab=!(),<> in\0\té/-".split("")) });
  fc.assert(
    fc.property(noise, (text) => {
      try {
        parseLabelSelector(text);
      } catch (error) {
        assert.ok(error instanceof SelectorError);
      }
    }),
  );
});
