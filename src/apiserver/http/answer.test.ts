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
});
