import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { KindCache } from "../cache/kind-cache.ts";
import { ObjectCounts } from "./object-counts.ts";
import { ObjectLimits, type ObjectLimitsOptions } from "./object-limits.ts";
import { cacheOf, put, refusalOf, requestFor, strategyNamed } from "./testing/requests.ts";

const { kind } = strategyNamed("v1 ConfigMap");

function countsOf(cache: KindCache): ObjectCounts {
  return new ObjectCounts([{ kind, cache }]);
}

function refusalWith(
  options: Omit<ObjectLimitsOptions, "counts">,
  request = requestFor("v1 ConfigMap", { object: { metadata: { name: "new" } } }),
): string {
  const cache = cacheOf(
    "v1 ConfigMap",
    { metadata: { name: "a", namespace: "n" } },
    { metadata: { name: "b", namespace: "n" } },
    { metadata: { name: "a", namespace: "m" } },
  );
  return refusalOf(new ObjectLimits({ counts: countsOf(cache), ...options }), request);
}

describe("ObjectLimits", () => {
  it("lets objects be that are within the bounds", () => {
    assert.equal(refusalWith({}), "");
    assert.equal(refusalWith({ limit: { maxPerKind: 4, maxPerNamespace: 3 } }), "");
  });

  it("refuses one too many in the server", () => {
    assert.equal(
      refusalWith({ limit: { maxPerKind: 3, maxPerNamespace: 3 } }),
      'configmaps "new" is forbidden: the server has 3 configmaps already, and holds no more than 3',
    );
  });

  it("refuses one too many in a namespace", () => {
    assert.equal(
      refusalWith({ limit: { maxPerKind: 9, maxPerNamespace: 2 } }),
      'configmaps "new" is forbidden: namespace n has 2 configmaps already, and holds no more than 2',
    );
  });

  it("has other bounds for some kinds", () => {
    assert.match(refusalWith({ limitsByResource: { configmaps: { maxPerNamespace: 2 } } }), /2$/);
    assert.equal(refusalWith({ limitsByResource: { secrets: { maxPerNamespace: 2 } } }), "");
  });

  it("refuses no changes", () => {
    const request = requestFor("v1 ConfigMap", { operation: "UPDATE", object: {}, old: {} });
    assert.equal(refusalWith({ limit: { maxPerKind: 0, maxPerNamespace: 0 } }, request), "");
  });
});

describe("ObjectCounts", () => {
  it("always says as much as counting would", () => {
    const names = fc.constantFrom("a", "b", "c");
    const step = fc.record({ namespace: names, name: names, isPut: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step), fc.nat(5), (steps, joinAfter) => {
        const cache = new KindCache();
        let counts: ObjectCounts | undefined;
        for (const [i, { namespace, name, isPut }] of steps.entries()) {
          if (i === joinAfter) counts = countsOf(cache);
          if (isPut) put(cache, "v1 ConfigMap", { metadata: { namespace, name } });
          else cache.delete(`${namespace}/${name}`, 10_000_000n);
        }
        counts ??= countsOf(cache);
        assert.equal(counts.inAll(kind), cache.size);
        for (const namespace of ["a", "b", "c"]) {
          assert.equal(
            counts.inNamespace(kind, namespace),
            [...cache.list(`${namespace}/`)].length,
          );
        }
      }),
    );
  });

  it("starts anew when a cache does", () => {
    const cache = cacheOf("v1 ConfigMap", { metadata: { name: "a", namespace: "n" } });
    const counts = countsOf(cache);
    cache.reset([], 1n);
    assert.deepEqual([counts.inAll(kind), counts.inNamespace(kind, "n")], [0, 0]);
  });
});
