import { equal, throws } from "node:assert/strict";
import { describe, it } from "node:test";
import type { ConfigRevision } from "../api/types.ts";
import { chosenRevision, revisionBefore } from "./revision-choice.ts";
import type { RevisionHistory } from "./revision-history.ts";

function historyOf(hashes: readonly string[], version: string): RevisionHistory {
  const revisions = hashes.map(
    (hash, index): ConfigRevision => ({
      metadata: {},
      object: { apiVersion: "v1", kind: "ConfigMap", name: "app" },
      number: index + 11,
      hash,
    }),
  );
  return {
    target: { shown: "configmap/app" } as RevisionHistory["target"],
    live: { metadata: {} },
    version,
    revisions,
    current: revisions.findLast(({ hash }) => hash === version),
  };
}

const history = historyOf(["abcd11", "abcd22", "1200ff", "abcd11"], "abcd11");

describe("chosenRevision", () => {
  it("is found by its number, or by the beginning of its hash", () => {
    equal(chosenRevision(history, "12").number, 12);
    equal(chosenRevision(history, "ABCD2").number, 12);
    equal(chosenRevision(history, "1200").number, 13);
  });

  it("is the newest of those with the same content", () => {
    equal(chosenRevision(history, "abcd1").number, 14);
  });

  it("is not guessed", () => {
    throws(() => chosenRevision(history, "abcd"), /abcd can mean several revisions: 11, 12, 14\./);
    for (const word of ["15", "abc", "x", "", "-1"]) {
      throws(
        () => chosenRevision(history, word),
        /configmap\/app has no revision .*There are 11 to 14: see driftless history configmap\/app/,
      );
    }
  });
});

describe("revisionBefore", () => {
  it("is the last one before the content of now that was another", () => {
    equal(revisionBefore(history)?.number, 13);
    equal(revisionBefore(historyOf(["a", "b", "b"], "b"))?.number, 11);
    equal(revisionBefore(historyOf(["a"], "a")), undefined);
  });

  it("is the newest one while the content of now has none yet", () => {
    equal(revisionBefore(historyOf(["a", "b"], "c"))?.number, 12);
  });
});
