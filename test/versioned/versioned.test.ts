// Versioned ConfigMaps with everything real: `driftless up`, its node, and kubectl. What counts is what the program in the pod reads.

import { deepEqual, equal, match, notEqual } from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { ConfigMap, Deployment, Event, Pod, Secret } from "../../src/api/types.ts";
import { Kubectl } from "../agent/kubectl-session.ts";
import { type DriftlessUp, eventually, UpDirectory } from "../up/driftless-up.ts";

const skip = process.getuid?.() === 0 ? false : "needs root, for a node";
const core = "/api/v1/namespaces/default";
const deployments = "/apis/apps/v1/namespaces/default/deployments";

describe("driftless.dev/versioned", { skip, timeout: 180_000 }, () => {
  let directory: UpDirectory;
  let up: DriftlessUp;

  before(async () => {
    directory = new UpDirectory();
    up = await directory.start();
  });

  after(() => directory[Symbol.asyncDispose]());

  it("keeps versions of Secrets when an administrator has allowed it, and says so before", async () => {
    const annotations = { "driftless.dev/versioned": "true" };
    await up.ask("POST", `${core}/secrets`, { metadata: { name: "tls", annotations } });
    await eventually("an event that says what is missing", async () => {
      const { items } = await up.ask<{ items: Event[] }>("GET", `${core}/events`);
      const refused = items.find(({ reason }) => reason === "VersionNotKept");
      match(refused?.message ?? "", /cannot create resource "secrets".*an administrator can allow/);
    });
    // As docs/versioned-configmaps.md says it.
    await up.ask("POST", "/apis/rbac.authorization.k8s.io/v1/clusterroles", {
      metadata: {
        name: "versioned-secrets",
        labels: { "driftless.dev/aggregate-to-controllers": "true" },
      },
      rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["create"] }],
    });
    const secret = { stringData: { key: "k" } };
    await up.ask("PATCH", `${core}/secrets/tls`, secret, "application/merge-patch+json");
    await eventually("a copy", async () => {
      const { items } = await up.ask<{ items: Secret[] }>("GET", `${core}/secrets`);
      const copy = items.find(({ metadata }) => /^tls-[0-9a-f]{10}$/.test(metadata.name ?? ""));
      deepEqual(copy?.data, { key: "aw==" });
    });
  });

  it("rolls out a change, and kubectl rollout undo brings the old config back with the old pods", async (t) => {
    const kubectl = await Kubectl.of("1.36", directory.kubeconfig);
    if (typeof kubectl === "string") {
      t.skip(kubectl);
      return;
    }
    await up.ask("POST", `${core}/configmaps`, configMap("one"));
    await up.ask("POST", deployments, deployment());
    const first = await pointed(up);
    deepEqual(await reads(up, first), "one");

    await change(up, "two");
    const second = await pointed(up, first);
    deepEqual(await reads(up, second), "two");

    const undone = await kubectl.run("rollout", "undo", "deployment/web");
    equal(undone.code, 0, undone.stderr);
    deepEqual(await reads(up, first), "one");
    await eventually("an event that says why it stays", async () => {
      const { items } = await up.ask<{ items: Event[] }>("GET", `${core}/events`);
      const held = items.find(({ reason }) => reason === "ConfigVersionHeld");
      match(held?.message ?? "", new RegExp(`is at ${second} now.*taken back to ${first}`));
    });
    deepEqual(await named(up), first);
    for (const name of [first, second]) {
      const copy = await up.ask<ConfigMap>("GET", `${core}/configmaps/${name}`);
      equal(copy.immutable, true);
    }
  });
});

function configMap(text: string): object {
  const annotations = { "driftless.dev/versioned": "true" };
  return { metadata: { name: "app", annotations }, data: { text } };
}

function deployment(): object {
  const labels = { app: "web" };
  const container = {
    name: "main",
    image: "host",
    command: ["sh", "-c", "cat /etc/app/text; echo; exec sleep infinity"],
    volumeMounts: [{ name: "app", mountPath: "/etc/app" }],
  };
  const spec = {
    terminationGracePeriodSeconds: 1,
    containers: [container],
    volumes: [{ name: "app", configMap: { name: "app" } }],
  };
  return {
    metadata: { name: "web", annotations: { "driftless.dev/versioned": "true" } },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  };
}

async function change(up: DriftlessUp, text: string): Promise<void> {
  const path = `${core}/configmaps/app`;
  await up.ask("PATCH", path, { data: { text } }, "application/merge-patch+json");
}

async function named(up: DriftlessUp): Promise<string> {
  const { spec } = await up.ask<Deployment>("GET", `${deployments}/web`);
  return spec.template.spec.volumes?.[0]?.configMap?.name ?? "";
}

/** The copy that the template names, once it names one that is not `before`. */
async function pointed(up: DriftlessUp, before?: string): Promise<string> {
  return eventually("another copy in the template", async () => {
    const name = await named(up);
    match(name, /^app-[0-9a-f]{10}$/);
    notEqual(name, before);
    return name;
  });
}

/** What the program of the only pod reads, once that is one made for this copy. */
async function reads(up: DriftlessUp, copy: string): Promise<string> {
  const pod = await eventually(`only a pod with ${copy}`, async () => {
    const { items } = await up.ask<{ items: Pod[] }>("GET", `${core}/pods`);
    deepEqual(
      items.map(({ spec }) => spec.volumes?.[0]?.configMap?.name),
      [copy],
    );
    const [one] = items;
    equal(one?.status?.containerStatuses?.[0]?.ready, true);
    return one as Pod;
  });
  return eventually("what it reads", async () => {
    const text = await logOf(up, pod.metadata.name ?? "");
    notEqual(text, "");
    return text.trim();
  });
}

async function logOf(up: DriftlessUp, pod: string): Promise<string> {
  const kubectl = await Kubectl.of("1.36", up.directory.kubeconfig);
  if (typeof kubectl === "string") throw new Error(kubectl);
  const { code, stdout, stderr } = await kubectl.run("logs", pod);
  equal(code, 0, stderr);
  return stdout;
}
