// `driftless audit` on a real server: objects made through the API, pods whose statuses say that they run, and people who may not see everything.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Verbs } from "../cli/verbs.ts";
import { DriftlessServer, readCredentials } from "../support/driftless-server.ts";

const CANARY = "canary-of-a-secret";

let server: DriftlessServer;

before(async () => {
  server = await DriftlessServer.start({ flags: ["--store", "memory"] });
  await must("/api/v1/namespaces", { metadata: { name: "shop" } });
  await must("/api/v1/namespaces/shop/configmaps", {
    metadata: { name: "web" },
    data: { A: "1", "b.conf": "1" },
  });
  await must("/api/v1/namespaces/shop/secrets", {
    metadata: { name: "login" },
    stringData: { P: CANARY },
  });
  await must(
    "/api/v1/namespaces/shop/serviceaccounts",
    { metadata: { name: "default" } },
    [201, 409],
  );
  await must("/apis/apps/v1/namespaces/shop/deployments", {
    metadata: { name: "web" },
    spec: {
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec },
    },
  });
  await must("/api/v1/namespaces/shop/pods", {
    metadata: { name: "old" },
    spec: { ...spec, nodeName: "far" },
  });
  await runs("old", "2020-01-01T00:00:00Z");
  await must("/api/v1/namespaces/shop/pods", {
    metadata: { name: "new" },
    spec: { ...spec, nodeName: "far" },
  });
  await runs("new", "2100-01-01T00:00:00Z");
});

after(async () => server?.[Symbol.asyncDispose]());

const spec = {
  containers: [
    {
      ...{ name: "main", image: "host" },
      env: [
        { name: "A", valueFrom: { configMapKeyRef: { name: "web", key: "A" } } },
        { name: "P", valueFrom: { secretKeyRef: { name: "login", key: "P" } } },
      ],
      volumeMounts: [{ name: "conf", mountPath: "/etc/b.conf", subPath: "b.conf" }],
    },
  ],
  volumes: [{ name: "conf", configMap: { name: "web" } }],
};

async function must(path: string, body: object, codes: readonly number[] = [201]): Promise<string> {
  const { status, text } = await server.fetch("POST", path, body);
  assert.ok(codes.includes(status), `${status} ${text}`);
  return text;
}

async function runs(name: string, startedAt: string): Promise<void> {
  const containerStatuses = [
    {
      name: "main",
      ready: true,
      restartCount: 0,
      image: "host",
      imageID: "",
      state: { running: { startedAt } },
    },
  ];
  const path = `/api/v1/namespaces/shop/pods/${name}/status`;
  const patch = { status: { phase: "Running", containerStatuses } };
  const { status, text } = await server.fetch("PATCH", path, patch, {
    "content-type": "application/merge-patch+json",
  });
  assert.equal(status, 200, text);
}

interface Told {
  readonly findings: readonly {
    readonly id: string;
    readonly object: { readonly kind: string; readonly name: string };
  }[];
  readonly gaps: readonly string[];
}

async function audited(
  kubeconfig: string,
  ...flags: readonly string[]
): Promise<{ readonly told: Told; readonly code: number | null; readonly text: string }> {
  const { stdout, stderr, code } = await new Verbs(kubeconfig).run("audit", "-o", "json", ...flags);
  assert.equal(stderr, "");
  return { told: JSON.parse(stdout) as Told, code, text: stdout };
}

function namesOf({ findings }: Told, prefix: string): readonly string[] {
  return findings
    .filter(({ id }) => id.startsWith(prefix))
    .map(({ id, object }) => `${id} ${object.kind}/${object.name}`)
    .toSorted();
}

describe("driftless audit", () => {
  it("finds the pods that are older than what they use, and what will be next time", async () => {
    const { told, code, text } = await audited(server.kubeconfig, "-n", "shop");
    assert.equal(code, 1);
    assert.deepEqual(namesOf(told, "DL6"), ["DL601 Pod/old", "DL601 Pod/old"]);
    assert.ok(namesOf(told, "DL1").includes("DL102 Deployment/web"));
    assert.deepEqual(told.gaps, []);
    assert.ok(!text.includes(CANARY) && !text.includes(Buffer.from(CANARY).toString("base64")));
  });

  it("takes a node's word for it where there is one", async () => {
    const pod = JSON.parse(
      (await server.fetch("GET", "/api/v1/namespaces/shop/pods/old")).text,
    ) as { readonly metadata: { readonly uid: string } };
    const drift = { reason: "EnvFrozen", message: "Restart it." };
    await must("/apis/driftless.dev/v1/namespaces/shop/configviews", {
      ...{ metadata: { name: "old" }, pod: { name: "old", uid: pod.metadata.uid }, node: "far" },
      uses: [{ kind: "ConfigMap", name: "web", how: "env", container: "main", drift }],
    });
    const { told } = await audited(server.kubeconfig, "-n", "shop");
    assert.deepEqual(namesOf(told, "DL6"), ["DL605 Pod/old"]);
    await server.fetch("DELETE", "/apis/driftless.dev/v1/namespaces/shop/configviews/old");
  });

  it("tells people what they may not list, and goes on", async () => {
    await must("/api/v1/namespaces/shop/serviceaccounts", { metadata: { name: "auditor" } });
    const rules = [{ apiGroups: [""], resources: ["pods", "configmaps"], verbs: ["get", "list"] }];
    await must("/apis/rbac.authorization.k8s.io/v1/namespaces/shop/roles", {
      metadata: { name: "auditor" },
      rules,
    });
    await must("/apis/rbac.authorization.k8s.io/v1/namespaces/shop/rolebindings", {
      metadata: { name: "auditor" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "auditor" },
      subjects: [{ kind: "ServiceAccount", name: "auditor", namespace: "shop" }],
    });
    const answer = await must("/api/v1/namespaces/shop/serviceaccounts/auditor/token", {});
    const { status } = JSON.parse(answer) as { readonly status: { readonly token: string } };
    const kubeconfig = join(server.dataDir, "auditor.json");
    writeFileSync(kubeconfig, kubeconfigText(status.token));
    const { told, code } = await audited(kubeconfig);
    assert.equal(code, 1);
    assert.deepEqual(namesOf(told, "DL6"), ["DL601 Pod/old"]);
    assert.ok(told.gaps.some((gap) => gap.startsWith("the metadata of secrets: ")));
    assert.ok(told.gaps.some((gap) => gap.startsWith("deployments: ")));
    const blind = await audited(kubeconfig, "-n", "default");
    assert.deepEqual([blind.code, blind.told.findings], [1, []]);
  });

  it("ends with 0 where nothing is, and with 2 where it was called wrongly", async () => {
    assert.equal((await audited(server.kubeconfig, "-n", "default")).code, 0);
    const { code, stderr } = await new Verbs(server.kubeconfig).run("audit", "-A", "-n", "shop");
    assert.equal(code, 2);
    assert.match(stderr, /exclude each other/);
  });
});

function kubeconfigText(token: string): string {
  const authority = readCredentials(server.kubeconfig).ca.toString("base64");
  const cluster = { server: server.url, "certificate-authority-data": authority };
  return JSON.stringify({
    ...{ apiVersion: "v1", kind: "Config", "current-context": "a" },
    clusters: [{ name: "a", cluster }],
    users: [{ name: "a", user: { token } }],
    contexts: [{ name: "a", context: { cluster: "a", user: "a", namespace: "shop" } }],
  });
}
