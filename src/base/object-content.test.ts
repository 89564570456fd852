import { deepEqual } from "node:assert/strict";
import { describe, it } from "node:test";
import { contentChange, objectChange, objectContent } from "./object-content.ts";

const before = { data: { gone: "1", kept: "1", other: "1" }, binaryData: { bytes: "AAE=" } };
const after = { data: { kept: "1", other: "2", new: "1" }, binaryData: { bytes: "AAE=" } };
const change = { added: ["new"], changed: ["other"], removed: ["gone"] };

describe("objectChange", () => {
  it("names the keys that came, changed and went", () => {
    deepEqual(objectChange("ConfigMap", before, after), change);
  });

  it("says of two states what contentChange says of their contents", () => {
    const [one, other] = [before, after].map((object) => objectContent("ConfigMap", object));
    deepEqual(contentChange(one ?? new Map(), other ?? new Map()), change);
  });

  it("takes everything for new where nothing was before", () => {
    const first = { added: ["bytes", "kept", "new", "other"], changed: [], removed: [] };
    deepEqual(objectChange("ConfigMap", undefined, after), first);
  });

  it("compares bytes, however they are written and whichever field they are in", () => {
    const same = { added: [], changed: [], removed: [] };
    // Without its padding it is the same.
    deepEqual(objectChange("Secret", { data: { a: "AAE=" } }, { data: { a: "AAE" } }), same);
    const moved = objectChange("ConfigMap", { data: { a: "x" } }, { binaryData: { a: "eA==" } });
    deepEqual(moved, same);
    const other = objectChange("ConfigMap", { data: { a: "x" } }, { binaryData: { a: "x" } });
    deepEqual(other.changed, ["a"], "the same text means other bytes there");
  });
});
