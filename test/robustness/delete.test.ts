// Deletes that meet each other and other writes.

import assert from "node:assert/strict";
import { it } from "node:test";
import { DriftlessServer, readCredentials } from "../support/driftless-server.ts";
import { pathOf } from "./content.ts";
import { Http1Transport } from "./transport.ts";

const path = pathOf("configmaps", "default");
const ROUNDS = 50;

it("of several deletes of one object at the same time one is told that it did it", async () => {
  await using server = await DriftlessServer.start();
  for (let round = 0; round < ROUNDS; round++) {
    const name = `a-${round}`;
    await server.fetch("POST", path, { metadata: { name } });

    const answers = await Promise.all(
      Array.from({ length: 6 }, () => server.fetch("DELETE", `${path}/${name}`)),
    );

    const codes = answers.map(({ status }) => status).sort((a, b) => a - b);
    assert.deepEqual(codes, [200, 404, 404, 404, 404, 404]);
  }
});

it("a delete of a certain version never takes a later one with it", async () => {
  await using server = await DriftlessServer.start();
  const credentials = readCredentials(server.kubeconfig);
  using transport = new Http1Transport({ url: server.url, credentials });
  for (let round = 0; round < ROUNDS; round++) {
    const name = `b-${round}`;
    const made = await server.fetch("POST", path, { metadata: { name } });
    const { metadata } = JSON.parse(made.text) as { metadata: { resourceVersion: string } };
    const { resourceVersion } = metadata;

    const ask = { path: `${path}/${name}` };
    const [patched, deleted] = await Promise.all([
      transport.ask({ ...ask, method: "PATCH", body: { data: { a: "1" } }, contentType }),
      transport.ask({ ...ask, method: "DELETE", body: { preconditions: { resourceVersion } } }),
    ]);

    const isThere = (await server.fetch("GET", `${path}/${name}`)).status === 200;
    const outcome = `${patched.status} ${deleted.status} ${isThere ? "there" : "gone"}`;
    assert.match(outcome, /^(200 409 there|404 200 gone)$/);
  }
});

const contentType = "application/merge-patch+json";
