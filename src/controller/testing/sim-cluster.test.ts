import assert from "node:assert/strict";
import { test } from "node:test";
import { ask } from "./ask-sim.ts";
import { SimCluster } from "./sim-cluster.ts";
import { type Asked, scenarios } from "./sim-scenarios.ts";

for (const { name, codes, run } of scenarios) {
  test(`SimCluster: ${name}`, async () => {
    await using sim = new SimCluster({ seed: 1 });
    const said: number[] = [];
    await run(async (asked: Asked) => {
      const answer = await ask(sim, asked);
      said.push(answer.code);
      return answer;
    });
    assert.deepEqual(said, codes);
  });
}
