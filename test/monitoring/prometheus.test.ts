// The rules and the scrape configuration with Debian's Prometheus: promtool judges the rules and runs their cases, and Prometheus itself
// collects from a running server and its node.

import { deepEqual, ok } from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { parse, stringify } from "yaml";
import { ensureLaterDebianBinary } from "../../tools/debian-later.ts";
import { freePort } from "../agent/agent-metrics.ts";
import { readCredentials } from "../support/driftless-server.ts";
import { eventually, program } from "../up/driftless-up.ts";
import { dashboard, queriesOf } from "./dashboard.ts";
import { MonitoredUp } from "./monitored-up.ts";

const run = promisify(execFile);
const prometheus = await ensureLaterDebianBinary({
  ...{ suite: "bookworm", package: "prometheus", binary: "usr/bin/prometheus" },
  probe: ["--version"],
});
const skip = prometheus.ok ? false : prometheus.reason;
const isRoot = process.getuid?.() === 0;
const promtool = prometheus.ok ? join(dirname(prometheus.path), "promtool") : "";
const deploy = fileURLToPath(new URL("../../deploy/monitoring/", import.meta.url));
const cases = fileURLToPath(new URL("testdata/alerts.test.yaml", import.meta.url));

describe("Prometheus", { skip }, () => {
  it("takes the alerts, and they fire when they should and not before", async () => {
    await run(promtool, ["check", "rules", join(deploy, "alerts.yaml")]);
    await run(promtool, ["test", "rules", cases]);
  });

  it("has a case for each alert in which it fires", () => {
    const names = (text: string, pattern: RegExp): string[] =>
      Array.from(text.matchAll(pattern), ([, name = ""]) => name).toSorted();
    const alerts = names(readFileSync(join(deploy, "alerts.yaml"), "utf8"), /- alert: (\w+)/g);
    const fired = names(readFileSync(cases, "utf8"), /\{alertname="(\w+)"\}/g);
    deepEqual([...new Set(fired)], alerts);
  });

  it("understands every query of the dashboard", async () => {
    using directory = tempDirectory();
    const rules = queriesOf(dashboard).map((expr, i) => ({ record: `panel_${i}`, expr }));
    const file = join(directory.path, "queries.yaml");
    writeFileSync(file, stringify({ groups: [{ name: "dashboard", rules }] }));
    await run(promtool, ["check", "rules", file]);
  });

  const needsRoot = isRoot ? false : "containers need root here";
  it("collects from server and node, as README.md has it", { skip: needsRoot }, async () => {
    await using monitored = await MonitoredUp.start();
    using directory = tempDirectory();
    await prepare(monitored, directory.path);
    const listen = `127.0.0.1:${await freePort()}`;
    const data = join(directory.path, "data");
    const args = ["--config.file=prometheus.yaml", `--storage.tsdb.path=${data}`];
    const child = spawn(
      prometheus.ok ? prometheus.path : "",
      [...args, `--web.listen-address=${listen}`, "--log.level=error"],
      { cwd: directory.path, stdio: "ignore" },
    );
    const ended = once(child, "exit");
    try {
      const query = async (expr: string): Promise<Sample[]> => {
        const url = `http://${listen}/api/v1/query?query=${encodeURIComponent(expr)}`;
        const { data: found } = (await (await fetch(url)).json()) as Found;
        return found.result;
      };
      const labels = await eventually("both targets", async () => {
        const up = await query("up == 1");
        if (up.length < 2) throw new Error(JSON.stringify(await query("up")));
        return up.map(({ metric }) => `${metric["job"]} ${metric["node"] ?? ""}`.trim());
      });
      deepEqual(labels.toSorted(), ["driftless", "driftless-nodes n1"]);
      // In one of the next rounds, if the node was not yet counted in the first.
      for (const expr of [
        'driftless_fleet_nodes{ready="True"} == 1',
        'driftless_config_uses{node="n1"}',
      ]) {
        await eventually(expr, async () => ok((await query(expr)).length > 0));
      }
    } finally {
      child.kill("SIGTERM");
      await ended;
    }
  });
});

interface Sample {
  readonly metric: Readonly<Record<string, string>>;
}

interface Found {
  readonly data: { readonly result: Sample[] };
}

interface ScrapeConfig {
  readonly scrape_configs: readonly Readonly<Record<string, unknown>>[];
}

/** What the README tells to do. Debian's Prometheus cannot find nodes by itself, so that it is told of the one there is. */
async function prepare({ up, directory }: MonitoredUp, place: string): Promise<void> {
  const as = ["--kubeconfig", directory.kubeconfig];
  await run(process.execPath, [program, "apply", "-f", join(deploy, "access.yaml"), ...as]);
  const token = await eventually("the token of the account", async () => {
    const path = "/api/v1/namespaces/monitoring/secrets/prometheus-token";
    const { data } = await up.ask<{ readonly data?: { readonly token?: string } }>("GET", path);
    return Buffer.from(data?.token ?? "", "base64").toString() || Promise.reject(new Error(path));
  });
  writeFileSync(join(place, "token"), token);
  writeFileSync(join(place, "ca.crt"), readCredentials(directory.kubeconfig).ca);
  copyFileSync(join(deploy, "alerts.yaml"), join(place, "alerts.yaml"));
  const own = readFileSync(join(deploy, "prometheus.yaml"), "utf8")
    .replaceAll("127.0.0.1:8443", new URL(up.url).host)
    .replace("scrape_interval: 15s", "scrape_interval: 1s");
  const config = parse(own) as ScrapeConfig;
  const scrapes = config.scrape_configs.map(({ kubernetes_sd_configs: found, ...rest }) =>
    found === undefined
      ? rest
      : { ...rest, static_configs: [{ targets: ["n1"], labels: nodeLabels }] },
  );
  writeFileSync(join(place, "prometheus.yaml"), stringify({ ...config, scrape_configs: scrapes }));
}

const nodeLabels = { __meta_kubernetes_node_name: "n1" };

function tempDirectory(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), "driftless-monitoring-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
