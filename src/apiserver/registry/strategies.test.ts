import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { decodeObject } from "../../api/decode.ts";
import type { JsonValue } from "../../api/json.ts";
import type { Kind } from "../../api/kind.ts";
import { kinds } from "../../api/kinds.ts";
import type { ApiObject } from "../../api/object.ts";
import { seededRandom } from "../../base/testing/seeded-random.ts";
import { strategies } from "./strategies.ts";
import type { Strategy } from "./strategy.ts";
import { randomObject } from "./testing/random-object.ts";
import { context } from "./testing/writes.ts";

const all = strategies();

/** What a client could send, as the handlers see it after decoding. */
function sent({ kind }: Strategy, seed: number): ApiObject {
  const value = randomObject(kind.schema, seededRandom(seed));
  return decodeObject(kind.schema, value).object as ApiObject;
}

function isStored({ verbs }: Kind): boolean {
  return verbs.includes("watch");
}

describe("strategies", () => {
  it("are there for every kind that is stored, once", () => {
    const names = all.map(({ kind }) => `${kind.group}/${kind.resource}`);
    assert.deepEqual(
      names.toSorted(),
      kinds
        .filter(isStored)
        .map(({ group, resource }) => `${group}/${resource}`)
        .toSorted(),
    );
  });

  for (const strategy of all) {
    const { kind } = strategy;

    it(`default a ${kind.kind} once: what is defaulted stays as it is`, () => {
      fc.assert(
        fc.property(fc.integer(), (seed) => {
          const object = sent(strategy, seed);
          strategy.applyDefaults?.(object);
          const once = JSON.stringify(object);
          strategy.applyDefaults?.(object);
          assert.equal(JSON.stringify(object), once);
        }),
        { numRuns: 50 },
      );
    });

    it(`default a ${kind.kind} to an object that reads back as itself`, () => {
      fc.assert(
        fc.property(fc.integer(), (seed) => {
          const object = sent(strategy, seed);
          strategy.applyDefaults?.(object);
          const text = JSON.stringify(object);
          const value = JSON.parse(text) as JsonValue;
          assert.equal(JSON.stringify(decodeObject(kind.schema, value).object), text);
        }),
        { numRuns: 50 },
      );
    });

    it(`judge any ${kind.kind} that can be decoded, without throwing`, () => {
      fc.assert(
        fc.property(fc.integer(), fc.integer(), fc.boolean(), (seed, other, defaulted) => {
          const [object, old, status] = [seed, other, seed].map((each) => sent(strategy, each));
          assert(object !== undefined && old !== undefined && status !== undefined);
          if (defaulted) for (const each of [object, old]) strategy.applyDefaults?.(each);
          strategy.validate(object);
          strategy.validateUpdate(object, old);
          strategy.validateStatusUpdate?.(object, old);
          strategy.warnings?.(object, old);
          strategy.warnings?.(object, undefined);
          strategy.prepareForStatusUpdate?.(status, old, context);
          strategy.prepareForUpdate?.(object, old, context);
          strategy.prepareForCreate?.(object, context);
          assert(Array.isArray(strategy.validate(object)));
        }),
        { numRuns: 100 },
      );
    });

    it(`change nothing of the old ${kind.kind} while they prepare an update`, () => {
      fc.assert(
        fc.property(fc.integer(), fc.integer(), (seed, other) => {
          const old = sent(strategy, other);
          strategy.applyDefaults?.(old);
          const before = JSON.stringify(old);
          strategy.prepareForUpdate?.(sent(strategy, seed), old, context);
          strategy.prepareForStatusUpdate?.(sent(strategy, seed), old, context);
          assert.equal(JSON.stringify(old), before);
        }),
        { numRuns: 20 },
      );
    });
  }
});
