// What holds whatever is applied, for configurations of few fields that meet often.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { StatusError } from "../status-error.ts";
import { type FieldSet, hasPath } from "./field-set.ts";
import { newDeployment } from "./testing/kinds.ts";
import type { StoredObject } from "./testing/stored-object.ts";

const name = fc.constantFrom("a", "b", "c");
const value = fc.constantFrom("1", "2");
const plain = { noNullPrototype: true } as const;

function named(fields: Record<string, fc.Arbitrary<JsonValue>>): fc.Arbitrary<JsonObject[]> {
  return fc.uniqueArray(fc.record({ name, ...fields }, { ...plain, requiredKeys: ["name"] }), {
    selector: (item) => item.name,
    // An empty list belongs to nobody.
    minLength: 1,
    maxLength: 3,
  });
}

const podSpec: fc.Arbitrary<JsonObject> = fc.record(
  {
    containers: named({
      image: value,
      args: fc.array(value, { minLength: 1, maxLength: 2 }),
      env: named({ value }),
      ports: fc.uniqueArray(
        fc.record(
          { containerPort: fc.constantFrom(80, 81), protocol: fc.constantFrom("TCP", "UDP") },
          { ...plain, requiredKeys: ["containerPort"] },
        ),
        { selector: (port) => `${port.containerPort} ${port.protocol ?? "TCP"}`, minLength: 1 },
      ),
    }),
    volumes: named({ emptyDir: fc.constant({}) }),
    nodeSelector: fc.dictionary(name, value, plain),
    tolerations: fc.array(
      value.map((key) => ({ key })),
      { minLength: 1, maxLength: 2 },
    ),
  },
  { ...plain, requiredKeys: [] },
);

const configuration: fc.Arbitrary<JsonObject> = fc
  .tuple(fc.option(fc.dictionary(name, value, plain)), podSpec, fc.option(fc.constantFrom(1, 2)))
  .map(([labels, spec, replicas]) => ({
    metadata: { name: "d", ...(labels !== null && { labels }) },
    spec: { ...(replicas !== null && { replicas }), template: { spec } },
  }));

/** The paths of the values that are something and hold no others, each as somebody may own it: as itself, or as part of a whole. */
function* leavesOf(value: JsonValue, path: readonly string[]): Generator<readonly string[]> {
  if (Array.isArray(value)) {
    for (const item of value) {
      yield* leavesOf(item, [...path, stepOf(item)]);
    }
  } else if (isJsonObject(value)) {
    for (const [key, child] of Object.entries(value)) {
      yield* leavesOf(child ?? null, [...path, `f:${key}`]);
    }
  } else if (value !== null) {
    yield path;
  }
}

function stepOf(item: JsonValue): string {
  if (!isJsonObject(item)) {
    return `v:${JSON.stringify(item)}`;
  }
  const { name: byName, containerPort, protocol = "TCP" } = item;
  return containerPort === undefined
    ? `k:${JSON.stringify({ name: byName })}`
    : `k:${JSON.stringify({ containerPort, protocol })}`;
}

function ownedBy(object: StoredObject, owner: string): FieldSet {
  return (object.owners[owner] ?? {}) as FieldSet;
}

/** Whether the path or a whole that it is part of is in the set. */
function covers(set: FieldSet, path: readonly string[]): boolean {
  return path.some(
    (_, i) => hasPath(set, path.slice(0, i + 1)) && !leadsOn(set, path.slice(0, i + 1)),
  );
}

function leadsOn(set: FieldSet, path: readonly string[]): boolean {
  const node = path.reduce<FieldSet>((at, step) => at[step] ?? {}, set);
  return Object.keys(node).some((step) => step !== ".");
}

describe("applyObject, always", () => {
  it("does nothing when the same is applied again", () => {
    fc.assert(
      fc.property(configuration, configuration, (first, second) => {
        const object = newDeployment();
        object.apply("m1", first);
        object.apply("m2", second, { force: true });
        const before = object.object;
        object.now = "2026-01-01T00:00:09Z";
        object.apply("m2", second);
        assert.equal(object.object, before);
      }),
    );
  });

  it("has no conflict between managers that set different fields", () => {
    fc.assert(
      fc.property(fc.dictionary(name, value, plain), podSpec, (labels, spec) => {
        const object = newDeployment();
        object.apply("m1", { metadata: { name: "d", labels } });
        object.apply("m2", { metadata: { name: "d" }, spec: { template: { spec } } });
        object.apply("m1", { metadata: { name: "d", labels } });
        object.apply("m2", { metadata: { name: "d" }, spec: { template: { spec } } });
      }),
    );
  });

  it("gives all that a manager sets to it, by force", () => {
    fc.assert(
      fc.property(configuration, configuration, (first, second) => {
        const object = newDeployment();
        object.apply("m1", first);
        object.apply("m2", second, { force: true });
        const owned = ownedBy(object, "m2 Apply");
        for (const path of leavesOf(second["spec"] ?? {}, ["f:spec"])) {
          assert(covers(owned, path), `m2 does not own ${path.join(" ")}`);
        }
      }),
    );
  });

  it("refuses without force exactly if force would take something", () => {
    fc.assert(
      fc.property(configuration, configuration, (first, second) => {
        const [forced, refused] = [newDeployment(), newDeployment()];
        forced.apply("m1", first);
        refused.apply("m1", first);
        const before = JSON.stringify(ownedBy(forced, "m1 Apply"));
        forced.apply("m2", second, { force: true });
        const takes = JSON.stringify(ownedBy(forced, "m1 Apply")) !== before;
        let conflicts = false;
        try {
          refused.apply("m2", second);
        } catch (err) {
          assert(err instanceof StatusError && err.code === 409);
          conflicts = true;
        }
        assert.equal(conflicts, takes);
      }),
    );
  });

  it("leaves no field without owner that somebody applied", () => {
    const write = fc.tuple(fc.constantFrom("m1", "m2", "m3"), configuration);
    fc.assert(
      fc.property(fc.array(write, { minLength: 1, maxLength: 6 }), (writes) => {
        const object = newDeployment();
        for (const [manager, body] of writes) {
          object.apply(manager, body, { force: true });
        }
        const sets = Object.keys(object.owners).map((owner) => ownedBy(object, owner));
        for (const path of leavesOf(object.object["spec"] ?? {}, ["f:spec"])) {
          const isDefault = /f:(imagePullPolicy|restartPolicy|protocol|revisionHistoryLimit)$/;
          const isOwned = sets.some((set) => covers(set, path));
          assert(isOwned || isDefault.test(path.join(" ")), `nobody owns ${path.join(" ")}`);
        }
      }),
    );
  });

  it("leaves nothing of a manager that applies nothing any more", () => {
    fc.assert(
      fc.property(configuration, configuration, (first, second) => {
        const object = newDeployment();
        object.apply("m1", first);
        const alone = object.object["spec"];
        object.apply("m2", second, { force: true });
        object.apply("m2", { metadata: { name: "d" } });
        object.apply("m1", first);
        assert(!("m2 Apply" in object.owners));
        assert.deepEqual(object.object["spec"], alone);
      }),
    );
  });
});

describe("trackUpdate, always", () => {
  it("finds nothing changed if the same is written again by anybody", () => {
    fc.assert(
      fc.property(configuration, configuration, (first, second) => {
        const object = newDeployment();
        object.put("m1", first);
        object.put("m2", second);
        const before = object.object;
        object.now = "2026-01-01T00:00:09Z";
        object.put("m3", JSON.parse(JSON.stringify(before)) as JsonObject);
        assert.equal(object.object, before);
      }),
    );
  });

  it("leaves no field of an object that is tracked without owner", () => {
    fc.assert(
      fc.property(configuration, fc.array(configuration, { maxLength: 4 }), (first, more) => {
        const object = newDeployment();
        object.put("m0", first);
        more.forEach((body, i) => {
          object.put(`m${i + 1}`, body);
        });
        const sets = Object.keys(object.owners).map((owner) => ownedBy(object, owner));
        for (const path of leavesOf(object.object["spec"] ?? {}, ["f:spec"])) {
          assert(
            sets.some((set) => covers(set, path)),
            `nobody owns ${path.join(" ")}`,
          );
        }
      }),
    );
  });
});
