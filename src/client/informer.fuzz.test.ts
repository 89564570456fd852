// Any history on any mixture of replicas, with streams that break and history that is forgotten: in the end the informer has
// what the server has, and on the way it never broke its promises to a handler.

import { deepEqual } from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { ApiObject } from "../api/object.ts";
import { seededRandom } from "../base/testing/seeded-random.ts";
import { Informer } from "./informer.ts";
import { listWatchOf } from "./list-watch.ts";
import { ChangeChecker, versionsOf } from "./testing/change-checker.ts";
import { FakeApiServer } from "./testing/fake-api-server.ts";
import { configMaps, fakeClient } from "./testing/fake-client.ts";
import { history, REPLICAS, runOptions, type Step, take } from "./testing/server-history.ts";

async function live(
  steps: readonly Step[],
  { seed, watchList, goneAs, newest }: Setting,
): Promise<void> {
  const random = seededRandom(seed);
  const { server, client, clock, logger } = fakeClient(
    new FakeApiServer({ replicas: REPLICAS }),
    random,
  );
  server.watchList = watchList;
  server.goneAs = goneAs;
  server.chooseReplica = () => random.uint32() % REPLICAS;
  const listWatch = listWatchOf<ApiObject>({ client, kind: configMaps });
  const parts = { indexers: {}, startsWithNewest: newest, clock, random, logger };
  const informer = new Informer({ listWatch, ...parts });
  const checker = new ChangeChecker();
  informer.onChange(checker.check);
  const stop = new AbortController();
  const running = informer.run(stop.signal);
  try {
    for (const taken of steps) {
      take(server, taken);
      await clock.step(taken.do === "pass" ? taken.ms : 0);
    }
    server.comeBack();
    server.refusals.length = 0;
    for (let index = 0; index < REPLICAS; index++) server.catchUp(index);
    await clock.step(120_000);
    deepEqual(versionsOf(informer.list()), versionsOf(server.state));
    deepEqual(checker.state, versionsOf(server.state));
    const broken = logger.records.filter(({ message }) => message === "handler failed");
    deepEqual(
      broken.map(({ fields }) => fields["err"]),
      [],
    );
  } finally {
    stop.abort();
    await running;
  }
}

interface Setting {
  readonly seed: number;
  readonly watchList: "serves" | "refuses" | "ignores";
  readonly goneAs: "status" | "event";
  readonly newest: boolean;
}

const setting: fc.Arbitrary<Setting> = fc.record({
  seed: fc.nat(),
  watchList: fc.constantFrom("serves", "refuses", "ignores"),
  goneAs: fc.constantFrom("status", "event"),
  newest: fc.boolean(),
});

describe("Informer, whatever happens on the server", () => {
  it("ends with exactly what the server has, and keeps its promises to handlers on the way", async () => {
    await fc.assert(fc.asyncProperty(history, setting, live), runOptions());
  });
});
