import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ConfigUse } from "../../api/types.ts";
import { judgedPod } from "../checks/world.ts";
import { ConfigIndex } from "../config-index.ts";
import { podSubject } from "../pod-subject.ts";
import { readSubject } from "../read-subject.ts";
import { driftFindings, type LiveFacts } from "./live-drift.ts";

const at = (time: string): number => Date.parse(`2026-01-01T${time}Z`);

interface Situation {
  /** When the object's content was written. */
  readonly written: string;
  readonly nowMs?: number;
  readonly reload?: string;
  readonly phase?: string;
  readonly reported?: readonly ConfigUse[];
  readonly isDriftless?: boolean;
}

/** A pod that started at noon, with a variable, an argument, a subPath mount and a directory from one ConfigMap. */
function idsIn({
  written,
  nowMs = at("20:00:00"),
  reload,
  phase = "Running",
  reported,
  isDriftless = false,
}: Situation): readonly string[] {
  const valueFrom = { configMapKeyRef: { name: "conf", key: "A" } };
  const read = readSubject(
    {
      ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "web", namespace: "shop", uid: "u" } },
      spec: {
        initContainers: [{ name: "init", env: [{ name: "A", valueFrom }] }],
        containers: [
          {
            ...{ name: "main", args: ["$(A)"], env: [{ name: "A", valueFrom }] },
            volumeMounts: [
              { name: "conf", mountPath: "/one", subPath: "B" },
              { name: "conf", mountPath: "/all" },
            ],
          },
        ],
        volumes: [{ name: "conf", configMap: { name: "conf" } }],
      },
      status: {
        phase,
        containerStatuses: [
          { name: "main", state: { running: { startedAt: "2026-01-01T12:00:00Z" } } },
        ],
      },
    },
    { isJson: true },
  );
  const pod = read && podSubject(read.subject);
  assert.ok(pod);
  const facts: LiveFacts = {
    world: { index: new ConfigIndex(), isStrict: false, isLive: true, subPathFollows: isDriftless },
    changesOf: () => ({
      writes: [{ atMs: at(written), manager: "ops", keys: new Set(["A", "B"]) }],
      revisionAtMs: undefined,
    }),
    reportedDrift: () => reported,
    nowMs,
  };
  const workloadAnnotations = reload === undefined ? {} : { "driftless.dev/reload": reload };
  return driftFindings(judgedPod({ ...pod, workloadAnnotations }), facts).map(
    ({ rule }) => rule.name,
  );
}

describe("a container that started before its content was written", () => {
  it("is stale in its environment, its arguments and its subPath mounts, and not in its directories", () => {
    assert.deepEqual(idsIn({ written: "12:00:01" }), ["env-stale", "args-stale", "subpath-stale"]);
  });

  it("is not stale in its subPath mounts where nodes keep them up to date", () => {
    assert.deepEqual(idsIn({ written: "12:00:01", isDriftless: true }), [
      "env-stale",
      "args-stale",
    ]);
  });

  it("was not reloaded, if somebody asked for that", () => {
    const names = idsIn({ written: "13:00:00", reload: "auto" });
    assert.deepEqual(names, ["not-reloaded", "not-reloaded", "not-reloaded"]);
  });

  it("is given time to be reloaded", () => {
    const nowMs = at("13:01:00");
    assert.deepEqual(idsIn({ written: "13:00:00", reload: "auto", nowMs }), []);
    assert.equal(idsIn({ written: "13:00:00", nowMs }).length, 3);
  });

  it("is nothing to speak of once it has ended", () => {
    assert.deepEqual(idsIn({ written: "13:00:00", phase: "Succeeded" }), []);
  });
});

describe("a container that started after its content was written", () => {
  it("is fine, also in the same second, in which nobody knows", () => {
    assert.deepEqual(idsIn({ written: "11:59:59" }), []);
    assert.deepEqual(idsIn({ written: "12:00:00" }), []);
  });
});

describe("what a node reports of its pod", () => {
  it("counts for more than times", () => {
    assert.deepEqual(idsIn({ written: "13:00:00", reported: [] }), []);
    const drift = { reason: "SubPathFrozen", message: "Restart it." } as const;
    const use: ConfigUse = {
      kind: "ConfigMap",
      name: "conf",
      how: "subPath",
      container: "main",
      drift,
    };
    assert.deepEqual(idsIn({ written: "11:00:00", reported: [use] }), ["drift"]);
  });
});
