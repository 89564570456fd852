import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { logRequest } from "./request-log.ts";

const asked = {
  method: "GET",
  url: "/api/v1/pods?token=abc",
  user: "alice",
  code: 200,
  durationMs: 12.345,
  auditId: "id-1",
  isStream: false,
};

describe("logRequest", () => {
  it("tells a request for debugging, without credentials", () => {
    const logger = new CaptureLogger();
    logRequest(logger, asked);
    const fields = {
      method: "GET",
      path: "/api/v1/pods?token=REDACTED",
      user: "alice",
      code: 200,
      durationMs: 12.3,
      auditId: "id-1",
    };
    assert.deepEqual(logger.records, [{ level: "debug", message: "request", fields }]);
  });

  it("warns of a slow one, but not of a watch", () => {
    const logger = new CaptureLogger();
    logRequest(logger, { ...asked, durationMs: 1001 });
    logRequest(logger, { ...asked, durationMs: 1_000_000, isStream: true });
    assert.deepEqual(
      logger.records.map(({ level, message }) => [level, message]),
      [
        ["warn", "slow request"],
        ["debug", "request"],
      ],
    );
  });
});
