import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ApiObject } from "../../api/object.ts";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { seededRandom } from "../../base/testing/seeded-random.ts";
import { MemoryStore } from "../../storage/memory/memory-store.ts";
import { StoreUnavailableError } from "../../storage/store.ts";
import { WatchCache } from "../cache/watch-cache.ts";
import { ObjectStore } from "../registry/object-store.ts";
import { type Resource, storageOf } from "../registry/resource.ts";
import { DefaultServiceAccount } from "./default-service-account.ts";
import { type KindName, objectOf, strategyNamed } from "./testing/requests.ts";

class Running implements AsyncDisposable {
  readonly store = new MemoryStore();
  readonly clock = new FakeClock();
  readonly logger = new CaptureLogger();
  readonly cache: WatchCache;
  readonly objects: ObjectStore;
  readonly namespaces: Resource;
  readonly serviceAccounts: Resource;
  readonly configMaps: Resource;
  readonly pods: Resource;
  readonly #stop = new AbortController();
  readonly #ended: Promise<unknown>[] = [];

  constructor() {
    const { store, clock, logger } = this;
    const names: readonly KindName[] = [
      "v1 Namespace",
      "v1 ServiceAccount",
      "v1 ConfigMap",
      "v1 Pod",
    ];
    const served = names.map(strategyNamed).map((strategy) => ({
      strategy,
      kind: strategy.kind,
      storedKind: strategy.kind,
      storage: storageOf(strategy),
      view: undefined,
    }));
    const kinds = served.map(({ storage }) => storage);
    this.cache = new WatchCache({ store, kinds, clock, random: seededRandom(1), logger });
    this.objects = new ObjectStore({ store, cache: this.cache });
    const [namespaces, serviceAccounts, configMaps, pods] = served.map((resource) => ({
      ...resource,
      cache: this.cache.kind(resource.storage.prefix),
    }));
    assert.ok(namespaces && serviceAccounts && configMaps && pods);
    this.namespaces = namespaces;
    this.serviceAccounts = serviceAccounts;
    this.configMaps = configMaps;
    this.pods = pods;
  }

  static async begin(): Promise<Running> {
    const run = new Running();
    const { signal } = run.#stop;
    run.#ended.push(run.store.run(signal), run.cache.run(signal));
    await run.cache.ready();
    return run;
  }

  start(objects: ObjectStore = this.objects): void {
    const { namespaces, serviceAccounts, configMaps, pods, clock, logger } = this;
    const part = new DefaultServiceAccount({
      namespaces,
      serviceAccounts,
      configMaps,
      pods,
      objects,
      rootCertificates: "PEM",
      clock,
      random: seededRandom(1),
      logger,
    });
    this.#ended.push(part.run(this.#stop.signal));
  }

  async namespace(name: string, metadata: object = {}): Promise<void> {
    const object = objectOf("v1 Namespace", { metadata: { name, ...metadata } });
    await this.objects.create(this.namespaces, name, object);
  }

  /** One that mounts the certificates, on a node unless told otherwise. */
  async pod(namespace: string, nodeName = "n1"): Promise<void> {
    const sources = [{ configMap: { name: "kube-root-ca.crt" } }];
    const object = objectOf("v1 Pod", {
      metadata: { name: "p", namespace },
      spec: { nodeName, volumes: [{ name: "v", projected: { sources } }] },
    });
    await this.objects.create(this.pods, `${namespace}/p`, object);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#ended);
  }
}

/** The object, when there is one for which `isRight`. */
function appeared(
  { cache }: Resource,
  key: string,
  isRight: (object: ApiObject) => boolean = () => true,
): Promise<ApiObject> {
  return new Promise((resolve) => {
    const look = (): void => {
      const object = cache.get(key)?.object;
      if (object !== undefined && isRight(object)) resolve(object);
    };
    cache.follow({ reset: look, changed: look });
  });
}

// The limit ends a test that waits for what never appears.
describe("DefaultServiceAccount", { timeout: 20_000 }, () => {
  it("gives a new namespace its account, and the certificates once a node needs them", async () => {
    await using run = await Running.begin();
    run.start();
    await run.namespace("a");
    await run.namespace("b");
    await run.pod("b", "");
    const account = await appeared(run.serviceAccounts, "a/default");
    assert.match(account.metadata.uid ?? "", /^[0-9a-f-]{36}$/);
    await run.pod("a");
    const map = await appeared(run.configMaps, "a/kube-root-ca.crt");
    assert.deepEqual(map["data"], { "ca.crt": "PEM" });
    assert.equal(run.configMaps.cache.get("b/kube-root-ca.crt"), undefined);
    assert.match(
      map.metadata.annotations?.["kubernetes.io/description"] ?? "",
      /^Contains a CA bundle/,
    );
    assert.deepEqual(
      map.metadata.managedFields?.map(({ manager, operation }) => [manager, operation]),
      [["driftless-server", "Update"]],
    );
  });

  it("gives them to namespaces that were there before it", async () => {
    await using run = await Running.begin();
    await run.namespace("old");
    await run.pod("old");
    run.start();
    await appeared(run.serviceAccounts, "old/default");
    await appeared(run.configMaps, "old/kube-root-ca.crt");
  });

  it("makes an account again that was deleted", async () => {
    await using run = await Running.begin();
    run.start();
    await run.namespace("a");
    const { uid } = (await appeared(run.serviceAccounts, "a/default")).metadata;
    await run.objects.change(run.serviceAccounts, "a/default", () => ({ do: "delete" }));
    await appeared(run.serviceAccounts, "a/default", ({ metadata }) => metadata.uid !== uid);
  });

  it("puts the certificates right that somebody changed, and keeps their labels", async () => {
    await using run = await Running.begin();
    run.start();
    await run.namespace("a");
    await run.pod("a");
    const key = "a/kube-root-ca.crt";
    const { metadata } = await appeared(run.configMaps, key);
    const changed = { metadata: { ...metadata, labels: { l: "1" } }, data: { "ca.crt": "X" } };
    await run.objects.change(run.configMaps, key, () => ({ do: "write", object: changed }));
    const right = await appeared(
      run.configMaps,
      key,
      ({ metadata: { labels }, data }) =>
        labels !== undefined && JSON.stringify(data) === '{"ca.crt":"PEM"}',
    );
    assert.equal(right.metadata.uid, metadata.uid);
  });

  it("leaves an account alone that its users have changed", async () => {
    await using run = await Running.begin();
    run.start();
    await run.namespace("a");
    const { metadata } = await appeared(run.serviceAccounts, "a/default");
    const object = { metadata, automountServiceAccountToken: false };
    const { object: written } = await run.objects.change(run.serviceAccounts, "a/default", () => ({
      do: "write",
      object,
    }));
    await run.namespace("b");
    await run.pod("b");
    await appeared(run.configMaps, "b/kube-root-ca.crt");
    assert.equal(run.serviceAccounts.cache.get("a/default")?.revision, written?.revision);
  });

  it("puts nothing into a namespace on its way out", async () => {
    await using run = await Running.begin();
    run.start();
    await run.namespace("a", { deletionTimestamp: "2026-01-01T00:00:00Z" });
    await run.namespace("b");
    await run.pod("b");
    await appeared(run.configMaps, "b/kube-root-ca.crt");
    assert.equal(run.serviceAccounts.cache.get("a/default"), undefined);
  });

  it("tries again when the store was away", async () => {
    await using run = await Running.begin();
    let failures = 1;
    class Failing extends ObjectStore {
      override change(
        ...args: Parameters<ObjectStore["change"]>
      ): ReturnType<ObjectStore["change"]> {
        if (failures-- > 0) return Promise.reject(new StoreUnavailableError("away"));
        return super.change(...args);
      }
    }
    run.start(new Failing({ store: run.store, cache: run.cache }));
    await run.namespace("a");
    const { cache } = run.serviceAccounts;
    while (cache.get("a/default") === undefined) await run.clock.step(1000);
    assert.equal(run.logger.records.filter(({ level }) => level === "warn").length, 1);
  });
});
