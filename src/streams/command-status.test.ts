import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { commandStatus } from "./command-status.ts";

describe("commandStatus", () => {
  it("tells success as the original does", () => {
    assert.equal(commandStatus({ exitCode: 0 }, "json"), '{"metadata":{},"status":"Success"}');
    assert.equal(commandStatus({ exitCode: 0 }, "text"), "");
  });

  it("tells an exit code as the original does", () => {
    assert.equal(
      commandStatus({ exitCode: 3 }, "json"),
      '{"metadata":{},"status":"Failure","message":"command terminated with non-zero exit code: error executing ' +
        'command, exit code 3","reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"3"}]}}',
    );
    assert.equal(
      commandStatus({ exitCode: 3 }, "text"),
      "command terminated with non-zero exit code: error executing command, exit code 3",
    );
  });

  it("tells a failure as an internal error", () => {
    assert.deepEqual(JSON.parse(commandStatus({ failure: "no such container" }, "json")), {
      metadata: {},
      status: "Failure",
      message: "Internal error occurred: no such container",
      reason: "InternalError",
      details: { causes: [{ message: "no such container" }] },
      code: 500,
    });
  });
});
