import { deepEqual, doesNotThrow, equal, ok } from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { ContentCheck } from "./check-protocol.ts";
import { FormatError } from "./format-error.ts";
import { matchesKey } from "./key-pattern.ts";
import { type Format, formatOf, parseContent } from "./parse-content.ts";
import { runChecks } from "./run-checks.ts";

const SECRET = "hunter2";

function refusal(
  check: Partial<ContentCheck>,
  content: Readonly<Record<string, string | Uint8Array>>,
) {
  const whole = {
    namespace: "n",
    policy: "p",
    name: "c",
    keys: [],
    format: undefined,
    schema: undefined,
    ...check,
  };
  const bytes = Object.entries(content).map(
    ([key, value]) => [key, typeof value === "string" ? Buffer.from(value) : value] as const,
  );
  return runChecks([whole], new Map(bytes), () => undefined);
}

const detail = (check: Partial<ContentCheck>, value: string): string | undefined =>
  refusal(check, { key: value })?.detail;

describe("a check of a format", () => {
  const good: readonly (readonly [Format, string, unknown])[] = [
    ["JSON", '{"a": [1, null, "x"]}', { a: [1, null, "x"] }],
    ["YAML", "a: &x [1, 2]\nb: *x\n", { a: [1, 2], b: [1, 2] }],
    ["TOML", 'a = 1\n[b]\nc = "x"\n', { a: 1, b: { c: "x" } }],
    [
      "INI",
      '; a\n# b\ntop = 1\n[s]\na=1 = 2\nb: "x y"\nempty =\n',
      { top: "1", s: { a: "1 = 2", b: "x y", empty: "" } },
    ],
    [
      "Properties",
      "# a\n! b\na.b = c\nd:e\nf g\nlong = one \\\n   two\nu = \\u0041\\n\nk\\ ey = v\nnone\n",
      { "a.b": "c", d: "e", f: "g", long: "one two", u: "A\n", "k ey": "v", none: "" },
    ],
  ];
  for (const [format, text, value] of good) {
    it(`reads ${format}`, () => {
      equal(refusal({ format }, { key: text }), undefined);
      const [parsed] = parseContent(text, format);
      deepEqual(JSON.parse(JSON.stringify(parsed)), value);
    });
  }

  const bad: readonly (readonly [Format, string, string])[] = [
    ["JSON", `{"a": "${SECRET}",\n  ${SECRET}}`, "line 2, column 3: a mistake in the syntax"],
    ["JSON", "", "line 1, column 1: a mistake in the syntax"],
    ["JSON", `{"a": 1, "a": "${SECRET}"}`, "a member is given twice"],
    ["YAML", `a: "${SECRET}\nb: ]`, "line 2, column 5: a mistake in the syntax (MISSING_CHAR)"],
    ["YAML", `a: ${SECRET}\na: 2\n`, "line 2, column 1: a mistake in the syntax (DUPLICATE_KEY)"],
    ["YAML", `a: *${SECRET}`, "an alias that leads nowhere, or too many of them"],
    ["TOML", `a = 1\nb = ${SECRET}`, "line 2, column 5: a mistake in the syntax"],
    ["INI", `a = 1\n  ${SECRET}\n`, "line 2, column 3: neither a section nor a value"],
    ["INI", `[a\n${SECRET}=1`, "line 1, column 1: neither a section nor a value"],
    ["INI", "[a]\n[b]\n[a]\n", "line 3, column 1: a section is given twice"],
    ["INI", "a=1\na: 2\n", "line 2, column 1: a value is given twice"],
    [
      "Properties",
      `a=1\nb=\\u00x${SECRET}`,
      "line 2, column 1: an escape needs four digits after \\u",
    ],
    ["Properties", `a=1\na ${SECRET}`, "line 2, column 1: a key is given twice"],
  ];
  for (const [format, text, why] of bad) {
    it(`refuses what is not ${format}: ${why}`, () => {
      const found = refusal({ format }, { key: text });
      deepEqual(found, {
        policy: "p",
        check: "c",
        key: "key",
        kind: "Format",
        detail: found?.detail,
      });
      equal(found?.detail, why);
      ok(!JSON.stringify(found).includes(SECRET), JSON.stringify(found));
    });
  }

  it("refuses what is not text", () => {
    equal(
      refusal({ format: "YAML" }, { key: Buffer.from([0xc3, 0x28]) })?.detail,
      "it is not text in UTF-8",
    );
  });

  it("refuses a bomb of aliases without unfolding it", () => {
    const levels = Array.from(
      { length: 30 },
      (_, i) => `l${i + 1}: &l${i + 1} [${Array.from({ length: 9 }, () => `*l${i}`).join()}]`,
    );
    equal(
      detail({ format: "YAML" }, ["l0: &l0 lol", ...levels].join("\n")),
      "an alias that leads nowhere, or too many of them",
    );
  });

  it("refuses in words of its own or not at all, whatever it is given", () => {
    const mean = "{}[]:,\"'\\&*!|>%@`#=-?~ \t\n\r.019eEabu\u0000\ufeff\ud800é".split("");
    const text = fc.string({ unit: fc.constantFrom(...mean), maxLength: 60 });
    const formats: readonly Format[] = ["JSON", "YAML", "TOML", "INI", "Properties"];
    fc.assert(
      fc.property(fc.constantFrom(...formats), text, (format, text) => {
        try {
          parseContent(text, format);
        } catch (err) {
          ok(err instanceof FormatError, String(err));
        }
      }),
    );
  });
});

describe("a check of a schema", () => {
  const schema = {
    type: "object",
    required: ["port"],
    additionalProperties: false,
    properties: { port: { type: "integer" }, level: { enum: ["info", "debug"] }, at: { const: 1 } },
  };

  it("passes what fulfils it, and says path and rule of what does not", () => {
    const check = { format: "YAML" as const, schema };
    equal(detail(check, "port: 80"), undefined);
    equal(detail(check, "level: info"), "at /: required (port)");
    equal(detail(check, `port: ${SECRET}`), "at /port: type");
    equal(detail(check, "{port: 1, prot: 2}"), "at /: additionalProperties (prot)");
    equal(detail(check, `{port: 1, level: ${SECRET}}`), "at /level: enum");
    equal(detail(check, `{port: 1, at: ${SECRET}}`), "at /at: const");
  });

  it("holds for every document of a YAML text", () => {
    equal(detail({ format: "YAML", schema }, "port: 1\n---\nport: x\n"), "at /port: type");
  });

  it("reads a value as the name of its key says, and else as text", () => {
    equal(formatOf("app.yml"), "YAML");
    equal(refusal({ schema }, { "app.json": '{"port": 1}' }), undefined);
    equal(refusal({ schema: { enum: ["info"] } }, { "log.level": "info" }), undefined);
    equal(refusal({ schema: { enum: ["info"] } }, { "log.level": "x" })?.detail, "at /: enum");
  });

  it("knows the dialect that it names", () => {
    const tuple = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      prefixItems: [{ type: "string" }],
    };
    equal(detail({ format: "JSON", schema: tuple }, "[1]"), "at /0: type");
  });

  for (const [what, schema] of [
    ["a number", 7],
    ["no schema", { type: "nonsense" }],
    ["elsewhere", { $ref: "https://example.com/schema.json" }],
    ["asynchronous", { $async: true, type: "string" }],
  ] as const) {
    it(`refuses everything while it cannot be used: ${what}`, () => {
      equal(refusal({ schema }, { a: "x" })?.kind, "Unusable");
    });
  }

  it("is for the keys that its patterns name", () => {
    const check = { keys: ["*.json", "x?"], format: "JSON" as const };
    equal(refusal(check, { "a.yaml": "{", x: "{" }), undefined);
    equal(refusal(check, { "a.json": "{" })?.key, "a.json");
    equal(refusal(check, { x1: "{" })?.key, "x1");
  });
});

describe("a pattern of keys", () => {
  it("stands for whole keys", () => {
    for (const pattern of ["*", "a*", "*b", "a*b", "a?b", "a.b", "**a**.**b**"]) {
      ok(matchesKey([pattern], "a.b"), pattern);
    }
    for (const pattern of ["", "a", "?", "*c", "a.b?", "aXb", ".*"])
      ok(!matchesKey([pattern], "a.b"), pattern);
  });

  it("says what a regular expression would, in little time", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 8 });
    const pattern = fc.string({ unit: fc.constantFrom("a", "b", "*", "?"), maxLength: 6 });
    fc.assert(
      fc.property(pattern, text, (one, key) => {
        const source = one.replaceAll("*", ".*").replaceAll("?", ".");
        equal(matchesKey([one], key), new RegExp(`^${source}$`).test(key));
      }),
    );
    doesNotThrow(() => matchesKey(["*a".repeat(120)], "a".repeat(252).concat("b")));
  });
});
