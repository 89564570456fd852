import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { expandSubPath } from "./expand-sub-path.ts";

describe("expandSubPath", () => {
  const variables = new Map([
    ["POD_NAME", "bar"],
    ["EMPTY", ""],
    ["UP", ".."],
    ["ROOT", "/etc"],
  ]);
  const good: readonly [
    mount: { subPath?: string; subPathExpr?: string },
    path: string | undefined,
  ][] = [
    [{}, undefined],
    [{ subPath: "" }, undefined],
    [{ subPathExpr: "" }, undefined],
    [{ subPath: "foo" }, "foo"],
    [{ subPath: "foo/$(POD_NAME)" }, "foo/$(POD_NAME)"],
    [{ subPath: "..data/key" }, "..data/key"],
    [{ subPath: "a..b" }, "a..b"],
    [{ subPathExpr: "foo" }, "foo"],
    [{ subPathExpr: "foo/$(POD_NAME)" }, "foo/bar"],
    [{ subPathExpr: "$(POD_NAME)/bar" }, "bar/bar"],
    [{ subPathExpr: "$$(POD_NAME)" }, "$(POD_NAME)"],
    [{ subPath: "foo", subPathExpr: "$(POD_NAME)" }, "bar"],
  ];
  for (const [mount, path] of good) {
    it(`N: makes ${path} of ${JSON.stringify(mount)}`, () => {
      assert.equal(expandSubPath(mount, variables), path);
    });
  }

  const bad: readonly [mount: { subPath?: string; subPathExpr?: string }, message: string][] = [
    [{ subPathExpr: "/foo/$(NO_NAME)" }, "missing value for NO_NAME"],
    [{ subPathExpr: "foo/$(POD_NAME)/$(EMPTY)" }, "missing value for EMPTY"],
    [{ subPathExpr: "$(Z)/$(A)/$(POD_NAME)/$(Z)" }, "missing value for A, Z"],
    [{ subPathExpr: "$()" }, "missing value for "],
    [{ subPathExpr: "$(POD_NAME$(EMPTY))" }, "missing value for POD_NAME$(EMPTY"],
    [{ subPath: "/foo" }, "error SubPath `/foo` must not be an absolute path"],
    [{ subPathExpr: "$(ROOT)/x" }, "error SubPath `/etc/x` must not be an absolute path"],
    [
      { subPath: "no/backsteps/../allowed" },
      "unable to provision SubPath `no/backsteps/../allowed`: must not contain '..'",
    ],
    [{ subPathExpr: "a/$(UP)" }, "unable to provision SubPath `a/..`: must not contain '..'"],
  ];
  for (const [mount, message] of bad) {
    it(`N: refuses ${JSON.stringify(mount)}`, () => {
      assert.throws(() => expandSubPath(mount, variables), { message });
    });
  }
});
