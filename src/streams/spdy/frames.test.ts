import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type Frame, FrameReader, FrameWriter } from "./frames.ts";
import { HeaderReader } from "./header-blocks.ts";
import { SpdyError } from "./spdy-error.ts";

/** Reads the bytes in pieces of these sizes, the rest at once, and joins the parts of data frames that belong together. */
function read(bytes: Buffer, cuts: readonly number[]): Frame[] {
  const reader = new FrameReader(new HeaderReader());
  const frames: Frame[] = [];
  let at = 0;
  for (const cut of [...cuts, bytes.length]) {
    for (const frame of reader.read(bytes.subarray(at, at + cut))) {
      const last = frames.at(-1);
      const continues =
        frame.type === "data" &&
        last?.type === "data" &&
        last.streamId === frame.streamId &&
        !last.isLast;
      if (continues) {
        frames.splice(-1, 1, { ...frame, bytes: Buffer.concat([last.bytes, frame.bytes]) });
      } else {
        frames.push(frame);
      }
    }
    at += cut;
  }
  return frames;
}

const id = fc.integer({ min: 1, max: 0x7fff_ffff });
const headers = fc
  .dictionary(
    fc.stringMatching(/^[a-z]{1,8}$/),
    fc.string({ maxLength: 10, unit: "grapheme-ascii" }),
  )
  .map((object) => new Map(Object.entries(object)));
const frameArbitrary: fc.Arbitrary<Frame> = fc.oneof(
  fc.record({
    type: fc.constant("data" as const),
    streamId: id,
    bytes: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    // So that two frames are never taken for parts of one.
    isLast: fc.constant(true),
  }),
  fc.record({
    type: fc.constant("synStream" as const),
    streamId: id,
    headers,
    isLast: fc.boolean(),
  }),
  fc.record({
    type: fc.constant("rstStream" as const),
    streamId: id,
    status: fc.integer({ min: 1, max: 11 }),
  }),
  fc.record({ type: fc.constant("settings" as const), initialWindow: fc.nat(0x7fff_ffff) }),
  fc.record({ type: fc.constant("ping" as const), id: fc.nat(0xffff_ffff) }),
  fc.constant({ type: "goAway" as const }),
  fc.record({
    type: fc.constant("windowUpdate" as const),
    streamId: fc.nat(100),
    delta: fc.nat(0x7fff_ffff),
  }),
);

function write(writer: FrameWriter, frame: Frame): Buffer {
  switch (frame.type) {
    case "data":
      return writer.data(frame.streamId, frame.bytes, frame.isLast);
    case "synStream":
      return writer.synStream(frame.streamId, frame.headers, frame.isLast);
    case "headers":
      return writer.synReply(frame.streamId);
    case "rstStream":
      return writer.rstStream(frame.streamId, frame.status);
    case "settings":
      return writer.settings(frame.initialWindow ?? 0);
    case "ping":
      return writer.ping(frame.id);
    case "goAway":
      return writer.goAway(0, 0);
    case "windowUpdate":
      return writer.windowUpdate(frame.streamId, frame.delta);
  }
}

describe("FrameReader", () => {
  it("reads any frames, however their bytes are cut", () => {
    fc.assert(
      fc.property(
        fc.array(frameArbitrary, { maxLength: 12 }),
        fc.array(fc.nat(30), { maxLength: 80 }),
        (frames, cuts) => {
          const writer = new FrameWriter();
          const bytes = Buffer.concat(frames.map((frame) => write(writer, frame)));
          const expected = frames.map((frame) => ({ ...frame }));
          assert.deepEqual(read(bytes, cuts), expected);
        },
      ),
    );
  });

  it("reads a session of kubectl 1.20 as it was recorded", () => {
    const recorded =
      "gAMAAQAAACkAAAABAAAAAAAAePnjxqfCYmBgYASns5Ki1MRcaFHCmgoKaAAAAAD//4ADAAEAAAAXAAAAAwAAAAAAAMIuVVySkpkHAAAA//+AAwAB" +
      "AAAAGQAAAAUAAAAAAADCKsVWXJKSX1oCAAAA//+AAwABAAAAFQAAAAcAAAAAAADCKZdaVAQAAAD//wAAAAMAAAALc3RkaW4gZGF0YQoAAAADAQAA" +
      "AIADAAMAAAAIAAAAAQAAAAWAAwADAAAACAAAAAUAAAAFgAMAAwAAAAgAAAAHAAAABYADAAcAAAAIAAAAAAAAAAA=";
    const opened = (streamId: number, name: string): Frame => ({
      type: "synStream",
      streamId,
      headers: new Map([["streamtype", name]]),
      isLast: false,
    });
    const reset = (streamId: number): Frame => ({ type: "rstStream", streamId, status: 5 });
    assert.deepEqual(read(Buffer.from(recorded, "base64"), []), [
      opened(1, "error"),
      opened(3, "stdin"),
      opened(5, "stdout"),
      opened(7, "stderr"),
      { type: "data", streamId: 3, bytes: Buffer.from("stdin data\n"), isLast: true },
      reset(1),
      reset(5),
      reset(7),
      { type: "goAway" },
    ]);
  });

  it("hands on a data frame of 16 MB without holding it", () => {
    const reader = new FrameReader(new HeaderReader());
    const head = Buffer.from("0000000101ffffff", "hex");
    const piece = Buffer.alloc(65_535);
    assert.deepEqual([...reader.read(head)], []);
    for (let at = 0; at + piece.length < 0xff_ffff; at += piece.length) {
      const [frame, ...more] = [...reader.read(piece)];
      assert.ok(frame?.type === "data" && more.length === 0);
      assert.equal(frame.bytes.buffer, piece.buffer);
      assert.equal(frame.isLast, false);
    }
  });

  const wrong: Readonly<Record<string, string>> = {
    "a control frame beyond all measure": "8003000100ffffff",
    "a frame of another version": "8002000600000004",
    "data for stream zero": "0000000000000001",
    "a control frame of unknown type": "800300630000000100",
    "a ping without a number": "800300060000000100",
    "a stream with number zero": "80030001000000120000000000000000000078bbe3c6a7c20000",
    "settings that name more than there are": "80030004000000047fffffff",
    "a reset that is too short": "800300030000000400000001",
  };
  for (const [what, bytes] of Object.entries(wrong)) {
    it(`refuses ${what}`, () => {
      assert.throws(() => read(Buffer.from(bytes, "hex"), []), SpdyError);
    });
  }

  it("fails only with a SpdyError, whatever it is given", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(1, 2, 3, 4, 6, 7, 8, 9, 10),
        fc.uint8Array({ maxLength: 60 }),
        fc.array(fc.nat(10)),
        (type, body, cuts) => {
          const head = Buffer.from([0x80, 3, 0, type, 0, 0, 0, body.length]);
          try {
            read(Buffer.concat([head, body]), cuts);
          } catch (err) {
            assert.ok(err instanceof SpdyError);
          }
        },
      ),
    );
  });
});
