// The simulated cluster is only worth something if it answers as a real server does.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { JsonObject } from "../../src/api/json.ts";
import { ask, contentType } from "../../src/controller/testing/ask-sim.ts";
import { SimCluster } from "../../src/controller/testing/sim-cluster.ts";
import { type Ask, Recording, scenarios } from "../../src/controller/testing/sim-scenarios.ts";
import { DriftlessServer } from "../support/driftless-server.ts";

let server: DriftlessServer;

before(async () => {
  server = await DriftlessServer.start({ flags: ["--store", "memory"] });
});

after(async () => {
  await server[Symbol.asyncDispose]();
});

/** The real server, with a namespace for each scenario that looks like the default one. */
async function real(namespace: string): Promise<Ask> {
  await server.fetch("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
  return async ({ method, path, body, patch }) => {
    const there = path.replace("/namespaces/default/", `/namespaces/${namespace}/`);
    const headers = { "content-type": contentType(patch) };
    const sent = JSON.stringify(body)?.replace(
      /"namespace":"default"/,
      `"namespace":"${namespace}"`,
    );
    const { status, text } = await server.fetch(method, there, sent, headers);
    const here = text.replaceAll(namespace, "default");
    return { code: status, body: JSON.parse(here) as JsonObject };
  };
}

async function recorded(
  run: (typeof scenarios)[number]["run"],
  asks: Ask,
): Promise<Recording["lines"]> {
  const recording = new Recording();
  await run(async (asked) => {
    const said = await asks(asked);
    recording.add(asked, said);
    return said;
  });
  return recording.lines;
}

for (const [i, { name, run }] of scenarios.entries()) {
  test(`a real server and the simulated one agree: ${name}`, async () => {
    await using sim = new SimCluster({ seed: 1 });
    const simulated = await recorded(run, (asked) => ask(sim, asked));
    assert.deepEqual(simulated, await recorded(run, await real(`agreement-${i}-x`)));
  });
}
