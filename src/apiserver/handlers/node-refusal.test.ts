import { deepEqual } from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { describe, it } from "node:test";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { nodeRefusal } from "./node-refusal.ts";

function answer(statusCode: number, text: string): IncomingMessage & PassThrough {
  const body = new PassThrough();
  body.write(text);
  return Object.assign(body, { statusCode }) as unknown as IncomingMessage & PassThrough;
}

describe("nodeRefusal", () => {
  it("tells what the node said, with its code", async () => {
    const response = answer(404, "pod does not exist\n");
    response.end();
    const { code, reason, message } = await nodeRefusal(response, { clock: new FakeClock() });
    deepEqual([code, reason, message], [404, "NotFound", "pod does not exist"]);
  });

  it("does not wait for a node that does not come to the end", async () => {
    const clock = new FakeClock();
    const refused = nodeRefusal(answer(500, "because"), { clock, before: "not upgraded: " });
    await clock.step(10_000);
    const { code, message } = await refused;
    deepEqual([code, message], [500, "Internal error occurred: not upgraded: because"]);
  });
});
