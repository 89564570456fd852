// deploy/helm/driftless: what it renders is what deploy/kubernetes has, and is accepted strictly. See rendered-chart.ts for who renders it.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Ajv } from "ajv";
import type { JsonObject } from "../../src/api/json.ts";
import type { ApiObject } from "../../src/api/object.ts";
import type { CronJob, Deployment, PodSpec, PolicyRule } from "../../src/api/types.ts";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { ensureLaterDebianBinary } from "../../tools/debian-later.ts";
import { kubectlBinary } from "../clients/kubectl-binaries.ts";
import { cannotPlay } from "../examples/play-example.ts";
import { DriftlessServer } from "../support/driftless-server.ts";
import { KUSTOMIZE, objectsOf, oneOf } from "./built-manifests.ts";
import { CHART, defaultValues, merged, render, valuesSchema } from "./rendered-chart.ts";

const program = new URL("../../src/cmd/driftless.ts", import.meta.url).pathname;
const kubectl = await kubectlBinary("1.36");
const tmpl = await ensureLaterDebianBinary({
  ...{ suite: "trixie", package: "tmpl", binary: "usr/bin/tmpl" },
});
const engine = tmpl.ok ? tmpl.path : "";
const kubectlPath = kubectl.ok ? kubectl.path : "";

/** Everything that can be said differently, said differently. */
const other: JsonObject = {
  image: {
    repository: "other.example/d",
    digest: `sha256:${"0".repeat(64)}`,
    pullPolicy: "Always",
  },
  imagePullSecrets: ["one", "two"],
  ...{ scope: "namespace", secrets: false },
  reload: {
    ...{ replicas: 3, logLevel: "debug", podDisruptionBudget: false },
    metrics: { port: 9999, annotations: false },
    resources: { requests: { cpu: "1" }, limits: { memory: "1Gi" } },
  },
  audit: { schedule: "@daily", failOn: "warning", ignore: ["DL101", "DL102"] },
  nodeSelector: { "kubernetes.io/os": "linux", even: "true" },
  tolerations: [
    { key: "a", operator: "Exists" },
    { key: "b", value: "true", effect: "NoExecute", tolerationSeconds: 300 },
  ],
  podLabels: { team: "1" },
  networkPolicy: true,
};

describe("the Helm chart", { skip: cannotPlay(kubectl, tmpl) }, () => {
  let server: DriftlessServer;
  before(async () => {
    server = await DriftlessServer.start({ flags: ["--store", "memory"] });
    const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
    const metadata = { name: "driftless", labels };
    assert.equal((await server.fetch("POST", "/api/v1/namespaces", { metadata })).status, 201);
  });
  after(async () => server?.[Symbol.asyncDispose]());

  for (const [what, values] of [
    ["as it comes", {}],
    ["with other values", other],
  ] as const) {
    it(`${what} is accepted strictly, and lint finds nothing`, () => {
      const { text } = render({ engine, values });
      const flags = ["--kubeconfig", server.kubeconfig, "apply", "--validate=strict", "-f", "-"];
      const options = { input: text, encoding: "utf8" } as const;
      const said = spawnSync(kubectlPath, flags, options);
      assert.equal(said.status, 0, `${said.stdout}${said.stderr}`);
      assert.doesNotMatch(said.stderr, /warning/i);
      using dir = tempDir();
      dir.write({ "all.yaml": text });
      const lint = [program, "lint", dir.path, "--fail-on", "note"];
      const { status, stdout } = spawnSync(process.execPath, lint, { encoding: "utf8" });
      assert.equal(status, 0, stdout);
    });
  }

  for (const [scope, overlay, kind] of [
    ["cluster", "cluster-wide", "ClusterRole"],
    ["namespace", "namespace-wide", "Role"],
  ] as const) {
    it(`of scope ${scope} makes the same pods with the same rights as overlays/${overlay}`, () => {
      const chart = objectsOf(render({ engine, values: { scope } }).text);
      const built = execFileSync(kubectlPath, ["kustomize", join(KUSTOMIZE, "overlays", overlay)], {
        encoding: "utf8",
      });
      const overlaid = objectsOf(built);
      const pods = [chart, overlaid].map((all) => [
        oneOf<Deployment>(all, "Deployment").spec?.template?.spec,
        oneOf<CronJob>(all, "CronJob").spec?.jobTemplate?.spec?.template?.spec,
      ]);
      assert.deepEqual(pods[0]?.map(comparable), pods[1]?.map(comparable));
      const prefix = scope === "cluster" ? "driftless-" : "";
      for (const name of ["driftless-reload", "driftless-audit"]) {
        assert.deepEqual(
          oneOf<{ rules: PolicyRule[] }>(chart, kind, `${prefix}${name}`).rules,
          oneOf<{ rules: PolicyRule[] }>(overlaid, kind, name).rules,
        );
      }
      const election = [chart, overlaid].map(
        (all) => oneOf<{ rules: PolicyRule[] }>(all, "Role", "driftless-reload-election").rules,
      );
      assert.deepEqual(election[0], election[1]);
    });
  }

  it("puts every value where it belongs in the reload controller", () => {
    const all = objectsOf(render({ engine, values: other, release: "r", namespace: "n" }).text);
    assert.deepEqual([...new Set(all.map(({ metadata }) => metadata.namespace))], ["n"]);
    assert.doesNotMatch(all.map(({ kind }) => kind).join(" "), /Cluster|PodDisruption/);
    const { spec } = oneOf<Deployment>(all, "Deployment", "r-reload");
    assert.equal(spec.replicas, 3);
    assert.equal(spec.template.metadata.labels?.["team"], "1");
    assert.equal(spec.template.metadata.annotations, undefined);
  });

  it("puts every value where it belongs in its pods", () => {
    const all = objectsOf(render({ engine, values: other }).text);
    const pod = oneOf<Deployment>(all, "Deployment").spec.template.spec;
    assert.deepEqual(pod.nodeSelector, other["nodeSelector"]);
    assert.deepEqual(pod.tolerations, other["tolerations"]);
    assert.deepEqual(pod.imagePullSecrets, [{ name: "one" }, { name: "two" }]);
    const { image, imagePullPolicy, resources, args = [] } = pod.containers?.[0] ?? { name: "" };
    assert.equal(image, `other.example/d@sha256:${"0".repeat(64)}`);
    assert.equal(imagePullPolicy, "Always");
    const requests = { cpu: "1", memory: "128Mi" };
    assert.deepEqual(resources, { requests, limits: { memory: "1Gi" } });
    for (const flag of ["--namespace=$(POD_NAMESPACE)", "--log-level=debug"])
      assert.ok(args?.includes(flag), flag);
    assert.ok(args?.includes("--metrics-listen=0.0.0.0:9999"));
  });

  it("puts every value where it belongs in the audit and the rights", () => {
    const all = objectsOf(render({ engine, values: other, release: "r", namespace: "n" }).text);
    const { schedule, jobTemplate } = oneOf<CronJob>(all, "CronJob", "r-audit").spec ?? {};
    assert.equal(schedule, "@daily");
    assert.deepEqual(jobTemplate?.spec?.template?.spec?.containers?.[0]?.args, [
      ...["audit", "--fail-on=warning", "--ignore=DL101", "--ignore=DL102"],
    ]);
    assert.equal(oneOf<ApiObject>(all, "NetworkPolicy").metadata.name, "r");
    for (const name of ["r-reload", "r-audit"])
      assert.doesNotMatch(JSON.stringify(oneOf(all, "Role", name)), /secrets/);
  });

  it("makes nothing of what is switched off", () => {
    const off = { reload: { enabled: false }, audit: { enabled: false } };
    assert.equal(render({ engine, values: off }).text, "");
    const { text, notes } = render({ engine, values: { reload: { enabled: false } } });
    assert.doesNotMatch(text + notes, /driftless-reload|reload controller/);
  });

  it("says what to do next", () => {
    const { notes } = render({ engine, values: { secrets: false }, release: "r", namespace: "n" });
    assert.match(notes, /looks after all namespaces/);
    assert.match(notes, /kubectl create job -n n --from=cronjob\/r-audit audit-now/);
    assert.match(notes, /Secrets are neither followed/);
  });
});

describe("the values of the Helm chart", () => {
  const isValid = new Ajv({ allErrors: true, strict: true }).compile(valuesSchema());

  it("are what the schema says, by default and otherwise", () => {
    for (const values of [{}, other]) {
      assert.ok(isValid(merged(defaultValues(), values)), JSON.stringify(isValid.errors));
    }
  });

  it("are refused with a mistake", () => {
    const mistakes: readonly JsonObject[] = [
      { replicas: 1 },
      { scope: "all" },
      { secrets: "no" },
      { image: { tag: "a b" } },
      { image: { digest: "latest" } },
      { reload: { replicas: "two" } },
      { reload: { metrics: { port: 80 } } },
      { audit: { failOn: "never" } },
      { tolerations: [{ effect: "No" }] },
      { nodeSelector: { even: true } },
    ];
    for (const values of mistakes)
      assert.equal(isValid(merged(defaultValues(), values)), false, JSON.stringify(values));
  });

  it("are all in the table of the README, with their defaults", () => {
    const table = readFileSync(join(CHART, "README.md"), "utf8").matchAll(
      /^\| `([\w.]+)` +\| `(.*?)` +\|/gm,
    );
    const told = Object.fromEntries([...table].map(([, name = "", value = ""]) => [name, value]));
    assert.deepEqual(told, Object.fromEntries(flat(defaultValues())));
  });
});

function flat(values: JsonObject, prefix = ""): readonly (readonly [string, string])[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const name = `${prefix}${key}`;
    const isBranch = typeof value === "object" && value !== null && !Array.isArray(value);
    return isBranch && Object.keys(value).length > 0
      ? flat(value, `${name}.`)
      : [[name, JSON.stringify(value)] as const];
  });
}

/** Without what only the chart has: its label of the release, and a pull policy. */
function comparable(pod: PodSpec | undefined): unknown {
  return JSON.parse(
    JSON.stringify(pod, (key, value: unknown) =>
      ["imagePullPolicy", "app.kubernetes.io/instance"].includes(key) ? undefined : value,
    ),
  );
}
