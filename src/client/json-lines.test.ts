import { deepEqual, rejects } from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { JsonValue } from "../api/json.ts";
import { jsonLines } from "./json-lines.ts";

async function* chunksOf(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  let start = 0;
  for (const cut of [...cuts.map((one) => one % (bytes.length + 1)), bytes.length].sort(
    (a, b) => a - b,
  )) {
    yield await Promise.resolve(bytes.subarray(start, cut));
    start = cut;
  }
}

async function read(
  text: string,
  cuts: readonly number[] = [],
  max?: number,
): Promise<JsonValue[]> {
  const values: JsonValue[] = [];
  for await (const value of jsonLines(chunksOf(Buffer.from(text), cuts), max)) values.push(value);
  return values;
}

describe("jsonLines", () => {
  it("gives the same values however the bytes are cut, within characters too", async () => {
    const lines = fc.array(fc.jsonValue() as fc.Arbitrary<JsonValue>, { maxLength: 6 });
    const cuts = fc.array(fc.nat(400), { maxLength: 12 });
    const property = fc.asyncProperty(lines, cuts, async (values, at) => {
      const text = values.map((value) => `${JSON.stringify(value)}\n`).join("");
      deepEqual(await read(text, at), JSON.parse(JSON.stringify(values)));
    });
    await fc.assert(property);
  });

  it("skips empty lines", async () => {
    deepEqual(await read("\n1\n\r\n2\n"), [1, 2]);
  });

  it("refuses a line that is longer than the limit, before it has all of it", async () => {
    deepEqual(await read('"abcd"\n', [3], 6), ["abcd"]);
    await rejects(read('"abcde"\n', [3], 6), /more than 6 bytes/);
    await rejects(read('"abcdefgh', [3, 5, 7], 6), /more than 6 bytes/);
  });

  it("says that the stream broke off within a line", async () => {
    await rejects(read('1\n{"a":'), /ended in the middle of a line/);
  });

  it("never shows what is in a line", async () => {
    await rejects(read("s3cret\n"), (err: Error) => !`${err.stack}`.includes("s3cret"));
  });
});
