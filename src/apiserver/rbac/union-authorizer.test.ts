import { deepEqual, equal } from "node:assert/strict";
import { describe, it } from "node:test";
import type { Authorizer, Decision } from "../authorization.ts";
import { mastersAuthorizer } from "./masters-authorizer.ts";
import { can, canCall } from "./policy-entry.ts";
import { action } from "./testing/rbac-world.ts";
import { unionOf } from "./union-authorizer.ts";

const alice = { name: "alice", groups: [] };

function saying(verdict: Decision["verdict"], reason = "", incomplete?: string): Authorizer {
  return {
    authorize: async () => ({ verdict, reason }),
    rulesFor: async () => ({
      resourceRules: [can("get", "core", reason)],
      nonResourceRules: [canCall("get", `/${reason}`)],
      ...(incomplete !== undefined && { incomplete }),
    }),
  };
}

describe("unionOf", () => {
  it("goes by the first that has an opinion", async () => {
    const asked = action(alice, "get", "pods");
    const union = unionOf(saying("none", "a"), saying("deny", "b"), saying("allow", "c"));
    deepEqual(await union.authorize(asked), { verdict: "deny", reason: "b" });
  });

  it("tells all reasons when none has an opinion", async () => {
    const union = unionOf(saying("none", "a"), saying("none"), saying("none", "b"));
    deepEqual(await union.authorize(action(alice, "get", "pods")), {
      verdict: "none",
      reason: "a\nb",
    });
  });

  it("puts the rules of all behind each other, with what each could not find", async () => {
    const union = unionOf(saying("none", "a", "x"), saying("none", "b"), saying("none", "c", "y"));
    deepEqual(await union.rulesFor(alice, "ns"), {
      resourceRules: [can("get", "core", "a"), can("get", "core", "b"), can("get", "core", "c")],
      nonResourceRules: [canCall("get", "/a"), canCall("get", "/b"), canCall("get", "/c")],
      incomplete: "[x, y]",
    });
  });
});

describe("mastersAuthorizer", () => {
  it("lets masters do everything, before somebody can deny it", async () => {
    const union = unionOf(mastersAuthorizer, saying("deny", "no"));
    const master = { name: "admin", groups: ["a", "system:masters"] };
    equal((await union.authorize(action(master, "nuke", "/moon"))).verdict, "allow");
  });

  it("has no opinion on anybody else", async () => {
    equal((await mastersAuthorizer.authorize(action(alice, "get", "pods"))).verdict, "none");
  });
});
