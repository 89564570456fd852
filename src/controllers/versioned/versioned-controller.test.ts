// Copies, who is pointed to them, and when they go; in a simulated cluster. SimVersioned watches over every removal.

import assert from "node:assert/strict";
import { test } from "node:test";
import { forbidden } from "../../api/status-error.ts";
import { servedKind } from "../pods/pod-object.ts";
import {
  CONFIG_MAP,
  DEPLOYMENTS,
  GRACE_MS,
  podSpec,
  SECRET,
  SimVersioned,
} from "./testing/sim-versioned.ts";
import { VERSIONED } from "./versioned-names.ts";

/** Longer than changes are gathered. */
const SOON_MS = 3000;

/** With a source "app" and a Deployment "web" that has been pointed to its first copy. */
async function pointed(): Promise<{ readonly at: SimVersioned; readonly first: string }> {
  const at = new SimVersioned();
  at.source("app", "one");
  at.deployment("web", ["app"]);
  await at.start();
  await at.sim.pass(SOON_MS);
  return { at, first: at.newest("app") };
}

test("A source gets an immutable copy that is named after its content and belongs to nobody", async () => {
  await using at = new SimVersioned();
  at.source("app", "one");
  await at.start();
  await at.sim.pass(SOON_MS);
  const name = at.newest("app");
  assert.match(name, /^app-[0-9a-f]{10}$/);
  const copy = at.copy(name);
  assert.deepEqual(copy?.data, { text: "one" });
  assert.equal(copy?.immutable, true);
  assert.equal(copy?.metadata.ownerReferences, undefined);
  assert.equal(copy?.metadata.labels?.["driftless.dev/versioned-from"], "app");
  assert.deepEqual(at.told("VersionCreated"), [`${name} holds what is in it now`]);
});

test("A copy has the labels of its source that policies choose by, and not those of tools that own it", async () => {
  await using at = new SimVersioned();
  const labels = { team: "a", "app.kubernetes.io/instance": "argo" };
  const annotations = { [VERSIONED]: "true", note: "x" };
  const metadata = { name: "app", namespace: "default", labels, annotations };
  at.source("app", "one", { metadata });
  await at.start();
  await at.sim.pass(SOON_MS);
  const copied = at.copy(at.newest("app"))?.metadata;
  assert.deepEqual(copied?.labels, { team: "a", "driftless.dev/versioned-from": "app" });
  assert.equal(copied?.annotations?.["note"], undefined);
});

test("A copy of a Secret keeps its type, and two Secrets with one content have different versions", async () => {
  await using at = new SimVersioned();
  for (const name of ["a", "b"]) {
    const metadata = { name, namespace: "default", annotations: { [VERSIONED]: "true" } };
    at.sim.create(SECRET, { metadata, type: "example.com/x", data: { k: "c2VjcmV0" } });
  }
  await at.start();
  await at.sim.pass(SOON_MS);
  const [a, b] = [at.newest("a", "Secret"), at.newest("b", "Secret")];
  assert.notEqual(a.slice(-10), b.slice(-10));
  const copy = at.sim.get<{ type?: string; data?: object }>(SECRET, `default/${a}`);
  assert.equal(copy?.type, "example.com/x");
  assert.deepEqual(copy?.data, { k: "c2VjcmV0" });
});

test("A workload that asks for it is pointed to the newest copy in every place, with one patch", async () => {
  await using at = new SimVersioned();
  at.source("app", "one");
  const template = {
    metadata: { labels: { app: "web" } },
    spec: {
      ...podSpec(["app"]),
      volumes: [
        { name: "a", configMap: { name: "app" } },
        { name: "b", projected: { sources: [{ configMap: { name: "app" } }] } },
        { name: "c", configMap: { name: "other" } },
      ],
      initContainers: [{ name: "i", image: "i", envFrom: [{ configMapRef: { name: "app" } }] }],
      containers: [
        {
          name: "c",
          image: "i",
          env: [{ name: "X", valueFrom: { configMapKeyRef: { name: "app", key: "text" } } }],
        },
      ],
    },
  };
  at.sim.create(servedKind("apps/v1", "DaemonSet"), {
    metadata: { name: "web", namespace: "default", annotations: { [VERSIONED]: "true" } },
    spec: { selector: { matchLabels: { app: "web" } }, template },
  });
  await at.start();
  await at.sim.pass(SOON_MS);
  const newest = at.newest("app");
  const { spec } =
    at.sim.get<{ spec: { template: object } }>(servedKind("apps/v1", "DaemonSet"), "default/web") ??
    assert.fail();
  const text = JSON.stringify(spec.template);
  assert.equal(text.split(`"name":"${newest}"`).length - 1, 4);
  assert.equal(text.includes('"name":"app"'), false);
  assert.equal(text.includes('"name":"other"'), true);
  assert.equal(at.writes.filter((write) => write.includes("DaemonSet")).length, 1);
});

test("Sources that change together cause one patch of a workload that uses both", async () => {
  await using at = new SimVersioned();
  at.source("a", "one");
  at.source("b", "one");
  at.deployment("web", ["a", "b"]);
  await at.start();
  await at.sim.pass(SOON_MS);
  at.writes.length = 0;
  at.change("a", "two");
  await at.sim.pass(200);
  at.change("b", "two");
  await at.sim.pass(SOON_MS);
  assert.deepEqual(at.names("web"), [at.newest("a"), at.newest("b")]);
  assert.equal(at.writes.filter((write) => write === "MODIFIED Deployment web").length, 1);
});

test("A source that is written many times in a moment gets one copy", async () => {
  const { at } = await pointed();
  await using _ = at;
  for (let i = 0; i < 20; i++) {
    at.change("app", `burst ${i}`);
    await at.sim.pass(10);
  }
  await at.sim.pass(SOON_MS);
  assert.equal(at.copies("app").length, 2);
  assert.deepEqual(at.copy(at.newest("app"))?.data, { text: "burst 19" });
});

for (const [asks, isPointed] of [
  ["false", false],
  ["other", false],
  ["other, app", true],
  ["configmap/app", true],
  ["secret/app", false],
] as const) {
  test(`A workload with "${asks}" is ${isPointed ? "" : "not "}pointed to configmap/app`, async () => {
    await using at = new SimVersioned();
    at.source("app", "one");
    at.deployment("web", ["app"], { asks });
    await at.start();
    await at.sim.pass(SOON_MS);
    assert.deepEqual(at.names("web"), [isPointed ? at.newest("app") : "app"]);
  });
}

test("A rollout that is undone keeps its old copy until the source changes, and says so once", async () => {
  const { at, first } = await pointed();
  await using _ = at;
  at.change("app", "two");
  await at.sim.pass(SOON_MS);
  assert.notDeepEqual(at.names("web"), [first]);
  assert.ok(at.undo("web"));
  await at.sim.pass(60_000);
  assert.deepEqual(at.names("web"), [first]);
  assert.equal(at.told("ConfigVersionHeld").length, 1);
  assert.match(at.told("ConfigVersionHeld")[0] ?? "", /taken back to app-\w+: it stays there/);
  await at.restart();
  await at.sim.pass(60_000);
  assert.deepEqual(at.names("web"), [first]);
  at.change("app", "three");
  await at.sim.pass(SOON_MS);
  assert.deepEqual(at.names("web"), [at.newest("app")]);
});

test("A rollout that is undone stays where it is when other things of its template change", async () => {
  const { at, first } = await pointed();
  await using _ = at;
  at.change("app", "two");
  await at.sim.pass(SOON_MS);
  at.undo("web");
  await at.sim.pass(SOON_MS);
  for (let i = 0; i < 6; i++) {
    const metadata = { annotations: { build: `${i}` } };
    at.sim.patch(DEPLOYMENTS, "default/web", { spec: { template: { metadata } } });
    await at.sim.pass(30_000);
  }
  assert.deepEqual(at.names("web"), [first]);
});

test("A template that names the source again is pointed to the newest, also after a rollback", async () => {
  const { at } = await pointed();
  await using _ = at;
  at.change("app", "two");
  await at.sim.pass(SOON_MS);
  at.undo("web");
  await at.sim.pass(SOON_MS);
  const spec = { template: { spec: podSpec(["app"]) } };
  at.sim.patch(DEPLOYMENTS, "default/web", { spec });
  await at.sim.pass(SOON_MS);
  assert.deepEqual(at.names("web"), [at.newest("app")]);
});

test("A content that comes back is the newest again, and workloads follow it back", async () => {
  const { at, first } = await pointed();
  await using _ = at;
  for (const [text, isFirst] of [
    ["two", false],
    ["one", true],
    ["two", false],
    ["one", true],
  ] as const) {
    at.change("app", text);
    await at.sim.pass(SOON_MS);
    assert.equal(at.newest("app") === first, isFirst);
    assert.deepEqual(at.names("web"), [at.newest("app")]);
  }
  assert.equal(at.copies("app").length, 2);
});

test("A controller that starts anew writes nothing when nothing has changed", async () => {
  const { at } = await pointed();
  await using _ = at;
  at.writes.length = 0;
  await at.restart();
  await at.sim.pass(SOON_MS);
  assert.deepEqual(at.writes, []);
});

test("A change that nobody saw is caught up with", async () => {
  const { at } = await pointed();
  await using _ = at;
  await at.sim.stop();
  at.change("app", "two");
  await at.start();
  await at.sim.pass(SOON_MS);
  assert.deepEqual(at.names("web"), [at.newest("app")]);
});

test("A copy stays as long as a ReplicaSet can bring it back, and goes some time after", async () => {
  const { at, first } = await pointed();
  await using _ = at;
  for (const text of ["two", "three"]) {
    at.change("app", text);
    await at.sim.pass(30_000);
  }
  await at.sim.pass(10 * GRACE_MS);
  assert.deepEqual(at.removed, []);
  // Two old ReplicaSets are kept: that of the first copy is no longer among them.
  at.change("app", "four");
  await at.sim.pass(30_000);
  assert.deepEqual(at.removed, []);
  await at.sim.pass(2 * GRACE_MS);
  assert.deepEqual(at.removed, [first]);
});

test("The newest copy stays though nothing refers to it, and goes some time after its source", async () => {
  await using at = new SimVersioned();
  at.source("app", "one");
  await at.start();
  await at.sim.pass(10 * GRACE_MS);
  const newest = at.newest("app");
  at.sim.delete(CONFIG_MAP, "default/app");
  await at.sim.pass(GRACE_MS / 2);
  assert.deepEqual(at.removed, []);
  await at.sim.pass(2 * GRACE_MS);
  assert.deepEqual(at.removed, [newest]);
});

test("Pods keep the copy that they use when its source is deleted", async () => {
  const { at, first } = await pointed();
  await using _ = at;
  at.sim.delete(CONFIG_MAP, "default/app");
  await at.sim.pass(10 * GRACE_MS);
  assert.deepEqual(at.names("web"), [first]);
  assert.deepEqual(at.copies("app"), [first]);
  assert.equal(at.copy(first)?.metadata.annotations?.["driftless.dev/unneeded-since"], undefined);
});

test("A copy stays as long as a ControllerRevision can bring it back", async () => {
  await using at = new SimVersioned();
  at.source("app", "one");
  const labels = { app: "agent" };
  at.sim.create(servedKind("apps/v1", "DaemonSet"), {
    metadata: { name: "agent", namespace: "default", annotations: { [VERSIONED]: "true" } },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { ...podSpec(["app"]), nodeName: undefined } },
    },
  });
  await at.start();
  await at.sim.pass(SOON_MS);
  const first = at.newest("app");
  at.change("app", "two");
  await at.sim.pass(10 * GRACE_MS);
  assert.equal(at.sim.list(servedKind("v1", "Pod")).length, 1);
  assert.notEqual(at.newest("app"), first);
  assert.notEqual(at.copy(first), undefined);
});

test("A copy that something names again in its grace time stays, though the informers do not show it", async () => {
  await using at = new SimVersioned();
  at.source("app", "one");
  await at.start();
  await at.sim.pass(SOON_MS);
  const first = at.newest("app");
  at.change("app", "two");
  await at.sim.pass(GRACE_MS / 2);
  assert.ok(at.copy(first)?.metadata.annotations?.["driftless.dev/unneeded-since"]);
  at.sim.watchLagMs = ({ kind }) => (kind === "Deployment" ? 10 * GRACE_MS : 0);
  at.deployment("late", [first], { asks: "false" });
  await at.sim.pass(3 * GRACE_MS);
  assert.deepEqual(at.removed, []);
  assert.equal(at.copies("app").length, 2);
});

test("A copy that somebody deletes is made again", async () => {
  const { at, first } = await pointed();
  await using _ = at;
  at.sim.delete(CONFIG_MAP, `default/${first}`);
  await at.sim.pass(SOON_MS);
  assert.equal(at.newest("app"), first);
  assert.deepEqual(at.names("web"), [first]);
});

test("A source whose name leaves no room for a version is told so, and nothing is cut off", async () => {
  await using at = new SimVersioned();
  at.source("a".repeat(243), "one");
  at.source("b".repeat(242), "one");
  await at.start();
  await at.sim.pass(SOON_MS);
  assert.equal(at.newest("b".repeat(242)).length, 253);
  assert.deepEqual(at.copies("a".repeat(243)), []);
  assert.match(at.told("VersionNotKept")[0] ?? "", /243 characters, and only 242 leave room/);
});

test("A ConfigMap of somebody else that has the name of a copy is left alone", async () => {
  const { at, first } = await pointed();
  await using _ = at;
  await at.sim.stop();
  at.sim.delete(CONFIG_MAP, `default/${first}`);
  at.sim.create(CONFIG_MAP, { metadata: { name: first, namespace: "default" } });
  await at.start();
  await at.sim.pass(SOON_MS);
  assert.match(at.told("VersionNotKept")[0] ?? "", /there is another ConfigMap called app-/);
  assert.equal(at.copy(first)?.data, undefined);
});

test("A source whose copies may not be made is told so once, and gets one when that is allowed", async () => {
  await using at = new SimVersioned();
  at.source("app", "one");
  let isAllowed = false;
  at.sim.refuse(({ verb, kind }) =>
    !isAllowed && verb === "create" && kind.kind === "ConfigMap"
      ? forbidden(kind, "app", "no right")
      : undefined,
  );
  await at.start();
  await at.sim.pass(10 * GRACE_MS);
  assert.equal(at.told("VersionNotKept").length, 1);
  assert.match(at.told("VersionNotKept")[0] ?? "", /^no versions are kept: .*no right; an admin/);
  isAllowed = true;
  await at.sim.pass(GRACE_MS + SOON_MS);
  assert.deepEqual(at.copy(at.newest("app"))?.data, { text: "one" });
});

test("Conflicts, refusals and lost answers delay a version, and lose none", async () => {
  const { at } = await pointed();
  await using _ = at;
  let faults = 0;
  at.sim.refuse(({ verb }) => {
    if (!["create", "patch", "delete", "get"].includes(verb)) return undefined;
    faults++;
    return faults % 3 === 0 ? undefined : faults % 3 === 1 ? "lost" : "cut";
  });
  at.change("app", "two");
  await at.sim.pass(60_000);
  assert.ok(faults > 3);
  assert.deepEqual(at.copy(at.newest("app"))?.data, { text: "two" });
  assert.deepEqual(at.names("web"), [at.newest("app")]);
});
