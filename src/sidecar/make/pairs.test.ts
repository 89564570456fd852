import { deepEqual, equal, throws } from "node:assert/strict";
import { describe, it } from "node:test";
import { parseDotenv } from "@driftless/config";
import fc from "fast-check";
import { dotenvLine, parsedDotenv } from "./dotenv.ts";
import { iniText, parsedIni } from "./ini.ts";
import type { Input } from "./make-error.ts";
import { type PairsFormat, pairs } from "./pairs.ts";
import { parsedProperties, propertiesLine } from "./properties.ts";

function written(format: PairsFormat, files: Readonly<Record<string, string>>): string {
  const inputs = Object.entries(files).map(
    ([name, text]): Input => ({
      address: `app/${name}`,
      name,
      data: Buffer.from(text),
      isSecret: false,
    }),
  );
  return Buffer.from(pairs(inputs, format)).toString();
}

/** Text without NUL, of which sh cannot hold any, and without the CRs that dotenv readers fold. */
const anyText = fc.string({ unit: "grapheme", maxLength: 20 }).filter((one) => !/[\0\r]/.test(one));
const spiced = fc.oneof(
  anyText,
  fc
    .array(fc.constantFrom("'", '"', "\\", "$", "`", "\n", " ", "#", "=", "a"), { maxLength: 8 })
    .map((one) => one.join("")),
);

describe("pairs", () => {
  it("makes each file a key, without the line end of its text", () => {
    equal(
      written("dotenv", { HOST: "db\n", PORT: "5432", NOTE: "a b" }),
      "HOST=db\nPORT=5432\nNOTE='a b'\n",
    );
  });

  it("reads files in the format itself, the later key wins", () => {
    const files = { "base.env": "A=1\nB=2 # two\nexport C='x y'\n", B: "3" };
    equal(written("dotenv", files), "A=1\nB=3\nC='x y'\n");
  });

  it("refuses a key that no shell would take, by its name", () => {
    throws(() => written("dotenv", { "log.level": "x" }), /"log\.level" cannot be a variable/);
  });

  it("refuses a line that is no assignment, without showing it", () => {
    throws(
      () => written("dotenv", { "a.env": "A=1\nhunter2\n" }),
      /^MakeError: app\/a\.env:2: expected KEY=value$/,
    );
    throws(
      () => written("dotenv", { "a.env": "A='hunter2" }),
      /^MakeError: app\/a\.env:1: the quote is never closed$/,
    );
  });

  it("escapes properties as Java reads them", () => {
    equal(
      written("properties", { "a b": " x:\\y\nz", ü: "é€" }),
      "a\\ b=\\ x:\\\\y\\nz\n\\u00fc=\\u00e9\\u20ac\n",
    );
  });

  it("reads continued lines, comments and all separators of properties", () => {
    const text = "# c\n! d\na = 1\nb:2\nc 3\nd=x\\\n   y\ne\n";
    equal(written("properties", { "a.properties": text }), "a=1\nb=2\nc=3\nd=xy\ne=\n");
  });

  it("puts keys with a section under it in INI", () => {
    equal(
      written("ini", { top: "1", "db.host": "h", "db.port": "5", "web/x": " y " }),
      'top = 1\n\n[db]\nhost = h\nport = 5\n\n[web]\nx = " y "\n',
    );
  });

  it("refuses a value of several lines in INI", () => {
    throws(() => written("ini", { a: "x\ny" }), /line end/);
  });
});

describe("round trips", () => {
  it("dotenv: our reader and the library's read what is written", () => {
    fc.assert(
      fc.property(spiced, (value) => {
        const line = dotenvLine("A", value);
        deepEqual([...parsedDotenv(line, "x")], [["A", value]]);
        // The library knows no escape for a backtick, which a shell needs.
        if (!value.includes("`")) equal(parseDotenv(line)["A"], value);
      }),
      { numRuns: 300 },
    );
  });

  it("properties", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string(), (key, value) => {
        deepEqual([...parsedProperties(propertiesLine(key, value))], [[key, value]]);
      }),
      { numRuns: 300 },
    );
  });

  it("INI", () => {
    const line = spiced.filter((one) => !one.includes("\n") && !/\p{Cc}|\u2028|\u2029/u.test(one));
    fc.assert(
      fc.property(line, (value) => {
        deepEqual([...parsedIni(iniText(new Map([["s/k", value]])), "x")], [["s/k", value]]);
      }),
      { numRuns: 300 },
    );
  });
});
