import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isTooOld, sendsProgressInOrder } from "./version.ts";

describe("etcd versions", () => {
  it("before 3.4 are too old, and one that cannot be read is not", () => {
    for (const version of ["2.3.8", "3.3.27"]) assert.equal(isTooOld(version), true, version);
    for (const version of ["3.4.0", "3.5.16", "3.10.0", "4.0.0", "", "unknown"]) {
      assert.equal(isTooOld(version), false, version);
    }
  });

  it("send progress in order since 3.4.25 and 3.5.8", () => {
    for (const version of ["3.4.25", "3.4.37", "3.5.8", "3.5.16", "3.6.0", "3.7.1", "4.0.0"]) {
      assert.equal(sendsProgressInOrder(version), true, version);
    }
    for (const version of ["3.3.99", "3.4.23", "3.4.24", "3.5.0", "3.5.7", "", "unknown"]) {
      assert.equal(sendsProgressInOrder(version), false, version);
    }
  });
});
