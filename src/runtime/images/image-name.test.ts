import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fullName, InvalidImageNameError, parseImageName } from "./image-name.ts";

const digest = `sha256:${"0123456789abcdef".repeat(4)}`;

describe("the full name of an image", () => {
  const cases: readonly (readonly [given: string, full: string])[] = [
    ["nginx", "docker.io/library/nginx:latest"],
    ["nginx:1.27", "docker.io/library/nginx:1.27"],
    ["docker.io/nginx", "docker.io/library/nginx:latest"],
    ["index.docker.io/nginx", "docker.io/library/nginx:latest"],
    ["team/app", "docker.io/team/app:latest"],
    ["localhost/app", "localhost/app:latest"],
    ["localhost:5000/app:v1", "localhost:5000/app:v1"],
    ["registry.example/a/b__c/d-e.f:X_1", "registry.example/a/b__c/d-e.f:X_1"],
    ["[::1]:5000/app", "[::1]:5000/app:latest"],
    ["MyHost/app", "MyHost/app:latest"],
    [`nginx@${digest}`, `docker.io/library/nginx@${digest}`],
    [`nginx:1@${digest}`, `docker.io/library/nginx:1@${digest}`],
  ];
  for (const [given, full] of cases) {
    test(`of ${given}`, () => assert.equal(fullName(parseImageName(given)), full));
  }
});

describe("names that are none", () => {
  const cases = [
    "",
    ":",
    "a:",
    "a b",
    "a//b",
    "a/",
    "/a",
    "-a",
    "a:-",
    "a@b",
    "a@sha256:12",
    "a:b:c",
    "http://a",
    "..",
    "a/../b",
    "0".repeat(64),
    `a@${digest}@${digest}`,
    `${"a".repeat(250)}/b`,
    `a:${"t".repeat(129)}`,
  ];
  for (const given of cases) {
    test(`such as ${JSON.stringify(given)}`, () => {
      assert.throws(() => parseImageName(given), InvalidImageNameError);
    });
  }

  test("are refused with the text of the kubelet", () => {
    assert.throws(() => parseImageName("a b"), {
      message: `couldn't parse image name "a b": invalid reference format`,
    });
  });

  test("with upper case say so", () => {
    assert.throws(() => parseImageName("Nginx"), {
      message: `couldn't parse image name "Nginx": invalid reference format: repository name (library/Nginx) must be lowercase`,
    });
  });
});
