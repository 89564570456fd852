import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { StoreUnavailableError } from "./store.ts";
import { type SizedWrite, WaitingWrites } from "./waiting-writes.ts";

const MIB = 2 ** 20;

function addAll(waiting: WaitingWrites, write: SizedWrite, count: number): void {
  for (let i = 0; i < count; i++) waiting.add(write);
}

describe("WaitingWrites", () => {
  it("refuses one more than 10,000 writes, until one has gone", () => {
    const waiting = new WaitingWrites();
    const write = { key: "/a", value: undefined };
    addAll(waiting, write, 10_000);
    assert.throws(() => waiting.add(write), {
      name: "StoreUnavailableError",
      message: 'Cannot write "/a": 10000 writes wait',
    });
    waiting.remove(write);
    waiting.add(write);
  });

  it("refuses more than 256 MiB, until some of them have gone", () => {
    const waiting = new WaitingWrites();
    const write = { key: "/a", value: new Uint8Array(MIB) };
    addAll(waiting, write, 256);
    assert.throws(() => waiting.add({ key: "/b", value: undefined }), StoreUnavailableError);
    waiting.remove(write);
    waiting.add(write);
  });

  it("takes one write of any size when nothing else waits", () => {
    const waiting = new WaitingWrites();
    const write = { key: "/a", value: { length: 1000 * MIB } as Uint8Array };
    waiting.add(write);
    waiting.remove(write);
    waiting.add(write);
  });
});
