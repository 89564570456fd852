import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CaptureLogger } from "./capture-logger.ts";

describe("CaptureLogger", () => {
  it("keeps the lines of all its children in order, with all their fields", () => {
    const logger = new CaptureLogger();
    const child = logger.child({ node: "n1" });

    logger.debug("a");
    child.info("b", { pod: "p" });
    child.child({ volume: "v" }).warn("c");
    logger.error("d", { code: 1 });

    assert.deepEqual(logger.records, [
      { level: "debug", message: "a", fields: {} },
      { level: "info", message: "b", fields: { node: "n1", pod: "p" } },
      { level: "warn", message: "c", fields: { node: "n1", volume: "v" } },
      { level: "error", message: "d", fields: { code: 1 } },
    ]);
  });
});
