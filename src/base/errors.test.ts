import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe as group, it } from "node:test";
import { describe, isErrno } from "./errors.ts";

group("describe", () => {
  it("gives the message and those of all causes", () => {
    const root = new Error("disk full");
    const middle = new Error("Cannot write", { cause: root });

    assert.equal(
      describe(new Error("Cannot sync", { cause: middle })),
      "Cannot sync: Cannot write: disk full",
    );
  });

  it("does not repeat a message that the wrapper has already", () => {
    const err = new Error("Cannot write: disk full", { cause: new Error("disk full") });

    assert.equal(describe(err), "Cannot write: disk full");
  });

  it("lists the errors of an aggregate", () => {
    const err = new AggregateError([new Error("a"), new Error("b")], "All addresses failed");

    assert.equal(describe(err), "All addresses failed (a; b)");
  });

  it("ends when an error is its own cause", () => {
    const err = new Error("snake");
    err.cause = err;

    assert.equal(describe(err), "snake");
  });

  it("says something for whatever was thrown", () => {
    assert.equal(describe("plain"), "plain");
    assert.equal(describe(undefined), "undefined");
    assert.equal(describe(null), "null");
    assert.equal(describe({ code: 7 }), "{ code: 7 }");
    assert.equal(describe(new TypeError()), "TypeError");
  });
});

group("isErrno", () => {
  it("recognises a system error by its code", () => {
    let thrown: unknown;
    try {
      readFileSync(`${import.meta.filename}/nothing`);
    } catch (err) {
      thrown = err;
    }

    assert.equal(isErrno(thrown, "ENOENT", "ENOTDIR"), true);
    assert.equal(isErrno(thrown, "EEXIST"), false);
    assert.equal(isErrno({ code: "ENOTDIR" }, "ENOTDIR"), false);
    assert.equal(isErrno(new Error("none"), "ENOTDIR"), false);
  });
});
