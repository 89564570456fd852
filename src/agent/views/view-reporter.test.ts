import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { conflict, notFound } from "../../api/status-error.ts";
import type { ConfigUse } from "../../api/types.ts";
import { createMetrics, type Metrics } from "../../base/metrics.ts";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import type { Change } from "../../client/informer.ts";
import { halfRandom } from "../../client/testing/fake-client.ts";
import { ViewMetrics } from "./view-metrics.ts";
import { type StoredView, ViewReporter } from "./view-reporter.ts";

const of = { group: "driftless.dev", resource: "configviews", kind: "ConfigView" };

/** Keeps views as a server would. Its news go to who follows when they are let go. */
class FakeViews {
  readonly stored = new Map<string, StoredView>();
  readonly followed = new Map<string, StoredView>();
  readonly requests: string[] = [];
  isAway = false;
  /** It keeps something else than what it is given, as a server of another version may. */
  isOlder = false;
  /** Called when something was done, before whoever asked for it hears of that. */
  afterWork: (() => void) | undefined;
  inFlight = 0;
  mostInFlight = 0;
  #version = 0;
  #handlers = new Set<(change: Change<StoredView>) => void>();
  readonly #pause: () => Promise<void>;

  constructor(pause: () => Promise<void>) {
    this.#pause = pause;
  }

  readonly informer = {
    run: (signal: AbortSignal) =>
      new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve())),
    synced: Promise.resolve(),
    get: (key: string) => this.followed.get(key),
    onChange: (handler: (change: Change<StoredView>) => void): Disposable => {
      this.#handlers.add(handler);
      return { [Symbol.dispose]: () => this.#handlers.delete(handler) };
    },
  };

  async update(object: StoredView): Promise<StoredView> {
    const key = keyOf(object);
    return this.#answer(`PUT ${key}`, () => {
      const known = this.stored.get(key);
      const { resourceVersion } = object.metadata;
      if (resourceVersion !== undefined && known?.metadata.resourceVersion !== resourceVersion) {
        throw conflict(of, object.metadata.name ?? "", "the object has been modified");
      }
      return this.put(object);
    });
  }

  async get({
    namespace = "",
    name,
  }: {
    namespace?: string | undefined;
    name: string;
  }): Promise<StoredView> {
    return this.#answer(`GET ${namespace}/${name}`, () => {
      const found = this.stored.get(`${namespace}/${name}`);
      if (!found) throw notFound(of, name);
      return found;
    });
  }

  async delete({
    namespace = "",
    name,
  }: {
    namespace?: string | undefined;
    name: string;
  }): Promise<null> {
    return this.#answer(`DELETE ${namespace}/${name}`, () => {
      if (!this.stored.delete(`${namespace}/${name}`)) throw notFound(of, name);
      return null;
    });
  }

  /** As anybody may. */
  put(object: StoredView): StoredView {
    const key = keyOf(object);
    const uid = this.stored.get(key)?.metadata.uid ?? `v${++this.#version}`;
    const metadata = { ...object.metadata, uid, resourceVersion: String(++this.#version) };
    const uses = object.uses?.map((one) => (this.isOlder ? { ...one, stages: {} } : one));
    const made = { ...object, ...(uses && { uses }), metadata };
    this.stored.set(key, made);
    return made;
  }

  /** Everybody hears of all that happened. */
  tell(): void {
    for (const [key, stored] of this.stored) {
      const old = this.followed.get(key);
      // What comes by a watch is never the very object that came as an answer.
      const object = structuredClone(stored);
      this.followed.set(key, object);
      if (old === undefined) this.#tell({ type: "added", object });
      else if (old.metadata.resourceVersion !== object.metadata.resourceVersion)
        this.#tell({ type: "updated", object, old });
    }
    for (const [key, object] of this.followed) {
      if (this.stored.has(key)) continue;
      this.followed.delete(key);
      this.#tell({ type: "deleted", object, isFinalStateUnknown: false });
    }
  }

  #tell(change: Change<StoredView>): void {
    for (const handler of this.#handlers) handler(change);
  }

  async #answer<T>(request: string, work: () => T): Promise<T> {
    this.requests.push(request);
    this.mostInFlight = Math.max(this.mostInFlight, ++this.inFlight);
    try {
      await this.#pause();
      if (this.isAway) throw new Error("connection refused");
      const done = work();
      this.afterWork?.();
      return done;
    } finally {
      this.inFlight--;
    }
  }
}

function keyOf({ metadata: { namespace = "", name = "" } }: StoredView): string {
  return `${namespace}/${name}`;
}

function use(hash: string): ConfigUse {
  const stages = { seen: "2026-01-01T00:00:00.000000Z", onDisk: "2026-01-01T00:00:00.200000Z" };
  const version = { hash, resourceVersion: "1" };
  return {
    ...{ kind: "ConfigMap", name: "app", how: "volume", container: "main" },
    wanted: version,
    onDisk: version,
    stages,
  };
}

interface World extends Disposable {
  readonly views: FakeViews;
  readonly clock: FakeClock;
  readonly reporter: ViewReporter;
  readonly logger: CaptureLogger;
  readonly metrics: Metrics;
  /** What is to be said of each pod, by key, with the pod's uid. */
  readonly pods: Map<string, { uid: string; uses: readonly ConfigUse[]; recheckAtMs?: number }>;
  isNodeHeard: boolean;
  /** Lets time pass in small steps, and everything that it brings happen. */
  pass(ms: number): Promise<void>;
}

function worldOf(keys: readonly string[] = []): World {
  const clock = new FakeClock();
  const logger = new CaptureLogger();
  const metrics = createMetrics();
  const views = new FakeViews(() => clock.sleep(5));
  const stop = new AbortController();
  const pods: World["pods"] = new Map(keys.map((key) => [key, { uid: key, uses: [use("a")] }]));
  const world = { isNodeHeard: true };
  const reporter = new ViewReporter({
    ...{ nodeName: "n1", views, informer: views.informer, random: halfRandom, clock, logger },
    metrics: new ViewMetrics(metrics),
    keys: () => [...pods.keys()],
    podsKnown: Promise.resolve(),
    isNodeHeard: () => world.isNodeHeard,
    pod: (key) => {
      const pod = pods.get(key);
      const [namespace = "", name = ""] = key.split("/");
      return (
        pod && { namespace, name, uid: pod.uid, view: () => ({ recheckAtMs: undefined, ...pod }) }
      );
    },
  });
  void reporter.run(stop.signal);
  return Object.assign(world, {
    ...{ views, clock, reporter, logger, metrics, pods },
    async pass(ms: number) {
      for (let passed = 0; passed < ms; passed += 5) await clock.step(5);
    },
    [Symbol.dispose]: () => stop.abort(),
  });
}

describe("ViewReporter", () => {
  it("writes what there is to say once, with the pod as its owner", async () => {
    using world = worldOf(["shop/web"]);
    await world.pass(1000);
    const view = world.views.stored.get("shop/web");
    assert.deepEqual(view?.pod, { name: "web", uid: "shop/web" });
    assert.equal(view.node, "n1");
    assert.equal(view.metadata.ownerReferences?.[0]?.uid, "shop/web");
    world.reporter.changed("shop/web");
    world.views.tell();
    await world.pass(1000);
    assert.deepEqual(world.views.requests, ["PUT shop/web"]);
  });

  it("has at most eight requests under way when 1,000 pods change at once, and one write for each", async () => {
    const keys = Array.from({ length: 1000 }, (_, i) => `shop/web-${i}`);
    using world = worldOf(keys);
    await world.pass(1000);
    world.views.tell();
    await world.pass(1000);
    assert.equal(world.views.stored.size, 1000);
    world.views.requests.length = 0;
    for (const key of keys) world.pods.set(key, { uid: key, uses: [use("b")] });
    // Each source says so, some more than once.
    for (const key of [...keys, ...keys]) world.reporter.changed(key);
    await world.pass(100);
    for (const key of keys) world.reporter.changed(key);
    await world.pass(2000);
    assert.equal(world.views.requests.length, 1000);
    assert.equal(world.views.mostInFlight, 8);
    const hashes = new Set(
      [...world.views.stored.values()].map(({ uses }) => uses?.[0]?.onDisk?.hash),
    );
    assert.deepEqual([...hashes], ["b"]);
  });

  it("merges what changes within a moment, and does not write one pod all the time", async () => {
    using world = worldOf(["shop/web"]);
    await world.pass(1000);
    for (let i = 0; i < 200; i++) {
      world.pods.set("shop/web", { uid: "shop/web", uses: [use(`b${i}`)] });
      world.reporter.changed("shop/web");
      await world.pass(5);
    }
    await world.pass(1000);
    assert.ok(world.views.requests.length <= 7, `${world.views.requests.length} requests in 1 s`);
    assert.equal(world.views.stored.get("shop/web")?.uses?.[0]?.onDisk?.hash, "b199");
  });

  it("writes a pod that changes without end once a second", async () => {
    using world = worldOf(["shop/web"]);
    await world.pass(5000);
    world.views.requests.length = 0;
    for (let i = 0; i < 400; i++) {
      world.pods.set("shop/web", { uid: "shop/web", uses: [use(String(i))] });
      world.reporter.changed("shop/web");
      await world.pass(50);
    }
    const { length } = world.views.requests;
    assert.ok(length >= 18 && length <= 24, `${length} requests in 20 s`);
    await world.pass(1100);
    assert.equal(world.views.stored.get("shop/web")?.uses?.[0]?.onDisk?.hash, "399");
  });

  it("does not write again and again what the server keeps in its own way", async () => {
    using world = worldOf(["shop/web"]);
    world.views.isOlder = true;
    for (let i = 0; i < 20; i++) {
      await world.pass(500);
      world.views.tell();
    }
    assert.deepEqual(world.views.requests, ["PUT shop/web"]);
  });

  it("tries again for ever while the server is away, and complains once", async () => {
    using world = worldOf();
    await world.pass(100);
    world.views.isAway = true;
    world.pods.set("shop/web", { uid: "u", uses: [use("a")] });
    world.reporter.changed("shop/web");
    await world.pass(60_000);
    assert.equal(world.views.stored.size, 0);
    const warnings = world.logger.records.filter(({ level }) => level === "warn");
    assert.equal(warnings.length, 1);
    world.views.isAway = false;
    await world.pass(11_000);
    assert.equal(world.views.stored.size, 1);
  });

  it("puts right what somebody else has written, also if it hears of that only by a conflict", async () => {
    using world = worldOf(["shop/web"]);
    await world.pass(1000);
    const own = world.views.stored.get("shop/web") as StoredView;
    const drift = { reason: "NodeAway" };
    world.views.put({ ...own, uses: [{ ...use("a"), drift }] });
    world.pods.set("shop/web", { uid: "shop/web", uses: [use("b")] });
    world.reporter.changed("shop/web");
    await world.pass(2000);
    assert.deepEqual(world.views.stored.get("shop/web")?.uses, [use("b")]);
  });

  it("leaves NodeAway to stand as long as the server takes the node for lost", async () => {
    using world = worldOf(["shop/web"]);
    await world.pass(1000);
    world.isNodeHeard = false;
    const own = world.views.stored.get("shop/web") as StoredView;
    world.views.put({ ...own, uses: [{ ...use("a"), drift: { reason: "NodeAway" } }] });
    world.views.tell();
    await world.pass(5000);
    assert.equal(world.views.stored.get("shop/web")?.uses?.[0]?.drift?.reason, "NodeAway");
    world.isNodeHeard = true;
    world.reporter.changed("shop/web");
    await world.pass(1000);
    assert.equal(world.views.stored.get("shop/web")?.uses?.[0]?.drift, undefined);
  });

  it("makes a view anew that somebody removed", async () => {
    using world = worldOf(["shop/web"]);
    await world.pass(1000);
    world.views.tell();
    await world.pass(1000);
    world.views.stored.clear();
    world.views.tell();
    await world.pass(1000);
    assert.equal(world.views.stored.size, 1);
  });

  it("makes a view anew that was removed before the answer to its last write came", async () => {
    using world = worldOf(["shop/web"]);
    await world.pass(1000);
    world.views.tell();
    await world.pass(1000);
    world.views.afterWork = () => {
      world.views.afterWork = undefined;
      world.views.stored.clear();
      world.views.tell();
    };
    world.pods.set("shop/web", { uid: "shop/web", uses: [use("b")] });
    world.reporter.changed("shop/web");
    await world.pass(1000);
    assert.deepEqual(world.views.stored.get("shop/web")?.uses, [use("b")]);
  });

  it("removes views of pods that are gone, and of those that an earlier life has left", async () => {
    using world = worldOf(["shop/web"]);
    const { views } = world;
    const metadata = { namespace: "shop", name: "left" };
    views.put({
      apiVersion: "driftless.dev/v1",
      kind: "ConfigView",
      metadata,
      pod: { name: "left", uid: "x" },
    });
    views.tell();
    await world.pass(1000);
    assert.deepEqual([...views.stored.keys()], ["shop/web"]);
    world.pods.clear();
    world.reporter.changed("shop/web");
    await world.pass(1000);
    assert.equal(views.stored.size, 0);
    const requests = views.requests.length;
    views.tell();
    await world.pass(5000);
    assert.equal(views.requests.length, requests, "and says no more of them");
  });

  it("makes another view for another pod of the same name", async () => {
    using world = worldOf(["shop/web"]);
    await world.pass(1000);
    const first = world.views.stored.get("shop/web");
    world.pods.set("shop/web", { uid: "second", uses: [use("a")] });
    world.reporter.changed("shop/web");
    await world.pass(1000);
    const second = world.views.stored.get("shop/web");
    assert.equal(second?.pod.uid, "second");
    assert.notEqual(second.metadata.uid, first?.metadata.uid);
  });

  it("looks again at the time that a view asks for", async () => {
    using world = worldOf();
    await world.pass(100);
    const atMs = world.clock.now() + 3000;
    world.pods.set("shop/web", { uid: "u", uses: [use("a")], recheckAtMs: atMs });
    world.reporter.changed("shop/web");
    await world.pass(1000);
    world.pods.set("shop/web", {
      uid: "u",
      uses: [{ ...use("a"), drift: { reason: "NotConfirmed" } }],
    });
    await world.pass(1000);
    assert.equal(world.views.stored.get("shop/web")?.uses?.[0]?.drift, undefined);
    await world.pass(2000);
    assert.equal(world.views.stored.get("shop/web")?.uses?.[0]?.drift?.reason, "NotConfirmed");
  });

  it("counts uses by state and reason, and the lag of stages that were not there before", async () => {
    using world = worldOf(["shop/web", "shop/api"]);
    await world.pass(1000);
    const drifted = { ...use("b"), onDisk: { hash: "a" }, drift: { reason: "EnvFrozen" } };
    world.pods.set("shop/web", { uid: "shop/web", uses: [use("b")] });
    world.pods.set("shop/api", { uid: "shop/api", uses: [drifted] });
    world.reporter.changed("shop/web");
    world.reporter.changed("shop/api");
    await world.pass(1000);
    const text = await world.metrics.text();
    assert.match(text, /driftless_config_uses\{state="InSync"\} 1/);
    assert.match(text, /driftless_config_uses\{state="Frozen"\} 1/);
    assert.match(text, /driftless_config_drift\{reason="EnvFrozen"\} 1/);
    assert.match(text, /driftless_config_stage_seconds_sum\{stage="onDisk"\} 0.4/);
    assert.match(text, /driftless_config_view_writes_total\{result="written"\} 4/);
    assert.match(
      text,
      /driftless_config_oldest_waiting_timestamp_seconds\{stage="onDisk"\} 1767225600/,
    );
    world.pods.delete("shop/api");
    world.reporter.changed("shop/api");
    await world.pass(1000);
    const later = await world.metrics.text();
    assert.match(later, /driftless_config_drift\{reason="EnvFrozen"\} 0/);
    assert.match(later, /driftless_config_oldest_waiting_timestamp_seconds\{stage="onDisk"\} 0/);
  });
});
