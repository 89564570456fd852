import { deepEqual, equal } from "node:assert/strict";
import { describe, it } from "node:test";
import type { NamespaceCondition } from "../../api/types.ts";
import { type DeletionReport, namespaceConditions } from "./namespace-conditions.ts";

const T1 = "2024-01-01T00:00:00Z";
const T2 = "2024-01-01T00:00:09Z";
const clean: DeletionReport = {
  contentFailures: [],
  remaining: new Map(),
  finalizers: new Map(),
};

describe("namespaceConditions", () => {
  it("tells of all five when all is well", () => {
    deepEqual(
      namespaceConditions([], clean, T1)?.map(({ type, status, reason, message }) =>
        [type, status, reason, message].join("|"),
      ),
      [
        "NamespaceDeletionDiscoveryFailure|False|ResourcesDiscovered|All resources successfully discovered",
        "NamespaceDeletionGroupVersionParsingFailure|False|ParsedGroupVersions|All legacy kube types successfully parsed",
        "NamespaceDeletionContentFailure|False|ContentDeleted|All content successfully deleted, may be waiting on finalization",
        "NamespaceContentRemaining|False|ContentRemoved|All content successfully removed",
        "NamespaceFinalizersRemaining|False|ContentHasNoFinalizers|All content-preserving finalizers finished",
      ],
    );
  });

  const cases: readonly [
    what: string,
    report: Partial<DeletionReport>,
    type: string,
    told: readonly [reason: string, message: string],
  ][] = [
    [
      "that discovery failed",
      { discoveryFailure: "no" },
      "NamespaceDeletionDiscoveryFailure",
      ["DiscoveryFailed", "no"],
    ],
    [
      "of a group that is misnamed",
      { parsingFailure: "unexpected GroupVersion string: a/b/c" },
      "NamespaceDeletionGroupVersionParsingFailure",
      ["GroupVersionParsingFailed", "unexpected GroupVersion string: a/b/c"],
    ],
    [
      "of failures in the order of their texts",
      { contentFailures: ["b", "a"] },
      "NamespaceDeletionContentFailure",
      ["ContentDeletionFailed", "Failed to delete all resource types, 2 remaining: a, b"],
    ],
    [
      "what is left, resource by resource",
      {
        remaining: new Map([
          ["pods.", 2],
          ["deployments.apps", 1],
        ]),
      },
      "NamespaceContentRemaining",
      [
        "SomeResourcesRemain",
        "Some resources are remaining: deployments.apps has 1 resource instances, pods. has 2 resource instances",
      ],
    ],
    [
      "who holds it",
      { finalizers: new Map([["example.com/x", 3]]) },
      "NamespaceFinalizersRemaining",
      [
        "SomeFinalizersRemain",
        "Some content in the namespace has finalizers remaining: example.com/x in 3 resource instances",
      ],
    ],
  ];
  for (const [what, report, type, [reason, message]] of cases) {
    it(`tells ${what}`, () => {
      const told = namespaceConditions([], { ...clean, ...report }, T1) ?? [];
      deepEqual(
        told.filter(({ status }) => status === "True"),
        [{ type, status: "True", reason, message, lastTransitionTime: T1 }],
      );
    });
  }

  it("has nothing to tell when nothing is new, and keeps the conditions of others", () => {
    const other: NamespaceCondition = { type: "Mine", status: "True" };
    const told = namespaceConditions([other], clean, T1) ?? [];
    equal(told.length, 6);
    equal(told[0], other);
    equal(namespaceConditions(told, clean, T2), undefined);
  });

  it("stamps a condition anew only when its status changes", () => {
    const two = { ...clean, remaining: new Map([["pods.", 2]]) };
    const one = { ...clean, remaining: new Map([["pods.", 1]]) };
    const first = namespaceConditions([], two, T1) ?? [];
    const second = namespaceConditions(first, one, T2) ?? [];
    equal(timeOf(second), T1);
    equal(timeOf(namespaceConditions(second, clean, T2) ?? []), T2);
  });
});

function timeOf(conditions: readonly NamespaceCondition[]): string | null | undefined {
  return conditions.find(({ type }) => type === "NamespaceContentRemaining")?.lastTransitionTime;
}
