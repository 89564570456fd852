import assert from "node:assert/strict";
import { test } from "node:test";
import { LogLineWriter, MAX_PREFIX_BYTES } from "./cri-log-line.ts";

const stamp = "2026-11-16T05:58:56.123456789Z";

test("a line of a log has its time, stream, tag and content", () => {
  const target = Buffer.alloc(100);
  const content = Buffer.from("hello");
  const end = new LogLineWriter().write(target, 0, {
    stamp,
    stream: "stdout",
    isPartial: false,
    content,
  });
  assert.equal(target.toString("utf8", 0, end), `${stamp} stdout F hello\n`);
});

test("a line of a log keeps bytes that are no text", () => {
  const target = Buffer.alloc(100);
  const content = Uint8Array.of(0xff, 0, 0xc3, 0x28);
  const end = new LogLineWriter().write(target, 10, {
    stamp,
    stream: "stderr",
    isPartial: true,
    content,
  });
  assert.equal(end, 10 + MAX_PREFIX_BYTES + content.length + 1);
  assert.equal(target.toString("latin1", 10, end), `${stamp} stderr P \xff\0\xc3(\n`);
});
