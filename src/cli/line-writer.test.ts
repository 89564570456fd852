import { deepEqual, equal } from "node:assert/strict";
import { PassThrough } from "node:stream";
import { describe, it } from "node:test";
import fc from "fast-check";
import { LineWriter } from "./line-writer.ts";

const textOf = (out: PassThrough): string => String(out.read() ?? "");

describe("LineWriter", () => {
  it("holds the beginning of a line until its end comes", async () => {
    const out = new PassThrough();
    const writer = new LineWriter(out, "[a] ");
    await writer.write(Buffer.from("on"));
    equal(textOf(out), "");
    await writer.write(Buffer.from("e\ntwo\nthr"));
    equal(textOf(out), "[a] one\n[a] two\n");
    await writer.end();
    equal(textOf(out), "[a] thr");
  });

  it("waits for a reader that is slow", async () => {
    const out = new PassThrough({ highWaterMark: 1 });
    let isWritten = false;
    const written = new LineWriter(out, "").write(Buffer.from("line\n")).then(() => {
      isWritten = true;
    });
    await Promise.resolve();
    equal(isWritten, false);
    equal(textOf(out), "line\n");
    await written;
  });

  it("never mixes lines of two, however they come in pieces", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.boolean(), fc.constantFrom("x", "\n", "yz\nx", "\n\n"))),
        async (pieces) => {
          const out = new PassThrough();
          const writers = [new LineWriter(out, "a:"), new LineWriter(out, "b:")] as const;
          const sent = ["", ""];
          for (const [isSecond, piece] of pieces) {
            sent[Number(isSecond)] += piece;
            await writers[Number(isSecond) as 0 | 1].write(Buffer.from(piece));
          }
          const lines = textOf(out).split("\n").slice(0, -1);
          for (const [index, name] of ["a:", "b:"].entries()) {
            const own = lines.filter((line) => line.startsWith(name)).map((line) => line.slice(2));
            deepEqual(own, (sent[index] ?? "").split("\n").slice(0, -1));
          }
        },
      ),
    );
  });
});
