import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nearestName, suggestion } from "./nearest-name.ts";

describe("nearestName", () => {
  it("finds what was meant", () => {
    assert.equal(nearestName("log.levle", ["port", "log.level", "log.file"]), "log.level");
    assert.equal(nearestName("LOG_LEVEL", ["log_level"]), "log_level");
  });

  it("finds nothing where nothing is near", () => {
    assert.equal(nearestName("port", ["host", "name"]), undefined);
    assert.equal(suggestion("port", []), "");
  });
});
