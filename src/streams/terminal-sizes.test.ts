import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { TerminalSizeReader } from "./terminal-sizes.ts";

describe("TerminalSizeReader", () => {
  it("reads sizes that are cut anywhere", () => {
    const cells = fc.integer({ min: 1, max: 65_535 });
    const sizes = fc.array(fc.record({ columns: cells, rows: cells }), { maxLength: 10 });
    fc.assert(
      fc.property(sizes, fc.array(fc.nat(40)), (sizes, cuts) => {
        const text = sizes
          .map(({ columns, rows }) => `{"Width":${columns},"Height":${rows}}\n`)
          .join("");
        const reader = new TerminalSizeReader();
        const read = [];
        let at = 0;
        for (const cut of [...cuts, text.length]) {
          read.push(...reader.read(Buffer.from(text.slice(at, at + cut))));
          at += cut;
        }
        const expected = sizes.map((size) => ({ ...size }));
        assert.deepEqual(read, expected);
      }),
    );
  });

  it("reads the field names as client-node writes them", () => {
    const read = new TerminalSizeReader().read(Buffer.from('{"height":25,"width":80}'));
    assert.deepEqual(read, [{ columns: 80, rows: 25 }]);
  });

  it("leaves out what is no size of a terminal", () => {
    const reader = new TerminalSizeReader();
    const text =
      '{"Width":0,"Height":0}{"Width":70000,"Height":5}{"Width":"8","Height":5}{}{"Width":8,"Height":5}';
    assert.deepEqual(reader.read(Buffer.from(text)), [{ columns: 8, rows: 5 }]);
  });

  it("reads nothing behind what is not JSON, and keeps nothing of it", () => {
    const reader = new TerminalSizeReader();
    assert.deepEqual(reader.read(Buffer.from('nonsense}{"Width":8,"Height":5}')), []);
    const endless = new TerminalSizeReader();
    assert.deepEqual(endless.read(Buffer.alloc(5_000, "x")), []);
    assert.deepEqual(endless.read(Buffer.from('}{"Width":8,"Height":5}')), []);
  });
});
