import { deepEqual, equal, throws } from "node:assert/strict";
import { describe, it } from "node:test";
import { parseJsonPath, parseJsonPathTemplate } from "./json-path.ts";

const list = {
  items: [
    { metadata: { name: "a", labels: { "x.y/z": "1" } }, ready: true, n: 2 },
    { metadata: { name: "b" }, ready: false, n: 10 },
  ],
};

describe("A JSONPath template", () => {
  const cases: readonly (readonly [template: string, printed: string])[] = [
    ["{.items[0].metadata.name}", "a"],
    ["{.items[-1].metadata.name}", "b"],
    ["{.items[*].metadata.name}", "a b"],
    ["{$.items[*].n}", "2 10"],
    ['{range .items[*]}{.metadata.name}={.n}{"\\n"}{end}', "a=2\nb=10\n"],
    ["{.items[0].metadata.labels['x.y/z']}", "1"],
    ["{.items[0].metadata.labels}", '{"x.y/z":"1"}'],
    ['{.items[?(@.metadata.name=="b")].n}', "10"],
    ["{.items[?(@.ready!=true)].n}", "10"],
    ["{.nothing}", ""],
    ["name: {.items[0].metadata.name}!", "name: a!"],
    ["{'}'}", "}"],
  ];
  for (const [template, printed] of cases) {
    it(`prints ${template}`, () => {
      equal(parseJsonPathTemplate(template).print(list), printed);
    });
  }

  it("takes a dot in a name behind a backslash", () => {
    equal(parseJsonPathTemplate("{.a\\.b}").print({ "a.b": 1 }), "1");
  });

  for (const wrong of ["{.a", "{range .items[*]}", "{end}", "{.a[}", "{..a}", "{.a[?(@.b>1)]}"]) {
    it(`refuses ${wrong}`, () => {
      throws(() => parseJsonPathTemplate(wrong), /error parsing jsonpath/);
    });
  }
});

describe("A path to sort by", () => {
  for (const text of [".metadata.name", "metadata.name", "{.metadata.name}"]) {
    it(`may be written ${text}`, () => {
      deepEqual(parseJsonPath(text)(list.items[1] ?? null), ["b"]);
    });
  }
});
