// deploy/monitoring and docs/metrics.md against the program as it runs: what they speak of exists, and says what they say it does.

import { deepEqual, equal, ok } from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { parse } from "yaml";
import { eventually, program } from "../up/driftless-up.ts";
import { dashboard, queriesOf } from "./dashboard.ts";
import { documentedMetrics } from "./documented-metrics.ts";
import { askedBy, familyName, type MetricFamily, metricFamilies } from "./metrics-text.ts";
import { MonitoredUp } from "./monitored-up.ts";

const run = promisify(execFile);
const isRoot = process.getuid?.() === 0;
const deploy = new URL("../../deploy/monitoring/", import.meta.url);

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly annotations: Readonly<Record<string, string>>;
    }[];
  }[];
}

const { groups } = parse(readFileSync(new URL("alerts.yaml", deploy), "utf8")) as Rules;
const alerts = groups.flatMap(({ rules }) => rules);

/** What Prometheus itself adds: `up` for each target, and labels of targets and buckets. */
const OF_PROMETHEUS = { metrics: ["up"], labels: ["job", "instance", "node", "le"] };

describe("deploy/monitoring", { skip: isRoot ? false : "containers need root here" }, () => {
  let monitored: MonitoredUp;
  let server: ReadonlyMap<string, MetricFamily>;
  let node: ReadonlyMap<string, MetricFamily>;
  let controllers: ReadonlyMap<string, MetricFamily>;

  before(async () => {
    monitored = await MonitoredUp.start();
    server = metricFamilies(await monitored.serverMetrics());
    node = metricFamilies(await monitored.nodeMetrics());
    controllers = metricFamilies(await monitored.controllersMetrics());
  });

  after(async () => {
    await monitored[Symbol.asyncDispose]();
  });

  it("docs/metrics.md has every metric that there is, with its type and help, and no other", () => {
    const all = new Map([...controllers, ...server, ...node]);
    const there = Array.from(all.values(), ({ name, type, help }) => `${name} ${type} ${help}`);
    const documented = documentedMetrics().map(({ name, type, help }) => `${name} ${type} ${help}`);
    deepEqual(documented.toSorted(), there.toSorted());
  });

  it("docs/metrics.md has every label of the samples that are there", () => {
    const labels = new Map(documentedMetrics().map((one) => [one.name, one.labels]));
    for (const families of [server, node, controllers]) {
      for (const { name, labels: there } of families.values()) {
        const known = [...(labels.get(name) ?? []), "le"];
        const unknown = [...there].filter((label) => !known.includes(label));
        deepEqual(unknown, [], `labels of ${name} that are not documented`);
      }
    }
  });

  it("the server and its node have no metric in common, so nothing is collected twice", () => {
    deepEqual(
      [...node.keys()].filter((name) => server.has(name)),
      [],
    );
  });

  it("--metrics-listen of up has those of the server and of its node", async () => {
    const answer = await fetch(monitored.metricsUrl);
    deepEqual(
      [...metricFamilies(await answer.text()).keys()].toSorted(),
      [...server.keys(), ...node.keys()].toSorted(),
    );
  });

  it("alerts and dashboard ask only for metrics of a running up, by labels that these have", () => {
    const there = new Map([...server, ...node]);
    const labels = new Map(documentedMetrics().map((one) => [one.name, one.labels]));
    const queries = [...alerts.map(({ expr }) => expr), ...queriesOf(dashboard)];
    for (const query of queries) {
      const asked = askedBy(query);
      const families = [...asked.metrics]
        .filter((name) => !OF_PROMETHEUS.metrics.includes(name))
        .map((name) => familyName(name, there));
      deepEqual(
        families.filter((name) => !there.has(name)),
        [],
        `metrics of ${query} that are not there`,
      );
      const known = families.flatMap((name) => labels.get(name) ?? []);
      const unknown = [...asked.labels].filter(
        (label) => !known.includes(label) && !OF_PROMETHEUS.labels.includes(label),
      );
      deepEqual(unknown, [], `labels of ${query} that its metrics do not have`);
    }
  });

  it("each alert says what is the matter, with which numbers, and what to do", () => {
    for (const { alert, annotations } of alerts) {
      deepEqual(Object.keys(annotations).toSorted(), ["description", "runbook", "summary"], alert);
    }
    equal(new Set(alerts.map(({ alert }) => alert)).size, alerts.length, "names are unique");
  });

  it("access.yaml gives the right to metrics and to nodes, and to nothing else", async () => {
    const { directory } = monitored;
    const file = new URL("access.yaml", deploy).pathname;
    const args = ["apply", "-f", file, "--kubeconfig", directory.kubeconfig];
    await run(process.execPath, [program, ...args]);
    const token = await eventually("the token of the account", async () => {
      const path = "/api/v1/namespaces/monitoring/secrets/prometheus-token";
      const { text } = await monitored.get(path);
      const { data } = JSON.parse(text) as { readonly data?: { readonly token?: string } };
      if (data?.token === undefined) throw new Error("there is none yet");
      return Buffer.from(data.token, "base64").toString();
    });
    const status = async (path: string): Promise<number> =>
      (await monitored.get(path, token)).status;
    equal(await status("/metrics"), 200);
    equal(await status("/api/v1/nodes"), 200);
    equal(await status("/api/v1/nodes/n1/metrics"), 200);
    equal(await status("/api/v1/nodes/n1/proxy/metrics"), 403);
    equal(await status("/api/v1/nodes/n1/proxy/pods"), 403);
    equal(await status("/api/v1/pods"), 403);
    equal(await status("/api/v1/secrets"), 403);
    equal(await status("/apis/driftless.dev/v1/configviews"), 403);
  });

  it("G5 drift of a real pod is in the fleet's numbers and in its node's, and goes from both", async () => {
    const { up } = monitored;
    const core = "/api/v1/namespaces/default";
    const config = { metadata: { name: "level" }, data: { LEVEL: "info" } };
    await up.ask("POST", `${core}/configmaps`, config);
    const spec = {
      terminationGracePeriodSeconds: 0,
      containers: [
        {
          ...{ name: "main", image: "host", command: ["sleep", "infinity"] },
          envFrom: [{ configMapRef: { name: "level" } }],
        },
      ],
    };
    await up.ask("POST", `${core}/pods`, { metadata: { name: "frozen" }, spec });
    const value = async (series: string): Promise<string> => {
      const text = `${await monitored.serverMetrics()}${await monitored.nodeMetrics()}`;
      return text.split("\n").find((line) => line.startsWith(`${series} `)) ?? "";
    };
    const become = (series: string, count: number): Promise<void> =>
      eventually(`${series} ${count}`, async () =>
        equal(await value(series), `${series} ${count}`),
      );
    await eventually("a use that is in sync", async () =>
      ok(Number((await value('driftless_fleet_uses{state="InSync"}')).split(" ")[1]) > 0),
    );
    await become("driftless_fleet_pods_without_view", 0);
    const change = { data: { LEVEL: "debug" } };
    const merge = "application/merge-patch+json";
    await up.ask("PATCH", `${core}/configmaps/level`, change, merge);
    await become('driftless_fleet_drift{reason="EnvFrozen"}', 1);
    await become('driftless_config_drift{reason="EnvFrozen"}', 1);
    await up.ask("DELETE", `${core}/pods/frozen`);
    await become('driftless_fleet_drift{reason="EnvFrozen"}', 0);
    await become('driftless_config_drift{reason="EnvFrozen"}', 0);
  });
});
