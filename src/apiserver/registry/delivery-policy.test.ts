import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../api/json.ts";
import type { ApiObject } from "../../api/object.ts";
import { itAccepts, itJudgesUpdates, itRefuses } from "./testing/refusals.ts";
import { context, created, merged, strategyFor, withStatus } from "./testing/writes.ts";

const apiVersion = "driftless.dev/v1";
const policy = {
  apiVersion,
  kind: "DeliveryPolicy",
  metadata: { name: "x" },
  spec: {
    selector: { matchLabels: { app: "x" } },
    checks: [{ name: "json", format: "JSON" }],
    rollout: { steps: [{ pods: 1 }, { pods: "50%" }, { pods: "100%" }] },
    reload: [{ name: "tell", how: "HTTP", http: { port: 80 } }],
  },
};
const revision = {
  apiVersion,
  kind: "ConfigRevision",
  metadata: { name: "x" },
  object: { apiVersion: "v1", kind: "ConfigMap", name: "c" },
  number: 1,
  hash: "h",
  data: { a: "b" },
};
const use = { kind: "ConfigMap", name: "c", how: "volume", wanted: { hash: "h" } };
const view = {
  apiVersion,
  kind: "ConfigView",
  metadata: { name: "x" },
  pod: { name: "p" },
  node: "n",
  uses: [use],
};

describe("DeliveryPolicy", () => {
  itAccepts(policy);

  itRefuses(policy, [
    ["no selector", { spec: { selector: null } }, "spec.selector: Required value"],
    [
      "kinds that hold no configuration",
      { spec: { kinds: ["Pod"] } },
      'spec.kinds[0]: Unsupported value: "Pod": supported values: "ConfigMap", "Secret"',
    ],
    [
      "a check that checks nothing, and its name twice",
      { spec: { checks: [{ name: "a" }, { name: "a", format: "XML" }] } },
      "spec.checks[0]: Required value: must specify `format` or `schema`",
      'spec.checks[1].name: Duplicate value: "a"',
      'spec.checks[1].format: Unsupported value: "XML": supported values: "INI", "JSON", "Properties", "TOML", "YAML"',
    ],
    [
      "steps that do not lead on",
      {
        spec: {
          rollout: { steps: [{ pods: "50%" }, { pods: "50%" }, { pods: 0, pauseSeconds: -1 }] },
        },
      },
      'spec.rollout.steps[1].pods: Invalid value: "50%": must be more than in the step before',
      "spec.rollout.steps[2].pods: Invalid value: 0: must be greater than 0",
      "spec.rollout.steps[2].pauseSeconds: Invalid value: -1: must be greater than or equal to 0",
    ],
    [
      "a window of no time, and an unknown rollback",
      { spec: { confirm: { timeoutSeconds: 0 }, rollback: "x" } },
      'spec.rollback: Unsupported value: "x": supported values: "Automatic", "Manual"',
      "spec.confirm.timeoutSeconds: Invalid value: 0: must be greater than 0",
    ],
    [
      "health that cannot be",
      { spec: { health: { maxRestarts: -1, minReady: "101%" } } },
      "spec.health.maxRestarts: Invalid value: -1: must be greater than or equal to 0",
      'spec.health.minReady: Invalid value: "101%": must not be greater than 100%',
    ],
    [
      "an action that is told in the words of another",
      { spec: { reload: [{ name: "a", how: "Signal", command: ["x"] }] } },
      "spec.reload[0].signal: Required value: when `how` is 'Signal'",
      "spec.reload[0].command: Forbidden: may not be specified when `how` is 'Signal'",
    ],
    [
      "a request to nowhere",
      {
        spec: {
          reload: [{ name: "a", how: "HTTP", http: { port: 0, path: "x", method: "DELETE" } }],
        },
      },
      "spec.reload[0].http.port: Invalid value: 0: must be between 1 and 65535, inclusive",
      'spec.reload[0].http.path: Invalid value: "x": must be an absolute path',
      'spec.reload[0].http.method: Unsupported value: "DELETE": supported values: "GET", "POST", "PUT"',
    ],
  ]);

  it("takes back by itself what goes wrong, and tells with POST, when nothing else is said", () => {
    const { rollback, reload } = created(policy).object["spec"] as JsonObject;
    assert.equal(rollback, "Automatic");
    const http = { path: "/", port: 80, method: "POST" };
    assert.deepEqual(reload, [{ name: "tell", how: "HTTP", http }]);
  });

  it("notes when it was paused, and nobody else does", () => {
    const paused = merged(policy, { spec: { rollout: { paused: true } } });
    const note = { "driftless.dev/paused-at": "2026-01-02T03:04:05.678Z" };
    const annotated = merged(paused, {
      metadata: { annotations: { a: "b", "driftless.dev/paused-at": "x" } },
    });
    assert.deepEqual(created(annotated).object.metadata.annotations, { a: "b", ...note });
    assert.equal(created(policy).object.metadata.annotations, undefined);
    const strategy = strategyFor(apiVersion, "DeliveryPolicy");
    const old = created(paused).object;
    const later = { ...context, nowMs: context.nowMs + 60_000 };
    const again = structuredClone(old);
    delete again.metadata.annotations;
    strategy.prepareForUpdate?.(again, old, later);
    assert.deepEqual(again.metadata.annotations, note, "it has been paused since then");
    const resumed = merged(old as unknown as JsonObject, {
      spec: { rollout: { paused: false } },
    }) as unknown as ApiObject;
    strategy.prepareForUpdate?.(resumed, old, later);
    assert.equal(resumed.metadata.annotations, undefined);
  });

  it("says what of it has no effect yet", () => {
    const strategy = strategyFor(apiVersion, "DeliveryPolicy");
    const said = (change: JsonObject): readonly string[] | undefined => {
      const { object } = created(
        merged(policy, { spec: { rollout: { steps: [] }, reload: null, ...change } }),
      );
      return strategy.warnings?.(object, undefined);
    };
    assert.deepEqual(said({}), []);
    assert.deepEqual(said({ rollout: { paused: true, steps: [] } }), []);
    assert.deepEqual(
      said({ health: {}, confirm: { timeoutSeconds: 1 }, rollout: { steps: [{ pods: 1 }] } }),
      [
        "spec.rollout.steps: not carried out yet; it is stored and has no effect",
        "spec.health: not carried out yet; it is stored and has no effect",
        "spec.confirm: not carried out yet; it is stored and has no effect",
      ],
    );
  });

  it("refuses a status that counts backwards", () => {
    assert.deepEqual(withStatus(policy, {}, { step: -1 }).errors, [
      "status.step: Invalid value: -1: must be greater than or equal to 0",
    ]);
  });
});

describe("ConfigRevision", () => {
  itAccepts(revision);
  itAccepts(merged(revision, { object: { kind: "Secret" }, secret: true, data: null }));

  itRefuses(revision, [
    [
      "a revision of something else",
      { object: { apiVersion: "v2", kind: "Pod", name: "" }, number: 0, hash: "" },
      'object.apiVersion: Unsupported value: "v2": supported values: "v1"',
      'object.kind: Unsupported value: "Pod": supported values: "ConfigMap", "Secret"',
      "object.name: Required value",
      "number: Invalid value: 0: must be greater than or equal to 1",
      "hash: Required value",
    ],
    [
      "a Secret in the open",
      { object: { kind: "Secret" } },
      "secret: Invalid value: false: must be true for a Secret, and only for a Secret",
      "data: Forbidden: the content of a Secret is in `binaryData`",
    ],
  ]);

  itJudgesUpdates(revision, [
    ["rewrites the content", { data: { a: "secret" } }, "data: Forbidden: field is immutable"],
    ["renumbers it", { number: 2 }, "number: Invalid value: 2: field is immutable"],
    ["change labels", { metadata: { labels: { a: "b" } } }],
  ]);

  it("can be selected by the object that it belongs to", () => {
    const { fieldLabels } = strategyFor(apiVersion, "ConfigRevision");
    const { object } = created(revision);
    assert.equal(fieldLabels?.["object.kind"]?.(object), "ConfigMap");
    assert.equal(fieldLabels?.["object.name"]?.(object), "c");
  });
});

describe("ConfigView", () => {
  itAccepts(view);

  itRefuses(view, [
    [
      "uses that cannot be",
      {
        pod: { name: "" },
        uses: [{ ...use, how: "x", drift: { reason: "y" } }, { ...use, wanted: {} }, use],
      },
      "pod.name: Required value",
      'uses[0].how: Unsupported value: "x": supported values: "args", "env", "sidecar", "subPath", "volume"',
      'uses[0].drift.reason: Unsupported value: "y": supported values: "ArgsFrozen", "EnvFrozen", "GateRejected", "ImmutableRecreated", "NodeAway", "NotConfirmed", "RolloutHeld", "SubPathFrozen", "TamperedOnDisk", "WriteFailed"',
      "uses[1].wanted.hash: Required value",
      'uses[2]: Duplicate value: {"kind":"ConfigMap","name":"c","how":"volume","container":"","mountPath":""}',
    ],
  ]);

  itJudgesUpdates(view, [
    [
      "is about another pod",
      { pod: { name: "q" } },
      'pod: Invalid value: {"name":"q"}: field is immutable',
    ],
  ]);

  it("can be selected by node and by pod", () => {
    const { fieldLabels } = strategyFor(apiVersion, "ConfigView");
    const { object } = created(view);
    assert.equal(fieldLabels?.["node"]?.(object), "n");
    assert.equal(fieldLabels?.["pod.name"]?.(object), "p");
  });
});
