import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { MAX_LINE_BYTES } from "./cri-log-line.ts";
import { LineSplitter } from "./line-splitter.ts";

type Line = readonly [content: string, isPartial: boolean];

function splitting(chunks: readonly Uint8Array[]): Line[] {
  const lines: Line[] = [];
  const splitter = new LineSplitter((content, isPartial) =>
    lines.push([Buffer.from(content).toString("latin1"), isPartial]),
  );
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return lines;
}

test("LineSplitter puts a line together that comes in pieces", () => {
  const lines = splitting(["ab", "", "c\n\nd", "e\n"].map((text) => Buffer.from(text)));
  assert.deepEqual(lines, [
    ["abc", false],
    ["", false],
    ["de", false],
  ]);
});

test("LineSplitter takes a line without an end for a partial one", () => {
  assert.deepEqual(splitting([Buffer.from("a\nb")]), [
    ["a", false],
    ["b", true],
  ]);
});

test("LineSplitter does not cut a line that is just as long as one may be", () => {
  const long = "x".repeat(MAX_LINE_BYTES);
  assert.deepEqual(splitting([Buffer.from(`${long}\n`)]), [[long, false]]);
});

test("LineSplitter cuts a line that is one byte too long", () => {
  const long = "x".repeat(MAX_LINE_BYTES);
  assert.deepEqual(splitting([Buffer.from(`${long}y\n`)]), [
    [long, true],
    ["y", false],
  ]);
});

test("LineSplitter loses no byte and makes the same lines however the bytes come", () => {
  const size = fc.nat({ max: 3 * MAX_LINE_BYTES });
  const line = fc.tuple(size, fc.boolean());
  fc.assert(
    fc.property(fc.array(line, { maxLength: 6 }), fc.array(fc.nat({ max: 70_000 })), (of, cuts) => {
      const text = of.map(([length, ends]) => "a".repeat(length) + (ends ? "\n" : "")).join("");
      const whole = splitting([Buffer.from(text)]);
      const joined = whole
        .map(([content, isPartial]) => content + (isPartial ? "" : "\n"))
        .join("");
      assert.equal(joined, text);
      assert.ok(whole.every(([content]) => content.length <= MAX_LINE_BYTES));
      const at = [...new Set(cuts.filter((cut) => cut < text.length))].sort((a, b) => a - b);
      const pieces = [0, ...at].map((from, i) =>
        Buffer.from(text.slice(from, at[i] ?? text.length)),
      );
      assert.deepEqual(splitting(pieces), whole);
    }),
    { numRuns: 60 },
  );
});
