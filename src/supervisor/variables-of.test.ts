import assert from "node:assert/strict";
import { test } from "node:test";
import { variablesOf } from "./variables-of.ts";

test("variablesOf takes values as they are, with their line ends", () => {
  const { variables } = variablesOf(new Map([["A", Buffer.from("1\n")]]));
  assert.deepEqual([...variables], [["A", "1\n"]]);
});

test("variablesOf leaves out what cannot be a variable, and says which keys", () => {
  const files = new Map([
    ["app.port", Buffer.from("80")],
    ["a=b", Buffer.from("x")],
    ["sub/file", Buffer.from("x")],
    ["NUL", Buffer.from([65, 0, 66])],
    ["BINARY", Buffer.from([0xff, 0xfe])],
  ]);
  const { variables, skipped } = variablesOf(files);
  assert.deepEqual([...variables.keys()], ["app.port"]);
  assert.deepEqual(skipped, ["a=b", "sub/file", "NUL", "BINARY"]);
});
