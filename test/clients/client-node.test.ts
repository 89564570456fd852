// The official JavaScript client, unmodified, against a server: what programs written with it rely on.

import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  ApiException,
  AppsV1Api,
  CoordinationV1Api,
  CoreV1Api,
  type Informer,
  KubeConfig,
  KubernetesObjectApi,
  makeInformer,
  type ObjectCache,
  PatchStrategy,
  setHeaderOptions,
  type V1ConfigMap,
  type V1Deployment,
  type V1Lease,
  V1MicroTime,
  type V1Status,
  Watch,
} from "@kubernetes/client-node";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { DriftlessServer } from "../support/driftless-server.ts";

function configOf(server: DriftlessServer): KubeConfig {
  const config = new KubeConfig();
  config.loadFromFile(server.kubeconfig);
  return config;
}

/** What a refused call was refused with. */
async function refusal(call: Promise<unknown>): Promise<{ code: number; status: V1Status }> {
  try {
    await call;
  } catch (err) {
    assert.ok(err instanceof ApiException, `not an answer of the server: ${String(err)}`);
    return { code: err.code, status: JSON.parse(String(err.body)) as V1Status };
  }
  assert.fail("it was not refused");
}

const deployment = (name: string): V1Deployment => ({
  metadata: { name },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        containers: [
          { name: "c", image: "nginx:1.25", ports: [{ containerPort: 80 }] },
          { name: "side", image: "side:1" },
        ],
      },
    },
  },
});

function withData({ metadata }: V1ConfigMap, data: Record<string, string>): V1ConfigMap {
  return { ...(metadata && { metadata }), data };
}

/** Waits for what an informer or a watch has told, in order. */
class Told<T> {
  readonly #all: T[] = [];
  readonly #news = new EventEmitter();

  add(one: T): void {
    this.#all.push(one);
    this.#news.emit("one");
  }

  async until(matches: (all: readonly T[]) => boolean): Promise<readonly T[]> {
    while (!matches(this.#all)) {
      await once(this.#news, "one", { signal: AbortSignal.timeout(30_000) }).catch(() =>
        assert.fail(`what was waited for did not come, only ${JSON.stringify(this.#all)}`),
      );
    }
    return this.#all;
  }
}

describe("client-node", () => {
  let server: DriftlessServer;
  let config: KubeConfig;
  let core: CoreV1Api;
  let apps: AppsV1Api;
  let spaces = 0;

  before(async () => {
    server = await DriftlessServer.start();
    config = configOf(server);
    core = config.makeApiClient(CoreV1Api);
    apps = config.makeApiClient(AppsV1Api);
  });
  after(() => server[Symbol.asyncDispose]());

  async function newNamespace(): Promise<string> {
    const name = `space-${++spaces}`;
    await core.createNamespace({ body: { metadata: { name } } });
    return name;
  }

  it("creates, reads, replaces and deletes a ConfigMap", async () => {
    const namespace = await newNamespace();
    const body: V1ConfigMap = { metadata: { name: "cm" }, data: { a: "1" } };
    const made = await core.createNamespacedConfigMap({ namespace, body });
    assert.equal(made.data?.["a"], "1");
    assert.match(made.metadata?.uid ?? "", /^[0-9a-f-]{36}$/);
    assert.ok(made.metadata?.creationTimestamp instanceof Date);

    const read = await core.readNamespacedConfigMap({ namespace, name: "cm" });
    assert.deepEqual(read, made);

    const replaced = await core.replaceNamespacedConfigMap({
      namespace,
      name: "cm",
      body: Object.assign(read, { data: { a: "2" }, binaryData: { b: "//4=" } }),
    });
    assert.deepEqual(replaced.data, { a: "2" });
    assert.deepEqual(replaced.binaryData, { b: "//4=" });
    assert.equal(replaced.metadata?.uid, made.metadata?.uid);
    assert.notEqual(replaced.metadata?.resourceVersion, made.metadata?.resourceVersion);

    const gone = await core.deleteNamespacedConfigMap({ namespace, name: "cm" });
    assert.equal(gone.status, "Success");
    const { code } = await refusal(core.readNamespacedConfigMap({ namespace, name: "cm" }));
    assert.equal(code, 404);
  });

  it("stores what a Secret is given as stringData, and generates names", async () => {
    const namespace = await newNamespace();
    const body = { metadata: { generateName: "s-" }, stringData: { p: "w" } };
    const made = await core.createNamespacedSecret({ namespace, body });
    assert.match(made.metadata?.name ?? "", /^s-[a-z0-9]{5}$/);
    assert.deepEqual(made.data, { p: "dw==" });
    assert.equal(made.stringData, undefined);
    assert.equal(made.type, "Opaque");
  });

  it("creates a Deployment with defaults, scales it, and deletes it", async () => {
    const namespace = await newNamespace();
    const made = await apps.createNamespacedDeployment({ namespace, body: deployment("web") });
    assert.equal(made.spec?.strategy?.type, "RollingUpdate");
    assert.equal(made.spec.strategy.rollingUpdate?.maxSurge, "25%");
    assert.equal(made.spec.template.spec?.containers[0]?.ports?.[0]?.protocol, "TCP");
    assert.equal(made.metadata?.generation, 1);

    const scale = await apps.readNamespacedDeploymentScale({ namespace, name: "web" });
    assert.equal(scale.spec?.replicas, 2);
    scale.spec = { replicas: 5 };
    await apps.replaceNamespacedDeploymentScale({ namespace, name: "web", body: scale });
    const scaled = await apps.readNamespacedDeployment({ namespace, name: "web" });
    assert.equal(scaled.spec?.replicas, 5);
    assert.equal(scaled.metadata?.generation, 2);

    const propagationPolicy = "Background";
    await apps.deleteNamespacedDeployment({ namespace, name: "web", propagationPolicy });
    assert.deepEqual((await apps.listNamespacedDeployment({ namespace })).items, []);
  });

  it("patches in each of the three ways", async () => {
    const namespace = await newNamespace();
    await apps.createNamespacedDeployment({ namespace, body: deployment("web") });
    const patch = async (strategy: PatchStrategy, body: unknown): Promise<V1Deployment> =>
      apps.patchNamespacedDeployment(
        { namespace, name: "web", body },
        setHeaderOptions("Content-Type", strategy),
      );
    const images = ({ spec }: V1Deployment): (string | undefined)[] =>
      (spec?.template.spec?.containers ?? []).map(({ name, image }) => `${name} ${image}`);

    const json = await patch(PatchStrategy.JsonPatch, [
      { op: "test", path: "/spec/template/spec/containers/0/name", value: "c" },
      { op: "replace", path: "/spec/template/spec/containers/0/image", value: "nginx:2" },
    ]);
    assert.deepEqual(images(json), ["c nginx:2", "side side:1"]);

    const strategic = await patch(PatchStrategy.StrategicMergePatch, {
      spec: { template: { spec: { containers: [{ name: "side", image: "side:2" }] } } },
    });
    assert.deepEqual(images(strategic), ["c nginx:2", "side side:2"]);

    const merged = await patch(PatchStrategy.MergePatch, {
      metadata: { labels: { tier: "front" } },
      spec: { template: { spec: { containers: [{ name: "only", image: "only:1" }] } } },
    });
    assert.deepEqual(images(merged), ["only only:1"]);
    assert.deepEqual(merged.metadata?.labels, { tier: "front" });
  });

  it("applies server-side, is told of a conflict, and forces its way", async () => {
    const namespace = await newNamespace();
    const objects = KubernetesObjectApi.makeApiClient(config);
    const apply = (fieldManager: string, a: string, force = false): Promise<V1ConfigMap> =>
      objects.patch<V1ConfigMap>(
        {
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name: "cm", namespace },
          data: { a, [fieldManager]: "mine" },
        },
        undefined,
        undefined,
        fieldManager,
        force,
        PatchStrategy.ServerSideApply,
      );
    await apply("one", "1");
    const { code, status } = await refusal(apply("two", "2"));
    assert.equal(code, 409);
    assert.equal(status.message, 'Apply failed with 1 conflict: conflict with "one": .data.a');
    assert.deepEqual(status.details?.causes, [
      { reason: "FieldManagerConflict", message: 'conflict with "one"', field: ".data.a" },
    ]);
    const forced = await apply("two", "2", true);
    assert.deepEqual(forced.data, { a: "2", one: "mine", two: "mine" });
    const managers = (forced.metadata?.managedFields ?? []).map((one) => [
      one.manager,
      one.operation,
    ]);
    assert.deepEqual(managers, [
      ["one", "Apply"],
      ["two", "Apply"],
    ]);
  });

  it("works on kinds that it finds by asking the server", async () => {
    const namespace = await newNamespace();
    const objects = KubernetesObjectApi.makeApiClient(config);
    const spec = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web", namespace },
      spec: deployment("web").spec,
    };
    await objects.create(spec);
    const read = await objects.read<V1Deployment>(spec);
    assert.equal(read.spec?.replicas, 2);
    const listed = await objects.list<V1Deployment>("apps/v1", "Deployment", namespace);
    assert.deepEqual(
      listed.items.map(({ metadata }) => metadata?.name),
      ["web"],
    );
    await objects.delete(spec);
    assert.equal((await refusal(objects.read(spec))).code, 404);
  });

  it("lists by labels, by fields, and in pages that belong together", async () => {
    const namespace = await newNamespace();
    for (const [index, name] of ["a", "b", "c", "d", "e"].entries()) {
      const labels = { parity: index % 2 === 0 ? "even" : "odd" };
      const body = { metadata: { name, labels } };
      await core.createNamespacedConfigMap({ namespace, body });
    }
    const list = async (options: object): Promise<string> => {
      const { items } = await core.listNamespacedConfigMap({ namespace, ...options });
      return items.map(({ metadata }) => metadata?.name).join();
    };
    assert.equal(await list({ labelSelector: "parity=even" }), "a,c,e");
    assert.equal(await list({ labelSelector: "parity notin (even)" }), "b,d");
    assert.equal(await list({ fieldSelector: "metadata.name=d" }), "d");

    const pages: string[][] = [];
    let _continue: string | undefined;
    do {
      const page = await core.listNamespacedConfigMap({
        namespace,
        limit: 2,
        ...(_continue !== undefined && { _continue }),
      });
      pages.push(page.items.map(({ metadata }) => metadata?.name ?? ""));
      _continue = page.metadata?._continue;
      // Made while the list is under way: it must not show up in it.
      const body = { metadata: { name: `bb-${pages.length}` } };
      await core.createNamespacedConfigMap({ namespace, body });
      if (pages.length === 1) assert.equal(page.metadata?.remainingItemCount, 3);
    } while (_continue !== undefined && _continue !== "");
    assert.deepEqual(pages, [["a", "b"], ["c", "d"], ["e"]]);
  });

  it("gets a Status with every refusal", async () => {
    const namespace = await newNamespace();
    const body: V1ConfigMap = { metadata: { name: "cm" }, data: { a: "1" } };
    const made = await core.createNamespacedConfigMap({ namespace, body });
    const again = await refusal(core.createNamespacedConfigMap({ namespace, body }));
    assert.equal(again.code, 409);
    assert.equal(again.status.reason, "AlreadyExists");
    assert.deepEqual(again.status.details, { name: "cm", kind: "configmaps" });

    const missing = await refusal(core.readNamespacedConfigMap({ namespace, name: "nope" }));
    assert.equal(missing.code, 404);
    assert.equal(missing.status.message, 'configmaps "nope" not found');

    await core.replaceNamespacedConfigMap({ namespace, name: "cm", body: withData(made, {}) });
    const stale = await refusal(
      core.replaceNamespacedConfigMap({
        namespace,
        name: "cm",
        body: withData(made, { a: "3" }),
      }),
    );
    assert.equal(stale.code, 409);
    assert.equal(stale.status.reason, "Conflict");

    const bad = { metadata: { name: "Bad_Name" } };
    const invalid = await refusal(core.createNamespacedConfigMap({ namespace, body: bad }));
    assert.equal(invalid.code, 422);
    assert.equal(invalid.status.details?.causes?.[0]?.field, "metadata.name");

    const noSpace = await refusal(core.createNamespacedConfigMap({ namespace: "nowhere", body }));
    assert.equal(noSpace.code, 404);
    assert.equal(noSpace.status.message, 'namespaces "nowhere" not found');
  });

  it("takes and renews a lease, and loses a race for it", async () => {
    const namespace = await newNamespace();
    const leases = config.makeApiClient(CoordinationV1Api);
    const now = new V1MicroTime();
    const spec = {
      holderIdentity: "me",
      leaseDurationSeconds: 15,
      acquireTime: now,
      renewTime: now,
    };
    const body = { metadata: { name: "leader" }, spec };
    const held = await leases.createNamespacedLease({ namespace, body });
    // Microseconds are kept; the client hands the text on as the server has sent it.
    assert.equal(JSON.stringify(held.spec?.renewTime), JSON.stringify(now));

    const write = (holderIdentity: string): Promise<V1Lease> => {
      const changed = { ...spec, holderIdentity, renewTime: new V1MicroTime() };
      const lease = { ...(held.metadata && { metadata: held.metadata }), spec: changed };
      return leases.replaceNamespacedLease({ namespace, name: "leader", body: lease });
    };
    const renewed = await write("me");
    assert.equal(renewed.spec?.holderIdentity, "me");
    const lost = await refusal(write("other"));
    assert.equal(lost.status.reason, "Conflict");
  });

  it("watches from a resourceVersion on, and misses nothing since", async () => {
    const namespace = await newNamespace();
    const { metadata } = await core.listNamespacedConfigMap({ namespace });
    const body = { metadata: { name: "cm" }, data: { a: "1" } };
    const made = await core.createNamespacedConfigMap({ namespace, body });
    await core.replaceNamespacedConfigMap({
      namespace,
      name: "cm",
      body: withData(made, { a: "2" }),
    });
    await core.deleteNamespacedConfigMap({ namespace, name: "cm" });

    const told = new Told<string>();
    const watching = await new Watch(config).watch(
      `/api/v1/namespaces/${namespace}/configmaps`,
      { resourceVersion: metadata?.resourceVersion },
      (type, object: V1ConfigMap) => told.add(`${type} ${object.data?.["a"]}`),
      () => {},
    );
    const all = await told.until((seen) => seen.length >= 3);
    watching.abort();
    assert.deepEqual(all, ["ADDED 1", "MODIFIED 2", "DELETED 2"]);
  });

  it("informs of what is there, what comes, changes and goes", async () => {
    const namespace = await newNamespace();
    const labels = { app: "x" };
    const create = (name: string, extra: object = { labels }): Promise<V1ConfigMap> =>
      core.createNamespacedConfigMap({ namespace, body: { metadata: { name, ...extra } } });
    await create("before");
    const { informer, told } = informOf(config, namespace, "app=x");
    await informer.start();
    try {
      await told.until((all) => all.includes("add before"));
      const made = await create("later");
      await create("unlabelled", {});
      await core.replaceNamespacedConfigMap({
        namespace,
        name: "later",
        body: withData(made, { a: "1" }),
      });
      await core.deleteNamespacedConfigMap({ namespace, name: "before" });
      await told.until((all) => all.includes("delete before"));
      // It loses its label: for this informer that is a deletion.
      await core.patchNamespacedConfigMap(
        { namespace, name: "later", body: { metadata: { labels: { app: null } } } },
        setHeaderOptions("Content-Type", PatchStrategy.MergePatch),
      );
      const all = await told.until((seen) => seen.includes("delete later"));
      assert.deepEqual(all, [
        "add before",
        "add later",
        "update later",
        "delete before",
        "delete later",
      ]);
      assert.deepEqual(informer.list(namespace), []);
    } finally {
      await informer.stop();
    }
  });
});

function informOf(
  config: KubeConfig,
  namespace: string,
  labelSelector?: string,
): {
  readonly informer: Informer<V1ConfigMap> & ObjectCache<V1ConfigMap>;
  readonly told: Told<string>;
} {
  const core = config.makeApiClient(CoreV1Api);
  const informer = makeInformer<V1ConfigMap>(
    config,
    `/api/v1/namespaces/${namespace}/configmaps`,
    () =>
      core.listNamespacedConfigMap({
        namespace,
        ...(labelSelector !== undefined && { labelSelector }),
      }),
    labelSelector,
  );
  const told = new Told<string>();
  for (const verb of ["add", "update", "delete"] as const) {
    informer.on(verb, ({ metadata }) => told.add(`${verb} ${metadata?.name}`));
  }
  return { informer, told };
}

describe("client-node's informer", () => {
  for (const how of ["kill", "stop"] as const) {
    it(`finds what changed when the server is there again after a ${how}`, async () => {
      using dir = tempDir();
      await using first = await DriftlessServer.start({ dataDir: dir.path });
      const config = configOf(first);
      const namespace = "default";
      const body = (name: string): V1ConfigMap => ({ metadata: { name } });
      const core = config.makeApiClient(CoreV1Api);
      await core.createNamespacedConfigMap({ namespace, body: body("old") });
      const { informer, told } = informOf(config, namespace);
      // As its documentation says: whoever wants to go on after an error starts it again.
      let isWanted = true;
      const goOn = (): Promise<void> => (isWanted ? informer.start() : Promise.resolve());
      informer.on("error", () => void sleep(50).then(goOn));
      await informer.start();
      try {
        await told.until((all) => all.includes("add old"));
        await first[how]();
        await using second = await DriftlessServer.start({ dataDir: dir.path, port: first.port });
        const again = configOf(second).makeApiClient(CoreV1Api);
        await again.createNamespacedConfigMap({ namespace, body: body("new") });
        await again.deleteNamespacedConfigMap({ namespace, name: "old" });
        const all = await told.until((seen) => seen.includes("delete old"));
        assert.deepEqual([...all].sort(), ["add new", "add old", "delete old"]);
        assert.deepEqual(
          informer.list(namespace).map(({ metadata }) => metadata?.name),
          ["new"],
        );
      } finally {
        isWanted = false;
        await informer.stop();
      }
    });
  }
});
