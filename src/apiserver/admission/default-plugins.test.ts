import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { kinds } from "../../api/kinds.ts";
import type { Pod } from "../../api/types.ts";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { seededRandom } from "../../base/testing/seeded-random.ts";
import { MemoryStore } from "../../storage/memory/memory-store.ts";
import { WatchCache } from "../cache/watch-cache.ts";
import { type Resource, storageOf } from "../registry/resource.ts";
import { resources } from "../registry/resources.ts";
import { strategies } from "../registry/strategies.ts";
import type { AdmissionPlugin, AdmissionRequest } from "./admission.ts";
import { defaultPlugins } from "./default-plugins.ts";
import { type KindName, put, requestFor, strategyNamed } from "./testing/requests.ts";

function served(): readonly Resource[] {
  const all = strategies();
  const storages = new Map(all.map((strategy) => [strategy, storageOf(strategy)]));
  const cache = new WatchCache({
    store: new MemoryStore(),
    kinds: [...storages.values()],
    clock: new FakeClock(),
    random: seededRandom(1),
    logger: new CaptureLogger(),
  });
  return [...resources({ kinds, strategies: all, storages, cache, checks: [] }).values()];
}

function pluginsOf(
  all: readonly Resource[],
  ...disabled: readonly string[]
): readonly AdmissionPlugin[] {
  return defaultPlugins({
    resources: all,
    random: seededRandom(1),
    contentChecks: () => [],
    impliesDefaultAccount: true,
    disabled: new Set(disabled),
  });
}

/** As a handler does it. */
function admit(
  plugins: readonly AdmissionPlugin[],
  kind: KindName,
  request: AdmissionRequest,
): void {
  const { object } = request;
  const strategy = strategyNamed(kind);
  assert.ok(object);
  for (const plugin of plugins) plugin.mutate?.(request);
  strategy.prepareForCreate?.(object, {
    now: "2026-01-02T03:04:05Z",
    nowMs: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
    dryRun: false,
  });
  assert.deepEqual(strategy.validate(object), []);
  for (const plugin of plugins) plugin.judge?.(request);
}

function cacheIn(all: readonly Resource[], name: KindName): Resource["cache"] {
  const { kind } = strategyNamed(name);
  const found = all.find((resource) => resource.kind === kind);
  assert.ok(found);
  return found.cache;
}

const object = {
  metadata: { name: "p", namespace: "n" },
  spec: { containers: [{ name: "c", image: "i" }] },
};

describe("The default plug-ins", () => {
  it("make a pod that the API takes, in the order of its fields", () => {
    const all = served();
    put(cacheIn(all, "v1 Namespace"), "v1 Namespace", { metadata: { name: "n" } });
    put(cacheIn(all, "v1 LimitRange"), "v1 LimitRange", {
      metadata: { name: "l" },
      spec: { limits: [{ type: "Container", default: { cpu: "1" } }] },
    });
    const request = requestFor("v1 Pod", { object });
    admit(pluginsOf(all), "v1 Pod", request);
    const pod = request.object as unknown as Pod;
    assert.equal(pod.status.qosClass, "Burstable");
    assert.deepEqual(Object.keys(pod.spec).slice(0, 3), ["volumes", "containers", "restartPolicy"]);
    assert.deepEqual(pod.spec.containers?.[0]?.resources, {
      limits: { cpu: "1" },
      requests: { cpu: "1" },
    });
  });

  it("look for the namespace before they look for the account", () => {
    const request = requestFor("v1 Pod", {
      object: { ...object, spec: { ...object.spec, serviceAccountName: "nobody" } },
    });
    assert.throws(() => admit(pluginsOf(served()), "v1 Pod", request), /namespaces "n" not found/);
  });

  it("can be left out by name", () => {
    const names = pluginsOf(served(), "ServiceAccount").map(({ name }) => name);
    assert.deepEqual(names, [
      "NamespaceLifecycle",
      "LimitRanger",
      "PodSecurity",
      "ContentChecks",
      "ObjectLimits",
      "ResourceQuota",
    ]);
    assert.throws(
      () => pluginsOf(served(), "serviceaccount"),
      /Cannot leave out plug-in serviceaccount/,
    );
  });
});
