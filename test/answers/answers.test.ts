// status, trace and plan as people use them, on a machine of its own: what they say is held against what the containers really have.

import { deepEqual, equal, match } from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import type { Pod } from "../../src/api/types.ts";
import { Verbs } from "../cli/verbs.ts";
import { type DriftlessUp, eventually, UpDirectory } from "../up/driftless-up.ts";

const skip = process.getuid?.() === 0 ? false : "needs root, for a node";
const core = "/api/v1/namespaces/default";

const first = { "log.level": "info", "app.conf": "a = 1\n" };

/** Two pods that use it by environment, volume and subPath. */
function deployment(name: string, reload: string): object {
  const labels = { app: name };
  const env = [{ name: "LEVEL", valueFrom: { configMapKeyRef: { name, key: "log.level" } } }];
  const container = {
    name: "web",
    image: "host",
    command: ["sleep", "infinity"],
    env,
    volumeMounts: [
      { name: "config", mountPath: "/etc/config" },
      { name: "config", mountPath: "/etc/app.conf", subPath: "app.conf" },
    ],
  };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, annotations: { "driftless.dev/reload": reload } },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          terminationGracePeriodSeconds: 0,
          automountServiceAccountToken: false,
          volumes: [{ name: "config", configMap: { name } }],
          containers: [container],
        },
      },
    },
  };
}

/** Names, versions, ages and lags differ from run to run; how wide they are, too. */
function settled(text: string, name: string): string {
  return text
    .replaceAll(new RegExp(`${name}-[a-z0-9]+-[a-z0-9]{5}`, "g"), "POD")
    .replaceAll(/\b[0-9a-f]{10}\b/g, "VERSION")
    .replaceAll(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replaceAll(/\b[\d.]+ m?s\b/g, "LAG")
    .replaceAll(/\b(?:\d+[smh])+\b/g, "AGE")
    .replaceAll(/ {2,}/g, "  ");
}

describe("Answers of driftless up", { skip }, () => {
  const directory = new UpDirectory();
  let up: DriftlessUp;
  let verbs: Verbs;
  before(async () => {
    up = await directory.start({ flags: ["--store", "memory"] });
    verbs = new Verbs(directory.kubeconfig);
    for (const [name, reload] of [
      ["plain", "none"],
      ["auto", "auto"],
    ] as const) {
      await up.ask("POST", `${core}/configmaps`, { metadata: { name }, data: first });
      const path = "/apis/apps/v1/namespaces/default/deployments";
      await up.ask("POST", path, deployment(name, reload));
    }
  });
  after(() => directory[Symbol.asyncDispose]());

  async function pods(name: string): Promise<readonly Pod[]> {
    const path = `${core}/pods?labelSelector=app%3D${name}`;
    return (await up.ask<{ readonly items: readonly Pod[] }>("GET", path)).items;
  }

  it("--wait in a script returns when the last pod of a new Deployment has it", async () => {
    const { code, stdout, stderr } = await verbs.run("status", "--wait", "--timeout", "60s");
    equal(code, 0, stdout + stderr);
    equal(stdout, "12 of 12 in sync\n");
    equal((await verbs.run("status", "deployment/plain")).code, 0);
  });

  it("plan says what a change will do, and changes nothing", async () => {
    const { code, stdout } = await verbs.run("plan", "cm/plain", "log.level=debug", "app.conf-");
    equal(code, 0);
    equal(
      settled(stdout, "plain").replaceAll(/(frozen|hot) {2}.*/g, "$1  WHY"),
      `configmap/plain  VERSION -> VERSION
  - app.conf:
  - a = 1
  ~ log.level: "info" -> "debug"
  CONSUMER  USE  EFFECT  WHY
  deployment/plain x2  web env  frozen  WHY
  deployment/plain x2  web /etc/app.conf (subPath)  hot  WHY
  deployment/plain x2  web /etc/config  hot  WHY

4 hot, 2 frozen
`,
    );
    const { data } = await up.ask<{ data: object }>("GET", `${core}/configmaps/plain`);
    deepEqual(data, first);
  });

  it("plan takes files, with new objects and workloads in their new form", async () => {
    const file = join(directory.root, "plan.json");
    const fresh = { metadata: { name: "fresh" }, data: { a: "1" } };
    const changed = { metadata: { name: "auto" }, data: { ...first, "log.level": "debug" } };
    const secret = { metadata: { name: "login" }, stringData: { password: "hunter2" } };
    const type = { apiVersion: "v1", kind: "ConfigMap" };
    const items = [
      { ...type, ...fresh },
      { ...type, ...changed },
      { apiVersion: "v1", kind: "Secret", ...secret },
      deployment("auto", "restart"),
    ];
    writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items }));
    const { code, stdout, stderr } = await verbs.run("plan", "-f", file, "-o", "json");
    equal(code, 0, stderr);
    equal(stdout.includes("hunter2"), false);
    const { objects, summary } = JSON.parse(stdout) as {
      summary: string;
      objects: { name: string; changes: object[]; consumers: { how: string; effect: string }[] }[];
    };
    deepEqual(
      objects.map(({ name, changes, consumers }) => [
        name,
        changes,
        consumers.map(({ how, effect }) => `${how} ${effect}`),
      ]),
      [
        ["fresh", [{ key: "a", change: "added" }], []],
        [
          "auto",
          [{ key: "log.level", change: "changed" }],
          ["env restart", "subPath nothing", "volume restart"],
        ],
        ["login", [{ key: "password", change: "added" }], []],
      ],
    );
    equal(summary, "1 restart (deployment/auto), nothing for 2");
  });

  it("status names who keeps the old one, and why; --wait ends with 1 and the reason", async () => {
    await verbs.run("set", "configmap/plain", "log.level=debug");
    await eventually("the files to follow", async () => {
      const { stdout } = await verbs.run("status", "cm/plain");
      match(stdout, /^4 of 6 in sync; 2 frozen/m);
    });
    const waited = await verbs.run("status", "cm/plain", "--wait", "--timeout", "1s");
    equal(waited.code, 1);
    equal(waited.stdout, "4 of 6 in sync; 2 frozen: env of deployment/plain\n");
    match(waited.stderr, /^ {2}plain-\S+ web env is frozen: EnvFrozen: /m);
    const { code, stdout } = await verbs.run("status", "cm/plain");
    equal(code, 1);
    equal(
      settled(stdout, "plain")
        .replace(/EnvFrozen: .*/, "EnvFrozen: WHY")
        .replace("→", "->"),
      `configmap/plain  VERSION  revision 2, changed AGE ago by admin
  CONSUMER  USE  VERSION  SINCE  STATE  REASON
  POD  web env  VERSION  AGE  frozen  EnvFrozen
  POD  web /etc/app.conf (subPath)  VERSION  AGE  in sync  not confirmed
  POD  web /etc/config  VERSION  AGE  in sync  not confirmed
  POD  web env  VERSION  AGE  frozen  EnvFrozen
  POD  web /etc/app.conf (subPath)  VERSION  AGE  in sync  not confirmed
  POD  web /etc/config  VERSION  AGE  in sync  not confirmed
  -> POD web env and 1 more: EnvFrozen: WHY

not confirmed: it is on disk, where the process can read it; the process does not say what it runs with
4 of 6 in sync; 2 frozen: env of deployment/plain
`,
    );
  });

  it("trace draws how the change came to each consumer", async () => {
    // The change of the test before, which every node has reported on.
    const { code, stdout } = await verbs.run("trace", "cm/plain");
    equal(code, 0);
    const text = settled(stdout, "plain");
    match(
      text,
      /^configmap\/plain {2}VERSION {2}revision 2 by admin\ncommitted TIME \(AGE ago\)\n/,
    );
    equal(text.match(/LAG on disk$/gm)?.length, 4);
    equal(text.match(/LAG \w+, frozen$/gm)?.length, 2);
    match(text, /^on disk {2}LAG {2}LAG {2}LAG {2}4 of 6$/m);
    match(text, /^Slowest: POD web \S+(?: \(subPath\))?: on disk\s+after/m);
    const json = JSON.parse((await verbs.run("trace", "cm/plain", "-o", "json")).stdout) as {
      readonly consumers: readonly { readonly stages: Readonly<Record<string, object>> }[];
    };
    const orders = json.consumers.map(({ stages }) => Object.keys(stages).toSorted().join());
    deepEqual(
      [...new Set(orders)].toSorted(),
      ["gated,onDisk,seen", "gated,seen"],
      "frozen ones are only seen",
    );
  });

  it("--wait in a script returns only when every container of the rollout has it", async () => {
    const [node, program] = verbs.words("status");
    const script = `
      set -e
      driftless() { verb=$1; shift; "$NODE" "$PROGRAM" "$verb" --kubeconfig "$KUBECONFIG" "$@"; }
      driftless set configmap/auto log.level=error
      driftless status configmap/auto --wait --timeout 60s
    `;
    const env = { ...process.env, NODE: node, PROGRAM: program, KUBECONFIG: directory.kubeconfig };
    const { stdout } = await promisify(execFile)("sh", ["-c", script], { env });
    match(stdout, /^6 of 6 in sync$/m);
    const found = await pods("auto");
    equal(found.length, 2);
    for (const { metadata } of found) {
      const read = 'echo "$LEVEL"; cat /etc/config/log.level';
      const name = metadata.name ?? "";
      const said = await verbs.run("exec", name, "--", "sh", "-c", read);
      equal(said.stdout, "error\nerror", said.stderr);
    }
  });

  it("status forgets pods with their Deployment, and answers for an object that nobody uses", async () => {
    await verbs.run("delete", "deployment", "auto");
    await eventually("its pods to be gone", async () => deepEqual(await pods("auto"), []));
    const { code, stdout } = await verbs.run("status", "cm/auto");
    equal(code, 0);
    match(stdout, /\nno pod uses it\n$/);
  });
});
