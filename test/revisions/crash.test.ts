// G3 for the history: whatever a kill interrupts, the content that is there afterwards has a revision.

import { deepEqual, equal, ok } from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { ConfigMap, ConfigRevision } from "../../src/api/types.ts";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { DriftlessServer } from "../support/driftless-server.ts";

const core = "/api/v1/namespaces/default/configmaps";
const ours = "/apis/driftless.dev/v1/namespaces/default/configrevisions";
const OBJECTS = 5;
const KILLED_AFTER = 60;

async function itemsOf<T>(server: DriftlessServer, path: string): Promise<readonly T[]> {
  return (JSON.parse((await server.fetch("GET", path)).text) as { items: T[] }).items;
}

function newestOf(revisions: readonly ConfigRevision[], name: string): ConfigRevision | undefined {
  return revisions.findLast(({ object }) => object.name === name);
}

describe("G3 history", { timeout: 120_000 }, () => {
  it("has the newest content of every object after a kill in the middle of a burst", async () => {
    using directory = tempDir();
    const dataDir = directory.join("data");
    {
      await using server = await DriftlessServer.start({ dataDir });
      let written = 0;
      const burst = Array.from({ length: OBJECTS }, async (_, index) => {
        const name = `c${index}`;
        await server.fetch("POST", core, { metadata: { name }, data: { a: "0" } });
        for (let a = 1; ; a++) {
          const body = { metadata: { name }, data: { a: String(a) } };
          await server.fetch("PUT", `${core}/${name}`, body);
          if (++written === KILLED_AFTER) await server.kill();
        }
      });
      for (const { status } of await Promise.allSettled(burst)) equal(status, "rejected");
    }
    await using server = await DriftlessServer.start({ dataDir });
    const objects = (await itemsOf<ConfigMap>(server, core)).filter(
      ({ metadata }) => metadata.name?.startsWith("c") === true,
    );
    equal(objects.length, OBJECTS);
    for (const { metadata, data } of objects) {
      for (;;) {
        const newest = newestOf(await itemsOf<ConfigRevision>(server, ours), metadata.name ?? "");
        if (newest?.data?.["a"] === data?.["a"]) break;
        await sleep(100);
      }
    }
    const revisions = await itemsOf<ConfigRevision>(server, ours);
    for (const { metadata } of objects) {
      const own = revisions.filter(({ object }) => object.name === metadata.name);
      const values = own.map(({ data }) => Number(data?.["a"]));
      deepEqual(
        values,
        values.toSorted((a, b) => a - b),
      );
      equal(new Set(own.map(({ number }) => number)).size, own.length);
      ok(own.slice(0, -1).every(({ author }) => author === "admin"));
    }
  });
});
