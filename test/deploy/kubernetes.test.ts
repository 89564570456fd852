// deploy/kubernetes as somebody with a cluster uses it: built by kubectl, accepted strictly, and run. The programs in the pods are the real ones, in the
// image that the Containerfile makes, as service accounts that have the rights of the manifests and no others.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { text as consumeText } from "node:stream/consumers";
import { after, before, describe, it } from "node:test";
import type { ApiObject } from "../../src/api/object.ts";
import type { CronJob, PolicyRule } from "../../src/api/types.ts";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { ensureLaterDebianBinary } from "../../tools/debian-later.ts";
import { kubectlBinary } from "../clients/kubectl-binaries.ts";
import { cannotPlay } from "../examples/play-example.ts";
import { eventually } from "../up/driftless-up.ts";
import { type Built, build, KUSTOMIZE, oneOf } from "./built-manifests.ts";
import { DeployedCluster, NGINX } from "./deployed-cluster.ts";
import { granted, refused, used } from "./rights.ts";

const program = new URL("../../src/cmd/driftless.ts", import.meta.url).pathname;
const found = await kubectlBinary("1.36");
const nginx = await ensureLaterDebianBinary({
  ...{ suite: "bookworm", package: "nginx", binary: "usr/sbin/nginx" },
  probe: ["-v"],
});
const kubectl = found.ok ? found.path : "";
const ALL = [
  ...["base", "overlays"]
    .flatMap((folder) => readdirSync(join(KUSTOMIZE, folder)).map((name) => `${folder}/${name}`))
    .map((directory) => ({ directory, components: [] as readonly string[] })),
  ...["cluster-wide", "namespace-wide"].map((overlay) => ({
    ...{ directory: `overlays/${overlay}`, components: ["without-secrets", "network-policy"] },
  })),
];
const RELOADED = "driftless.dev/reloaded-for";

const skip = cannotPlay(found, nginx);
let cluster: DeployedCluster;

// One cluster for all of it: an image and a node take their time. The limit is for each test, and for all together more.
describe("deploy/kubernetes", { skip, timeout: 900_000 }, () => {
  before(async () => {
    cluster = await DeployedCluster.start({ kubectl, nginx: nginx.ok ? nginx.path : "" });
    await cluster.makeNamespace("shop");
  });
  after(async () => cluster?.[Symbol.asyncDispose]());

  describe("the manifests", () => {
    const texts: string[] = [];

    for (const { directory, components } of ALL) {
      const what = [directory, ...components].join(" with ");
      it(`${what} is accepted strictly, by a namespace for restricted pods`, async () => {
        const { text, objects } = await build({ kubectl, directory, components });
        texts.push(text);
        const namespace = directory.replace("/", "-");
        await cluster.makeNamespace(namespace);
        for (const { kind, metadata } of objects)
          if (kind === "Namespace") await cluster.makeNamespace(metadata.name ?? "");
        const own = directory.endsWith("-wide") ? [] : ["-n", namespace];
        const flags = [...["apply", "--validate=strict", "--dry-run=server"], ...own, "-f", "-"];
        const said = cluster.kubectl(text, ...flags);
        assert.equal(said.code, 0, said.text);
        // Pods that are not restricted would be told of, and so would whatever is old.
        assert.doesNotMatch(
          said.text.replaceAll(/.*last-applied-configuration.*/g, ""),
          /warning/i,
        );
      });
    }

    it("a field that there is not would be refused", async () => {
      const { text } = await build({ kubectl, directory: "base/audit" });
      const wrong = text.replace("concurrencyPolicy:", "concurencyPolicy:");
      assert.throws(() => cluster.apply(wrong, "default"), /unknown field "spec.concurencyPolicy"/);
    });

    it("lint finds nothing", () => {
      assert.equal(texts.length, ALL.length);
      using dir = tempDir();
      for (const [i, text] of texts.entries()) dir.write({ [`${i}/all.yaml`]: text });
      const lint = [
        program,
        "lint",
        "--fail-on",
        "note",
        ...ALL.map((_, i) => dir.join(String(i))),
      ];
      const { status, stdout, stderr } = spawnSync(process.execPath, lint, { encoding: "utf8" });
      assert.equal(status, 0, `${stdout}${stderr}`);
    });
  });

  describe("the sidecar", () => {
    for (const [directory, where] of [
      ["base/sidecar", "native"],
      ["base/sidecar-classic", "classic"],
    ] as const) {
      it(`${directory} serves what the ConfigMap has, and follows it, with its rights and no more`, async () => {
        const { text, ports, objects } = await build({ kubectl, directory });
        await cluster.makeNamespace(where);
        cluster.apply(text, where);
        const pod = await cluster.readyPod(where, "app.kubernetes.io/name=web");
        assert.equal(await page(ports["8080"]), "hello\n");
        const change = { data: { "site.conf": siteOf(ports["8080"], "changed") } };
        await cluster.ask("PATCH", `/api/v1/namespaces/${where}/configmaps/web-site`, change);
        await shows(ports["8080"], "changed\n");
        // The app itself has the file: the volume that both have.
        const inside = `/proc/${cluster.node.containerPid(pod, "nginx")}/root/etc/nginx/conf.d/site.conf`;
        assert.match(readFileSync(inside, "utf8"), /changed/);
        await cluster.ask("DELETE", `/api/v1/namespaces/${where}/configmaps/web-site`);
        await eventually("an Event on the pod", async () => {
          const path = `/api/v1/namespaces/${where}/events`;
          const { items } = await cluster.ask<{ items: { message: string }[] }>("GET", path);
          assert.ok(
            items.some(({ message }) => /web-site.* was deleted/.test(message)),
            JSON.stringify(items),
          );
        });
        assert.match(readFileSync(inside, "utf8"), /changed/);
        const log = cluster.logs(where, pod.metadata.name ?? "", "driftless");
        assert.doesNotMatch(log, /403|forbidden/i);
        const { rules } = oneOf<{ rules: PolicyRule[] }>(objects, "Role");
        await exactly({ namespace: where, name: "web" }, rules);
        await cluster.remove(text, where);
      });
    }

    it("a Deployment with the label gets the sidecar when it is built, and the other one does not", async () => {
      const { text, ports, objects } = await build({ kubectl, directory: "overlays/injected" });
      assert.equal(
        JSON.stringify(oneOf(objects, "Deployment", "plain")).includes("sidecar"),
        false,
      );
      await cluster.makeNamespace("injected");
      cluster.apply(text, "injected");
      await cluster.readyPod("injected", "app=shop");
      assert.equal(await page(ports["8090"]), "welcome\n");
      const path = "/api/v1/namespaces/injected/configmaps/shop";
      await cluster.ask("PATCH", path, { data: { "override.yaml": "{}\n" } });
      await shows(ports["8090"], "hello\n");
      await cluster.remove(text, "injected");
    });
  });

  describe("the reload controller", () => {
    it("the reload controller of a cluster restarts what asks for it, with its rights and no more", async () => {
      const built = await build({
        kubectl,
        directory: "overlays/cluster-wide",
        replace: { "replicas: 2": "replicas: 1" },
      });
      cluster.apply(built.text, "driftless");
      await cluster.readyPod("driftless", "app.kubernetes.io/name=driftless-reload");
      await cluster.makeNamespace("apps");
      await reloads("apps");
      const rules = [
        ...oneOf<{ rules: PolicyRule[] }>(built.objects, "ClusterRole", "driftless-reload").rules,
        ...oneOf<{ rules: PolicyRule[] }>(built.objects, "Role", "driftless-reload-election").rules,
      ];
      await exactly({ namespace: "driftless", name: "driftless-reload" }, rules);
      await cluster.remove(built.text, "driftless");
    });

    it("the reload controller of a namespace does the same there, and asks for nothing elsewhere", async () => {
      const replace = { "replicas: 2": "replicas: 1" };
      const built = await build({ kubectl, directory: "overlays/namespace-wide", replace });
      cluster.apply(built.text, "shop");
      await cluster.readyPod("shop", "app.kubernetes.io/name=driftless-reload");
      await reloads("shop");
      const who = { namespace: "shop", name: "driftless-reload" };
      const rules = ["driftless-reload", "driftless-reload-election"].flatMap(
        (name) => oneOf<{ rules: PolicyRule[] }>(built.objects, "Role", name).rules,
      );
      await exactly(who, rules);
      const elsewhere = cluster
        .askedBy("shop", "driftless-reload")
        .filter(({ objectRef }) => objectRef && objectRef.namespace !== "shop");
      assert.deepEqual(elsewhere, []);
      await cluster.remove(built.text, "shop");
    });
  });

  describe("the audit", () => {
    for (const [overlay, namespace, kind] of [
      ["cluster-wide", "driftless", "ClusterRole"],
      ["namespace-wide", "shop", "Role"],
    ] as const) {
      it(`the audit of ${overlay} completes, with its rights and no more`, async () => {
        const built = await build({
          kubectl,
          directory: `overlays/${overlay}`,
          replace: { "replicas: 2": "replicas: 0" },
        });
        cluster.apply(built.text, namespace);
        const said = await audited(built, namespace);
        assert.match(said, /\d+ objects/);
        assert.doesNotMatch(said, /forbidden/);
        const { rules } = oneOf<{ rules: PolicyRule[] }>(built.objects, kind, "driftless-audit");
        await exactly({ namespace, name: "driftless-audit" }, rules);
        await cluster.remove(built.text, namespace);
      });
    }

    it("without the right to Secrets the audit says so, and completes", async () => {
      const built = await build({
        kubectl,
        directory: "overlays/namespace-wide",
        components: ["without-secrets"],
        replace: { "replicas: 2": "replicas: 0" },
      });
      cluster.apply(built.text, "shop");
      assert.match(await audited(built, "shop"), /metadata of secrets: .*forbidden/);
      await cluster.remove(built.text, "shop");
    });
  });
});

/** The pod that a Job of the CronJob would have: there is no controller for Jobs here. What it printed, when it has succeeded. */
async function audited({ objects }: Built, namespace: string): Promise<string> {
  const { spec } = oneOf<CronJob>(objects, "CronJob").spec.jobTemplate.spec?.template ?? {};
  await cluster.ask("POST", `/api/v1/namespaces/${namespace}/pods`, {
    metadata: { name: "audit" },
    spec,
  });
  const phase = await eventually("the end of the audit", async () => {
    const pod = await cluster.ask<{ status: { phase: string } }>(
      "GET",
      `/api/v1/namespaces/${namespace}/pods/audit`,
    );
    if (!["Succeeded", "Failed"].includes(pod.status.phase))
      throw new Error(JSON.stringify(pod.status));
    return pod.status.phase;
  });
  const said = cluster.logs(namespace, "audit", "audit");
  assert.equal(phase, "Succeeded", said);
  await cluster.ask("DELETE", `/api/v1/namespaces/${namespace}/pods/audit`);
  return said;
}

/** Workloads of all kinds that ask for restarts, and two changes of what they use. */
async function reloads(namespace: string): Promise<void> {
  const core = `/api/v1/namespaces/${namespace}`;
  const apps = `/apis/apps/v1/namespaces/${namespace}`;
  await cluster.ask("POST", `${core}/configmaps`, {
    metadata: { name: "app" },
    data: { LEVEL: "0" },
  });
  const metadata = { name: "app", annotations: { "driftless.dev/reload": "auto" } };
  const spec = podSpec();
  const template = { metadata: { labels: { app: "app" } }, spec };
  const common = { selector: { matchLabels: { app: "app" } }, template };
  await cluster.ask("POST", `${apps}/deployments`, { metadata, spec: common });
  await cluster.ask("POST", `${apps}/statefulsets`, {
    metadata,
    spec: { ...common, serviceName: "app", replicas: 0 },
  });
  const nowhere = { ...spec, nodeSelector: { no: "where" } };
  await cluster.ask("POST", `${apps}/daemonsets`, {
    metadata,
    spec: { ...common, template: { ...template, spec: nowhere } },
  });
  await cluster.ask("POST", `${core}/pods`, {
    metadata: { ...metadata, name: "bare" },
    spec: nowhere,
  });
  let last = "";
  for (const level of ["1", "2"]) {
    await eventually("a pod of this template alone", async () => {
      const { metadata: now } = await cluster.readyPod(namespace, "app=app");
      assert.equal(now.annotations?.[RELOADED] ?? "", last);
    });
    await eventually("that all were seen", async () => {
      for (const path of [
        `${apps}/deployments/app`,
        `${apps}/statefulsets/app`,
        `${apps}/daemonsets/app`,
        `${core}/pods/bare`,
      ]) {
        const { metadata: now } = await cluster.ask<ApiObject>("GET", path);
        assert.ok(now.annotations?.["driftless.dev/reload-baseline"], path);
      }
    });
    await cluster.ask("PATCH", `${core}/configmaps/app`, { data: { LEVEL: level } });
    last = await eventually("a restart", async () => {
      const { spec: now } = await cluster.ask<{
        spec: { template: { metadata: { annotations?: Record<string, string> } } };
      }>("GET", `${apps}/deployments/app`);
      const reason = now.template.metadata.annotations?.[RELOADED] ?? "";
      assert.match(reason, /configmap\/app/);
      assert.notEqual(reason, last);
      return reason;
    });
  }
  await eventually("an Event that was counted twice", async () => {
    const { items } = await cluster.ask<{ items: { reason: string; count: number }[] }>(
      "GET",
      `${core}/events`,
    );
    assert.ok(items.some(({ reason, count }) => reason === "ConfigReload" && count >= 2));
  });
  await cluster.ask("DELETE", `${core}/pods/bare`);
  await cluster.ask("DELETE", `${apps}/deployments/app?propagationPolicy=Background`);
}

async function exactly(
  who: { readonly namespace: string; readonly name: string },
  rules: readonly PolicyRule[],
): Promise<void> {
  await eventually(`the rights of ${who.name} and what it asks for to be the same`, () => {
    const asked = cluster.askedBy(who.namespace, who.name);
    assert.deepEqual(refused(asked), []);
    assert.deepEqual(used(asked), granted(rules));
  });
}

function podSpec(): object {
  const securityContext = {
    ...{ runAsNonRoot: true, runAsUser: 65_532, allowPrivilegeEscalation: false },
    ...{ capabilities: { drop: ["ALL"] }, seccompProfile: { type: "RuntimeDefault" } },
  };
  const env = [{ name: "LEVEL", valueFrom: { configMapKeyRef: { name: "app", key: "LEVEL" } } }];
  const containers = [{ name: "app", image: NGINX, env, securityContext }];
  return { containers, terminationGracePeriodSeconds: 1 };
}

function siteOf(port: string, text: string): string {
  return `server { listen ${port}; location / { return 200 "${text}\\n"; } location /healthz { return 200; } }\n`;
}

async function shows(port: string, text: string): Promise<void> {
  await eventually(`a page that says ${text}`, async () => assert.equal(await page(port), text));
}

function page(port: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get({ host: "127.0.0.1", port, agent: false }, (answer) => resolve(consumeText(answer))).on(
      "error",
      reject,
    );
  });
}
