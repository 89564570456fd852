import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { ByteQueue } from "./byte-queue.ts";

function drain(queue: ByteQueue): Buffer[] {
  const pieces: Buffer[] = [];
  for (let piece = queue.shift(); piece; piece = queue.shift()) pieces.push(piece);
  return pieces;
}

describe("ByteQueue", () => {
  it("gives back what was pushed, in order, whatever the sizes and whenever it is read", () => {
    const step = fc.oneof(
      fc.record({ push: fc.oneof(fc.nat(40), fc.integer({ min: 4000, max: 20_000 })) }),
      fc.constant({ push: undefined }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const queue = new ByteQueue();
        const pushed: Buffer[] = [];
        const read: Buffer[] = [];
        for (const [index, { push }] of steps.entries()) {
          if (push === undefined) {
            const piece = queue.shift();
            if (piece) read.push(piece);
          } else {
            const bytes = Buffer.alloc(push, index);
            pushed.push(Buffer.from(bytes));
            queue.push(bytes);
          }
          assert.equal(queue.size, Buffer.concat(pushed).length - Buffer.concat(read).length);
        }
        read.push(...drain(queue));
        assert.ok(Buffer.concat(read).equals(Buffer.concat(pushed)));
      }),
    );
  });

  it("keeps a byte at a time in few pieces", () => {
    const queue = new ByteQueue();
    for (let i = 0; i < 100_000; i++) queue.push(Buffer.from([i & 255]));
    assert.equal(queue.size, 100_000);
    assert.ok(drain(queue).length <= 7);
  });

  it("is empty after it was cleared", () => {
    const queue = new ByteQueue();
    queue.push(Buffer.alloc(10));
    queue.push(Buffer.alloc(10_000));
    queue.clear();
    assert.equal(queue.size, 0);
    assert.equal(queue.shift(), undefined);
  });
});
