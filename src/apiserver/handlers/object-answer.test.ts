import { equal, ok } from "node:assert/strict";
import { describe, it } from "node:test";
import { parse } from "yaml";
import { yamlText } from "./object-answer.ts";

describe("yamlText", () => {
  it("writes the key of managed fields as the API does, and in its place", () => {
    equal(yamlText({ "f:a": {}, ".": {} }), ".: {}\nf:a: {}\n");
  });

  it("leaves a line alone that only looks like that key", () => {
    const value = { data: { text: 'a\n".": y\n  ".": z\n' } };
    equal((parse(yamlText(value)) as typeof value).data.text, value.data.text);
  });

  it("takes a text of empty lines in its stride", () => {
    const value = { data: { text: "\n".repeat(200_000) } };
    ok(yamlText(value).length > 200_000);
  });
});
