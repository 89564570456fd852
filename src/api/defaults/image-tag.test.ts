import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { imageTag } from "./image-tag.ts";

describe("imageTag", () => {
  const digest = `sha256:${"a".repeat(64)}`;
  const cases: Readonly<Record<string, string | undefined>> = {
    nginx: "latest",
    "nginx:latest": "latest",
    "nginx:2": "2",
    "example.com/a/b": "latest",
    "example.com:5000/a": "latest",
    "example.com:5000/a:1.2-x": "1.2-x",
    "[fe80::1]:5000/a:1": "1",
    [`nginx@${digest}`]: undefined,
    [`nginx:1@${digest}`]: "1",
    "": undefined,
    "library/Nginx": undefined,
    "nginx:": undefined,
    "nginx:a b": undefined,
    [" nginx"]: undefined,
    ["a".repeat(64)]: undefined,
  };
  for (const [image, tag] of Object.entries(cases)) {
    it(`of ${JSON.stringify(image)} is ${tag}`, () => {
      assert.equal(imageTag(image), tag);
    });
  }
});
