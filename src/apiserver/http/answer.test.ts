import { deepEqual } from "node:assert/strict";
import { describe, it } from "node:test";
import { warningHeader } from "./answer.ts";

describe("warningHeader", () => {
  it("is made of characters that a header takes, whatever the text is", () => {
    const { warning = "" } = warningHeader(['a "b" \\c', "日本\nü"]);
    deepEqual(
      Buffer.from(warning, "latin1").toString("utf8"),
      '299 - "a \\"b\\" \\\\c", 299 - "日本 ü"',
    );
  });

  it("cuts each of many long warnings, and says only so many, as the original does", () => {
    const texts = Array.from({ length: 100 }, (_, i) => `${i}${"x".repeat(1_000_000)}`);
    const { warning = "" } = warningHeader(texts);
    deepEqual(warning.split(", ").length, 16);
    deepEqual(warning.split(", ")[0]?.length, '299 - ""'.length + 256);
  });

  it("says one long warning as it is, up to four thousand characters", () => {
    const { warning = "" } = warningHeader(["x".repeat(4096)]);
    deepEqual(warning.length, '299 - ""'.length + 4096);
  });
});
