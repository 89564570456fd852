import { equal } from "node:assert/strict";
import { describe, it } from "node:test";
import type { PolicyRule } from "../../api/types.ts";
import { can, canCall } from "./policy-entry.ts";
import { ruleAllows, urlCovers } from "./rule-match.ts";
import { action } from "./testing/rbac-world.ts";

const someone = { name: "someone", groups: [] };

const cases: readonly (readonly [PolicyRule, verb: string, what: string, name: string, boolean])[] =
  [
    [can("get", "core", "pods"), "get", "pods", "", true],
    [can("get", "core", "pods"), "list", "pods", "", false],
    [can("*", "core", "pods"), "anything", "pods", "", true],
    [can("get", "apps", "pods"), "get", "pods", "", false],
    [can("get", "*", "deployments"), "get", "apps/deployments", "", true],
    [can("get", "core", "pods"), "get", "pods/log", "", false],
    [can("get", "core", "pods/log"), "get", "pods/log", "", true],
    [can("get", "core", "pods/log"), "get", "pods", "", false],
    [can("get", "core", "*"), "get", "pods/log", "", true],
    [can("get", "core", "*/log"), "get", "pods/log", "", true],
    [can("get", "core", "*/log"), "get", "pods/exec", "", false],
    [can("get", "core", "*/log"), "get", "pods", "", false],
    [can("get", "core", "pods/*"), "get", "pods/log", "", false],
    [can("get", "core", "pods", "a b"), "get", "pods", "b", true],
    [can("get", "core", "pods", "a b"), "get", "pods", "c", false],
    [can("list", "core", "pods", "a"), "list", "pods", "", false],
    [can("get", "core", "pods", "*"), "get", "pods", "a", false],
    [canCall("get", "/healthz"), "get", "/healthz", "", true],
    [canCall("get", "/healthz"), "post", "/healthz", "", false],
    [canCall("get", "/healthz"), "get", "/healthz/etcd", "", false],
    [canCall("get", "/healthz/*"), "get", "/healthz/etcd", "", true],
    [canCall("get", "/healthz/*"), "get", "/healthz", "", false],
    [canCall("get", "*"), "get", "/anything", "", true],
    [canCall("get", "*"), "get", "pods", "", false],
    [can("get", "*", "*"), "get", "/healthz", "", false],
  ];

describe("ruleAllows", () => {
  for (const [rule, verb, what, name, expected] of cases) {
    const title = `${JSON.stringify(rule)} ${expected ? "allows" : "does not allow"} ${verb} ${what} ${name}`;
    it(title.trimEnd(), () => {
      equal(ruleAllows(rule, action(someone, verb, what, { name })), expected);
    });
  }
});

describe("urlCovers", () => {
  const paths: readonly (readonly [url: string, path: string, boolean])[] = [
    ["*", "", true],
    ["*", "/api", true],
    ["/*", "", false],
    ["/*", "/foo", true],
    ["/apis", "/api", false],
    ["/api/*", "/api", false],
    ["/api/*/*", "/api/v1", false],
    ["/*/v1/*", "/api/v1", false],
    ["/api**", "/api/v1", true],
  ];
  for (const [url, path, expected] of paths) {
    it(`says that ${url} ${expected ? "covers" : "does not cover"} "${path}"`, () => {
      equal(urlCovers(url, path), expected);
    });
  }
});
