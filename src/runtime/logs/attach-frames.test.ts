import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { encodeFrame, type FrameKind, frameDecoder } from "./attach-frames.ts";
import { encodeMessage, messageDecoder } from "./keeper-protocol.ts";

const frame = fc.tuple(
  fc.constantFrom<FrameKind>("stdin", "stdout", "stderr", "end"),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
);

test("frames behind a message arrive whole and in order, however the bytes are cut", () => {
  fc.assert(
    fc.property(
      fc.array(frame, { maxLength: 20 }),
      fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1 }),
      (frames, cuts) => {
        const message = { seq: 1, text: "ümläut\n" };
        const bytes = Buffer.concat([
          Buffer.from(encodeMessage(message)),
          ...frames.map(([kind, content]) => encodeFrame(kind, content)),
        ]);
        const messages: unknown[] = [];
        const received: [FrameKind, Buffer][] = [];
        const decode = messageDecoder({
          onMessage: (one) => {
            messages.push(one);
            return "frames";
          },
          onFrames: frameDecoder((kind, content) => received.push([kind, Buffer.from(content)])),
        });
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const cut = at + (cuts[turn % cuts.length] ?? 1);
          decode(bytes.subarray(at, cut));
          at = cut;
        }
        assert.deepEqual(messages, [message]);
        assert.deepEqual(received, frames);
      },
    ),
  );
});

test("what is no frame is refused", () => {
  const decode = frameDecoder(() => assert.fail("a frame"));
  assert.throws(() => decode(Buffer.from([9, 0, 0, 0, 0])), /not a frame/);
  const endless = frameDecoder(() => assert.fail("a frame"));
  assert.throws(() => endless(Buffer.from([1, 255, 0, 0, 0])), /not a frame/);
});
