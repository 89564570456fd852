import { equal } from "node:assert/strict";
import { describe, it } from "node:test";
import { chunkedFrame, chunkOf } from "./chunked-frame.ts";

describe("chunkedFrame", () => {
  it("joins its pieces", () => {
    equal(chunkedFrame(Buffer.from('{"a":'), Buffer.from("1}\n")).toString(), '{"a":1}\n');
  });

  it("has a chunk with the length in bytes, in hexadecimal", () => {
    const frame = chunkedFrame(Buffer.from("ä".repeat(10)));
    equal(chunkOf(frame).toString(), `14\r\n${"ä".repeat(10)}\r\n`);
  });

  it("shares its memory with its chunk", () => {
    const frame = chunkedFrame(Buffer.from("abc"));
    equal(frame.buffer, chunkOf(frame).buffer);
  });
});

describe("chunkOf", () => {
  it("makes a chunk also of bytes that were framed by nobody", () => {
    equal(chunkOf(Buffer.from("abc")).toString(), "3\r\nabc\r\n");
  });

  it("gives the same chunk to all who send a frame", () => {
    const frame = chunkedFrame(Buffer.from("abc"));
    equal(chunkOf(frame), chunkOf(frame));
  });
});
