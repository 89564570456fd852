import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { constants, createDeflate, deflateSync } from "node:zlib";
import fc from "fast-check";
import { HeaderReader, HeaderWriter, headerDictionary } from "./header-blocks.ts";
import { SpdyError } from "./spdy-error.ts";

/** The blocks as a client with a real compressor makes them: one stream, flushed after each. */
async function compressed(blocks: readonly Buffer[]): Promise<Buffer[]> {
  const deflate = createDeflate({ dictionary: headerDictionary, level: 9 });
  let written: Buffer[] = [];
  deflate.on("data", (bytes: Buffer) => written.push(bytes));
  const results: Buffer[] = [];
  for (const block of blocks) {
    deflate.write(block);
    await new Promise<void>((resolve) => deflate.flush(constants.Z_SYNC_FLUSH, resolve));
    results.push(Buffer.concat(written));
    written = [];
  }
  deflate.destroy();
  return results;
}

function plain(headers: Readonly<Record<string, string>>): Buffer {
  const number = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return bytes;
  };
  const entries = Object.entries(headers);
  return Buffer.concat([
    number(entries.length),
    ...entries.flat().flatMap((text) => [number(Buffer.byteLength(text)), Buffer.from(text)]),
  ]);
}

const headersArbitrary = fc.dictionary(
  fc.stringMatching(/^[a-z]{1,12}$/),
  fc.stringMatching(/^[ -~]{0,30}$/),
  { maxKeys: 8, noNullPrototype: true },
);

describe("HeaderReader", () => {
  it("reads what kubectl 1.20 sends", () => {
    const reader = new HeaderReader();
    // Recorded: the blocks of the first two streams that it opens.
    const recorded = ["ePnjxqfCYmBgYASns5Ki1MRcaFHCmgoKaAAAAAD//w==", "wirFVlySkl9aAgAAAP//"];
    assert.deepEqual(
      recorded.map((block) => [...reader.read(Buffer.from(block, "base64"))]),
      [[["streamtype", "error"]], [["streamtype", "stdout"]]],
    );
  });

  it("reads any headers from a stream that is flushed between them", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(headersArbitrary, { maxLength: 6 }), async (all) => {
        const reader = new HeaderReader();
        const blocks = await compressed(all.map(plain));
        const read = blocks.map((block) => Object.fromEntries(reader.read(block)));
        assert.deepEqual(read, all);
      }),
      { numRuns: 50 },
    );
  });

  it("reads on when more has passed than its window holds", async () => {
    const all = Array.from({ length: 40 }, (_, index) => ({ name: `${index}`.repeat(800) }));
    const reader = new HeaderReader();
    for (const [index, block] of (await compressed(all.map(plain))).entries()) {
      assert.deepEqual(Object.fromEntries(reader.read(block)), all[index]);
    }
  });

  it("reads what HeaderWriter writes", () => {
    fc.assert(
      fc.property(fc.array(headersArbitrary), (all) => {
        const [writer, reader] = [new HeaderWriter(), new HeaderReader()];
        for (const headers of all) {
          const block = writer.write(new Map(Object.entries(headers)));
          assert.deepEqual(Object.fromEntries(reader.read(block)), headers);
        }
      }),
    );
  });

  it("gives up on a block that grows without measure", () => {
    const bomb = deflateSync(Buffer.alloc(50_000_000), {
      dictionary: headerDictionary,
      level: 9,
    });
    assert.ok(bomb.length < 65_536);
    const before = process.memoryUsage().arrayBuffers;
    assert.throws(() => new HeaderReader().read(bomb), SpdyError);
    assert.ok(process.memoryUsage().arrayBuffers - before < 5_000_000);
  });

  const wrong: Readonly<Record<string, Buffer>> = {
    "is not compressed": Buffer.alloc(40),
    "is empty": Buffer.alloc(0),
    "has another dictionary": deflateSync(plain({ a: "b" }), { dictionary: Buffer.from("other") }),
    "is cut off": deflateSync(plain({ a: "b" }).subarray(0, 7), { dictionary: headerDictionary }),
    "names more headers than there can be": deflateSync(Buffer.from("7fffffff", "hex"), {
      dictionary: headerDictionary,
    }),
    "has a length beyond its end": deflateSync(Buffer.from("00000001ffffffff61", "hex"), {
      dictionary: headerDictionary,
    }),
    "repeats a name": deflateSync(
      Buffer.concat([
        Buffer.from("00000002", "hex"),
        plain({ a: "b" }).subarray(4),
        plain({ a: "b" }).subarray(4),
      ]),
      { dictionary: headerDictionary },
    ),
  };
  for (const [what, block] of Object.entries(wrong)) {
    it(`refuses a block that ${what}`, () => {
      assert.throws(() => new HeaderReader().read(block), SpdyError);
    });
  }

  it("fails only with a SpdyError, whatever it is given", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const block = Buffer.concat([Buffer.from("78bbe3c6a7c2", "hex"), bytes]);
        try {
          new HeaderReader().read(block);
        } catch (err) {
          assert.ok(err instanceof SpdyError);
        }
      }),
    );
  });
});
