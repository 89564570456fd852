import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DecodeError } from "./decode-error.ts";
import type { JsonValue } from "./json.ts";
import { parseYamlText } from "./yaml-text.ts";

function refusal(text: string): string {
  try {
    parseYamlText(text);
  } catch (err) {
    assert(err instanceof DecodeError, String(err));
    return err.message;
  }
  return "";
}

describe("parseYamlText", () => {
  it("gives unquoted words the meaning that the API gives them", () => {
    const cases: readonly (readonly [string, JsonValue])[] = [
      ["yes", true],
      ["On", true],
      ["y", true],
      ["off", false],
      ["N", false],
      ["oN", "oN"],
      ["~", null],
      ["", null],
      ["Null", null],
      ["12", 12],
      ["-7", -7],
      ["+5", 5],
      ["1_000", 1000],
      ["0777", 511],
      ["0o17", 15],
      ["0x1F", 31],
      ["0b101", 5],
      ["08", 8],
      ["1.50", 1.5],
      [".5", 0.5],
      ["1e3", 1000],
      ["1e999", "1e999"],
      ["12:30", "12:30"],
      ["190:20:30", "190:20:30"],
      ["2001-12-14", "2001-12-14"],
      ["2001-12-14T21:59:43Z", "2001-12-14T21:59:43Z"],
      ["1.2.3", "1.2.3"],
      ["0xyz", "0xyz"],
      ["500m", "500m"],
      ['"yes"', "yes"],
      ["'12'", "12"],
      ["!!str 12", "12"],
      ["!!float 12", 12],
      ["!custom word", "word"],
    ];
    for (const [text, value] of cases)
      assert.deepEqual(parseYamlText(`a: ${text}`).value, { a: value }, text);
  });

  it("makes strings of keys", () => {
    assert.deepEqual(
      parseYamlText("1: a\ntrue: b\n1.5: c\n__proto__: d\n").value,
      JSON.parse('{"1":"a","true":"b","1.5":"c","__proto__":"d"}'),
    );
  });

  it("follows aliases and merges maps, where what is said outright counts most", () => {
    const text =
      "base: &b {x: 1, w: 2}\nother: &o {w: 3, z: 4}\nthis:\n  <<: [*b, *o]\n  x: 0\nsame: *b\n";
    assert.deepEqual(parseYamlText(text).value, {
      base: { x: 1, w: 2 },
      other: { w: 3, z: 4 },
      this: { x: 0, w: 2, z: 4 },
      same: { x: 1, w: 2 },
    });
  });

  it("reports a key that is given twice by path, and by line as the API does", () => {
    const { value, duplicates, duplicatesInYaml } = parseYamlText(
      "data:\n  a: '1'\n  b: x\n  a: '2'\n",
    );
    assert.deepEqual(value, { data: { a: "2", b: "x" } });
    assert.deepEqual(duplicates, ["data.a"]);
    assert.equal(duplicatesInYaml, 'yaml: unmarshal errors:\n  line 4: key "a" already set in map');
  });

  it("reads JSON, and finds its duplicates", () => {
    assert.deepEqual(parseYamlText('{"a": [1, "yes"]}').value, { a: [1, "yes"] });
    assert.deepEqual(parseYamlText('{"a": 1, "a": 2}').duplicates, ["a"]);
    assert.deepEqual(parseYamlText("{a: [1, yes]}").value, { a: [1, true] });
  });

  it("takes an empty text for null", () => {
    assert.equal(parseYamlText("").value, null);
    assert.equal(parseYamlText("# nothing\n").value, null);
  });

  it("refuses aliases that stand for more than a document can hold", () => {
    const levels = Array.from(
      { length: 12 },
      (_, i) => `l${i + 1}: &l${i + 1} [${`*l${i}, `.repeat(9)}]`,
    );
    assert.equal(
      refusal(`l0: &l0 [x]\n${levels.join("\n")}\n`),
      "yaml: document contains excessive aliasing",
    );
  });

  it("refuses an anchor that contains itself", () => {
    assert.equal(refusal("a: &a [*a]"), "yaml: anchor 'a' value contains itself");
  });

  it("refuses nesting that would exhaust the stack", () => {
    assert.match(refusal("[".repeat(50_000)), /^yaml: .*exceeded max depth$/);
    assert.match(refusal("- ".repeat(20_000)), /^yaml: .*exceeded max depth$/);
  });

  it("refuses what has no place in JSON or in the API", () => {
    assert.equal(refusal("a: 1\n---\nb: 2\n"), "yaml: expected a single document");
    assert.equal(refusal("a: .inf"), "yaml: json: unsupported value: .inf");
    assert.equal(refusal("a: !!int x"), "yaml: cannot decode !!str `x` as a !!int");
    assert.equal(refusal("a: !!binary aGk="), "yaml: !!binary data is not supported");
    assert.equal(refusal("a: *b"), "yaml: unknown anchor 'b' referenced");
    assert.equal(refusal("[a]: 1"), "yaml: invalid map key");
    assert.equal(refusal("~: 1"), "yaml: unsupported map key of type: null");
    assert.equal(refusal("<<: 1"), "yaml: map merge requires map or sequence of maps as the value");
  });

  it("says in Kubernetes' words what is wrong, and in which line", () => {
    assert.equal(refusal("a: 1\nb: [\n"), "yaml: line 2: did not find expected node content");
    assert.equal(refusal(": : :\n  - ["), "yaml: did not find expected key");
    assert.equal(refusal("{a: [1, 2}"), "yaml: did not find expected ',' or ']'");
  });

  it("refuses what Kubernetes refuses, also if it is YAML 1.2", () => {
    assert.equal(refusal("a: 1\n: 2\n"), "yaml: line 1: did not find expected key");
    assert.equal(refusal("%YAML 1.2\n---\na: b\n"), "yaml: found incompatible YAML document");
  });

  it("refuses what Kubernetes ignores: what comes after the value", () => {
    assert.equal(refusal("  a: 1\nb: 2\n"), "yaml: line 2: unexpected scalar at node end");
    assert.equal(refusal("a: 1\n...\nb: [\n"), "yaml: expected a single document");
    assert.equal(refusal("a: [\n---\nb: 1\n"), "yaml: line 1: did not find expected node content");
  });

  it("refuses a text of so many words that reading it would keep everybody waiting", () => {
    assert.equal(refusal("a: 1\n".repeat(50_000)), "yaml: document is too complex, send JSON");
    const line = `  ${"a word ".repeat(10)}\n`;
    assert.deepEqual(Object.keys(parseYamlText(`a: |\n${line.repeat(30_000)}`).value ?? {}), ["a"]);
  });

  it("refuses a long text that is named again and again", () => {
    const text = `a: &a ${"x".repeat(1_000_000)}\nb: [${"*a, ".repeat(2000)}*a]`;
    assert.equal(refusal(text), "yaml: document contains excessive aliasing");
  });
});
