import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { type TempDir, tempDir } from "../../base/testing/temp-dir.ts";
import { ABSENT } from "./log-writer.ts";
import { WriteQueue } from "./write-queue.ts";

/** How many writes there were in each transaction, when all are asked for at once. */
async function groupsOf(dir: TempDir, values: readonly Uint8Array[]): Promise<number[]> {
  const groups: number[] = [];
  const queue = new WriteQueue({
    directory: dir.path,
    logger: new CaptureLogger(),
    publish: (events) => groups.push(events.length),
  });
  await queue.opened;
  const written = values.map((value, i) => queue.write(`/${i}`, value, ABSENT));
  for (const { ok } of await Promise.all(written)) assert.ok(ok);
  await queue.close();
  return groups;
}

describe("WriteQueue", () => {
  it("makes no transaction of all that is asked for at once, however many writes", async () => {
    using dir = tempDir();
    const values = Array.from({ length: 2500 }, () => new Uint8Array(1));
    assert.deepEqual(await groupsOf(dir, values), [1000, 1000, 500]);
  });

  it("makes no transaction of all that is asked for at once, however many bytes", async () => {
    using dir = tempDir();
    const values = Array.from({ length: 40 }, () => new Uint8Array(2 ** 20));
    assert.deepEqual(await groupsOf(dir, values), [16, 16, 8]);
  });
});
