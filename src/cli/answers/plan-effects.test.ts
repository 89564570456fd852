import { deepEqual, doesNotMatch, equal, match } from "node:assert/strict";
import { describe, it } from "node:test";
import type { PodSpec } from "../../api/types.ts";
import { type PlanFacts, type PlannedObject, plannedEffects, planSummary } from "./plan-effects.ts";
import { type ObjectPlan, planJson, planText } from "./plan-text.ts";
import {
  deployment,
  frozenEnv,
  node,
  ONE,
  pod,
  podSpec,
  replicaSet,
  TWO,
  use,
  view,
} from "./testing/sample-picture.ts";

const object = { kind: "ConfigMap", namespace: "default", name: "app" } as const;
const change: PlannedObject = { object, annotations: {}, keys: ["log.level"] };

function annotated(annotations: Readonly<Record<string, string>>): PlanFacts["workloads"] {
  const { metadata } = deployment();
  return [deployment({ metadata: { ...metadata, annotations } })];
}

function facts(fields: Partial<PlanFacts> = {}): PlanFacts {
  return {
    pods: [pod("a"), pod("b")],
    replicaSets: [replicaSet],
    workloads: [deployment()],
    planned: [],
    views: [],
    nodes: [node("n1")],
    ...fields,
  };
}

function told(fields: Partial<PlanFacts> = {}, of = change): readonly string[] {
  return plannedEffects(of, facts(fields)).map(({ owner, pods, use: used, effect }) => {
    return `${owner} x${pods} ${used?.how ?? "-"} ${effect.effect}`;
  });
}

const subPath = {
  ...podSpec,
  containers: [
    {
      name: "web",
      volumeMounts: [{ name: "config", mountPath: "/etc/app.conf", subPath: "app.conf" }],
    },
  ],
} as unknown as PodSpec;

describe("plannedEffects", () => {
  it("says what happens by nature to workloads that ask for nothing", () => {
    deepEqual(told(), ["deployment/api x2 env frozen", "deployment/api x2 volume hot"]);
  });

  it("does nothing to those who do not use what changes", () => {
    deepEqual(told({}, { ...change, keys: ["other"] }), [
      "deployment/api x2 env nothing",
      "deployment/api x2 volume hot",
    ]);
  });

  it("restarts whoever asks for it", () => {
    const workloads = annotated({ "driftless.dev/reload": "auto" });
    deepEqual(told({ workloads }), [
      "deployment/api x2 env restart",
      "deployment/api x2 volume hot",
    ]);
  });

  it("takes the pod's own annotation for more than its workload's", () => {
    const workloads = annotated({ "driftless.dev/reload": "restart" });
    const pods = [
      pod("a", { metadata: { annotations: { "driftless.dev/reload": "signal:HUP" } } }),
    ];
    const [, volume] = told({ workloads, pods });
    equal(volume, "deployment/api x1 volume signal");
  });

  it("tells a subPath that follows from one that does not", () => {
    const conf = { ...change, keys: ["app.conf"] };
    const pods = [pod("a", { spec: subPath })];
    const frozen = ["deployment/api x1 subPath frozen"];
    deepEqual(told({ pods }, conf), ["deployment/api x1 subPath hot"]);
    deepEqual(told({ pods, nodes: [] }, conf), frozen);
    const drift = { reason: "SubPathFrozen", message: "" };
    const views = [view("a", [use("volume", { how: "subPath", drift })])];
    deepEqual(told({ pods, views }, conf), frozen);
    const refusing = { annotations: { "driftless.dev/live-subpath": "false" } };
    deepEqual(told({ pods: [pod("a", { spec: subPath, metadata: refusing })] }, conf), frozen);
    deepEqual(told({ pods, views: [view("a", [frozenEnv])] }, conf), [
      "deployment/api x1 subPath hot",
    ]);
  });

  it("looks at workloads of the same files in their new form", () => {
    const planned = [{ workload: deployment(), isTemplateChanged: true, isNew: false }];
    deepEqual(told({ planned }), [
      "deployment/api x2 env restart",
      "deployment/api x2 volume restart",
    ]);
    const asking = annotated({ "driftless.dev/reload": "restart" })[0] ?? deployment();
    deepEqual(told({ planned: [{ workload: asking, isTemplateChanged: false, isNew: false }] }), [
      "deployment/api x2 env restart",
      "deployment/api x2 volume restart",
    ]);
    const workload = deployment({ metadata: { namespace: "default", name: "fresh" } });
    deepEqual(
      told({ pods: [], planned: [{ workload, isTemplateChanged: undefined, isNew: true }] }),
      ["deployment/fresh x2 env nothing", "deployment/fresh x2 volume nothing"],
    );
  });

  it("restarts a workload whose Reloader list names an object that nothing in it refers to", () => {
    const other = { ...change, object: { ...object, name: "other" } };
    const workloads = annotated({ "configmap.reloader.stakater.com/reload": "other" });
    deepEqual(told({ workloads }, other), ["deployment/api x2 - restart"]);
    deepEqual(told({}, other), []);
  });

  it("restarts who is pointed to the newest copy of a versioned object", () => {
    const spec = JSON.parse(
      JSON.stringify(podSpec).replaceAll('"app"', '"app-0123456789"'),
    ) as PodSpec;
    const versioned = { ...change, annotations: { "driftless.dev/versioned": "true" } };
    const workloads = annotated({ "driftless.dev/versioned": "true" });
    deepEqual(told({ pods: [pod("a", { spec })], workloads }, versioned), [
      "deployment/api x1 env restart",
      "deployment/api x1 volume restart",
    ]);
  });

  it("leaves other namespaces alone", () => {
    deepEqual(told({ pods: [pod("a", { metadata: { namespace: "other" } })] }), []);
  });
});

function planOf(fields: Partial<ObjectPlan> = {}): ObjectPlan {
  const [before, after] = ["info", "debug"].map((text) => Buffer.from(text));
  return {
    ...change,
    before: ONE,
    after: TWO,
    differences: [{ key: "log.level", before, after }],
    effects: plannedEffects(
      change,
      facts({ workloads: annotated({ "driftless.dev/reload": "auto" }) }),
    ),
    checks: [{ policy: "web", check: "json", keys: ["*.json"] }],
    heldBy: [],
    ...fields,
  };
}

const look = { columns: 80, hasColour: false, isUnicode: true };

describe("driftless plan", () => {
  it("shows what changes, for whom, and why, in 80 columns", () => {
    equal(
      planText({ objects: [planOf()], notes: [] }, look),
      `configmap/app  1111111111 -> 2222222222
  ~ log.level: "info" -> "debug"
  must pass first, not tried here: web/json (*.json)
  CONSUMER           USE              EFFECT   WHY
  deployment/api x2  web env          restart  (1)
  deployment/api x2  web /etc/config  hot      (2)
  (1) driftless.dev/reload: auto; environment variables are fixed when the
      container starts
  (2) driftless.dev/reload: auto; the files at /etc/config follow by themselves

2 hot, 1 restart (deployment/api)
`,
    );
  });

  it("puts reasons beside where there is room", () => {
    const text = planText({ objects: [planOf()], notes: [] }, { ...look, columns: undefined });
    match(text, /hot +driftless\.dev\/reload: auto; the files at \/etc\/config follow/);
  });

  it("says when nothing changes, and when a policy holds everything", () => {
    const same = planOf({ differences: [], effects: [], checks: [] });
    equal(
      planText({ objects: [same], notes: [] }, look),
      "configmap/app  1111111111, unchanged\n\nnothing changes\n",
    );
    match(planText({ objects: [planOf({ heldBy: ["web"] })], notes: [] }, look), /web is paused/);
  });

  it("G9 shows no value of a Secret, neither to people nor to scripts", () => {
    const secret = planOf({ object: { ...object, kind: "Secret" } });
    const plan = { objects: [secret], notes: [] };
    doesNotMatch(planText(plan, look) + JSON.stringify(planJson(plan)), /info|debug/);
  });

  it("counts consumers, but of restarts what is restarted", () => {
    equal(planSummary(planOf().effects), "2 hot, 1 restart (deployment/api)");
    equal(planSummary([]), "no pod is affected");
  });
});
