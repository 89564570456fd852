import { deepEqual, equal } from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { PolicyRule } from "../../api/types.ts";
import { can, canCall } from "./policy-entry.ts";
import { uncovered } from "./rule-cover.ts";
import { ruleAllows } from "./rule-match.ts";
import { anyAction, anyRules } from "./testing/random-rules.ts";

interface Case {
  readonly title: string;
  readonly held: readonly PolicyRule[];
  readonly wanted: readonly PolicyRule[];
  readonly missing: readonly PolicyRule[];
}

const cases: readonly Case[] = [
  {
    title: "covers a rule by parts of several",
    held: [can("get", "core", "pods secrets"), can("list", "core", "pods secrets")],
    wanted: [can("get list", "core", "pods secrets")],
    missing: [],
  },
  {
    title: "names what is missing in its smallest parts",
    held: [can("get", "core", "pods")],
    wanted: [can("get list", "core", "pods secrets")],
    missing: [
      can("list", "core", "pods"),
      can("get", "core", "secrets"),
      can("list", "core", "secrets"),
    ],
  },
  {
    title: "does not take a list of resources for all of them",
    held: [can("get", "core", "pods secrets")],
    wanted: [can("get", "core", "*")],
    missing: [can("get", "core", "*")],
  },
  {
    title: "takes the subresource of everything for that of one",
    held: [can("get", "core", "*/log")],
    wanted: [can("get", "core", "pods/log pods/exec")],
    missing: [can("get", "core", "pods/exec")],
  },
  {
    title: "does not take the subresource of one for that of everything",
    held: [can("get", "core", "pods/log")],
    wanted: [can("get", "core", "*/log")],
    missing: [can("get", "core", "*/log")],
  },
  {
    title: "takes no names for all names",
    held: [can("get", "core", "pods")],
    wanted: [can("get", "core", "pods", "a b")],
    missing: [],
  },
  {
    title: "does not take some names for all",
    held: [can("get", "core", "pods", "a")],
    wanted: [can("get", "core", "pods", "a b"), can("get", "core", "pods")],
    missing: [can("get", "core", "pods", "b"), can("get", "core", "pods")],
  },
  {
    title: "covers paths by their beginning",
    held: [canCall("*", "/apis/*")],
    wanted: [canCall("get", "/apis /apis/v1 /apis/v1/*")],
    missing: [canCall("get", "/apis")],
  },
  {
    title: "treats paths and resources of one rule apart",
    held: [can("get", "core", "pods")],
    wanted: [{ ...can("get", "core", "pods"), nonResourceURLs: ["/apis"] }],
    missing: [canCall("get", "/apis")],
  },
  {
    title: "finds nothing missing in a rule without verbs",
    held: [],
    wanted: [{ verbs: [], apiGroups: [""], resources: ["pods"] }],
    missing: [],
  },
];

describe("uncovered", () => {
  for (const { title, held, wanted, missing } of cases) {
    it(title, () => deepEqual(uncovered(held, wanted), missing));
  }

  it("finds nothing missing in what is held", () => {
    fc.assert(fc.property(anyRules, (rules) => deepEqual(uncovered(rules, rules), [])));
  });

  it("finds no more missing when more is held", () => {
    fc.assert(
      fc.property(anyRules, anyRules, anyRules, (held, more, wanted) => {
        const before = new Set(uncovered(held, wanted).map((rule) => JSON.stringify(rule)));
        for (const rule of uncovered([...held, ...more], wanted)) {
          equal(before.has(JSON.stringify(rule)), true);
        }
      }),
    );
  });

  it("finds nothing missing once the missing is added", () => {
    fc.assert(
      fc.property(anyRules, anyRules, (held, wanted) => {
        deepEqual(uncovered([...held, ...uncovered(held, wanted)], wanted), []);
      }),
    );
  });

  it("calls nothing covered that allows more", () => {
    const someone = fc.constant({ name: "someone", groups: [] });
    fc.assert(
      fc.property(
        anyRules,
        anyRules,
        anyAction(someone, fc.constant("")),
        (held, wanted, asked) => {
          fc.pre(uncovered(held, wanted).length === 0);
          if (wanted.some((rule) => ruleAllows(rule, asked))) {
            equal(
              held.some((rule) => ruleAllows(rule, asked)),
              true,
            );
          }
        },
      ),
    );
  });

  it("answers at once for a rule with a billion parts, and says that it is missing as a whole", () => {
    const many = Array.from({ length: 1000 }, (_, i) => `x${i}`);
    const huge = { verbs: many, apiGroups: many, resources: many };
    deepEqual(uncovered([can("get", "core", "pods")], [huge]), [huge]);
    deepEqual(uncovered([can("*", "*", "*")], [huge]), []);
  });
});
