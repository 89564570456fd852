import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { escapeFieldValue, offeredFields, parseFieldSelector } from "./field-selector.ts";
import { SelectorError } from "./selector-error.ts";

function get(fields: Readonly<Record<string, string>>): (field: string) => string {
  return (field) => fields[field] ?? "";
}

describe("a field selector", () => {
  for (const [text, fields] of [
    ["", {}],
    [",,", {}],
    ["a=b", { a: "b" }],
    ["a==b,c!=d", { a: "b" }],
    ["a=", {}],
    ["a!=b", {}],
    ["a=b\\,c\\=d\\\\", { a: "b,c=d\\" }],
    ["=b", { "": "b" }],
  ] as const) {
    test(`${JSON.stringify(text)} matches ${JSON.stringify(fields)}`, () => {
      assert.equal(parseFieldSelector(text).matches(get(fields)), true);
    });
  }

  test("matches only if all of it holds", () => {
    assert.equal(parseFieldSelector("a=b,a=c").matches(get({ a: "b" })), false);
    assert.equal(parseFieldSelector("a!=b").matches(get({ a: "b" })), false);
    assert.equal(parseFieldSelector("a=b").matches(get({ a: " b" })), false);
  });

  for (const [text, message] of [
    ["a", "invalid selector: 'a'; can't understand 'a'"],
    ["a=b,c", "invalid selector: 'a=b,c'; can't understand 'c'"],
    ["a=b=c", "invalid field selector: unescaped character in value: 61"],
    ["a=\\b", "invalid field selector: invalid escape sequence: \\b"],
    ["a=b\\", "invalid field selector: invalid escape sequence: \\"],
  ] as const) {
    test(`${JSON.stringify(text)} is refused with the API's words`, () => {
      assert.throws(() => parseFieldSelector(text), new SelectorError(message));
    });
  }

  test("says which exact value of a field it demands", () => {
    const selector = parseFieldSelector("metadata.name=a,status.phase!=b");
    assert.equal(selector.requiredEquals("metadata.name"), "a");
    assert.equal(selector.requiredEquals("status.phase"), undefined);
  });

  test("is refused for fields that a kind with its own does not offer", () => {
    const node = { namespaced: false, own: ["spec.unschedulable"] };
    assert.throws(
      () => offeredFields(parseFieldSelector("spec.unschedulable=true,foo=1"), node),
      new SelectorError("field label not supported: foo"),
    );
    assert.throws(
      () => offeredFields(parseFieldSelector("metadata.namespace=a"), node),
      new SelectorError("field label not supported: metadata.namespace"),
    );
  });

  test("is refused in other words where a kind has no fields of its own", () => {
    assert.throws(
      () => offeredFields(parseFieldSelector("data.k=v"), { namespaced: true }),
      new SelectorError(
        '"data.k" is not a known field selector: only "metadata.name", "metadata.namespace"',
      ),
    );
  });

  test("may use a field's old name", () => {
    const aliases = new Map([["spec.host", "spec.nodeName"]]);
    const offered = { namespaced: true, own: ["spec.nodeName"], aliases };
    const selector = offeredFields(parseFieldSelector("spec.host=n1,metadata.name=a"), offered);
    assert.equal(selector.toString(), "metadata.name=a,spec.nodeName=n1");
  });
});

test("any value survives being escaped", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."ab\\,=!\n𝒳".split(/(?:)/u)) }), (value) => {
      const selector = parseFieldSelector(`a=${escapeFieldValue(value)}`);
      assert.equal(selector.requiredEquals("a"), value);
      assert.deepEqual(parseFieldSelector(selector.toString()).requirements, selector.requirements);
    }),
  );
});
