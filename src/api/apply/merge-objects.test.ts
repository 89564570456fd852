import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject, JsonValue } from "../json.ts";
import { deployment } from "../schema/apps/deployment.ts";
import { configMap } from "../schema/core/config-map.ts";
import { mergeObjects } from "./merge-objects.ts";

function containers(names: string): JsonObject {
  return {
    spec: { template: { spec: { containers: names.split("").map((name) => ({ name })) } } },
  };
}

describe("mergeObjects", () => {
  for (const [live, applied, merged] of [
    ["abc", "abc", "abc"],
    ["abc", "", "abc"],
    ["", "abc", "abc"],
    ["abc", "ca", "bca"],
    ["axbcy", "can", "xbcyan"],
    ["ab", "na", "nab"],
    ["xay", "nao", "xnayo"],
    // Items of the object that have the same key are one to the configuration.
    ["aax", "ano", "anxo"],
  ] as const) {
    it(`puts ${applied || "nothing"} over ${live || "nothing"} as ${merged}`, () => {
      assert.deepEqual(
        mergeObjects(deployment, containers(live), containers(applied)),
        containers(merged),
      );
    });
  }

  for (const [name, live, applied, merged] of [
    ["null over nothing", undefined, null, null],
    ["null over empty", {}, null, null],
    ["null over something", { a: "1" }, null, { a: "1" }],
    ["empty over something", { a: "1" }, {}, { a: "1" }],
    ["another value", { a: "1", b: "1" }, { a: "2" }, { a: "2", b: "1" }],
  ] satisfies readonly (readonly [string, JsonValue | undefined, JsonValue, JsonValue])[]) {
    it(`puts ${name}`, () => {
      assert.deepEqual(
        mergeObjects(configMap, live === undefined ? {} : { data: live }, { data: applied }),
        {
          data: merged,
        },
      );
    });
  }

  it("changes neither argument", () => {
    const objects = [containers("abc"), containers("ca")] as const;
    const before = JSON.stringify(objects);
    mergeObjects(deployment, ...objects);
    assert.equal(JSON.stringify(objects), before);
  });
});
