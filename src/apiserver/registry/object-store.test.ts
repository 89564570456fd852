import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { describe, it } from "node:test";
import { kindOf } from "../../api/kinds.ts";
import type { ApiObject } from "../../api/object.ts";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { seededRandom } from "../../base/testing/seeded-random.ts";
import { MemoryStore } from "../../storage/memory/memory-store.ts";
import { ObjectHead } from "../cache/cached-object.ts";
import { WatchCache } from "../cache/watch-cache.ts";
import { type Change, ObjectStore } from "./object-store.ts";
import { type Resource, storePrefix } from "./resource.ts";

interface Running extends AsyncDisposable {
  readonly store: MemoryStore;
  readonly objects: ObjectStore;
  readonly resource: Resource;
}

async function running(): Promise<Running> {
  const kind = kindOf("v1", "ConfigMap");
  ok(kind);
  const store = new MemoryStore();
  const storage = { prefix: storePrefix(kind), head: new ObjectHead(kind) };
  const cache = new WatchCache({
    store,
    kinds: [storage],
    clock: new FakeClock(),
    random: seededRandom(1),
    logger: new CaptureLogger(),
  });
  const stop = new AbortController();
  const ended = [store.run(stop.signal), cache.run(stop.signal)];
  await cache.ready();
  return {
    store,
    objects: new ObjectStore({ store, cache }),
    resource: {
      kind,
      storedKind: kind,
      storage,
      cache: cache.kind(storage.prefix),
      view: undefined,
      strategy: { kind, validate: () => [], validateUpdate: () => [] },
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all(ended);
    },
  };
}

const object = (text: string): ApiObject => ({
  metadata: { name: "a", namespace: "n" },
  data: { text },
});

const write = (text: string): Change => ({ do: "write", object: object(text) });

describe("ObjectStore", () => {
  it("lets a writer read its own write at once", async () => {
    await using run = await running();
    const stored = await run.objects.create(run.resource, "n/a", object("1"));
    equal(run.resource.cache.get("n/a")?.revision, stored.revision);
    equal(stored.object.metadata.resourceVersion, String(stored.revision));
  });

  it("refuses to create what is there", async () => {
    await using run = await running();
    await run.objects.create(run.resource, "n/a", object("1"));
    await rejects(
      run.objects.create(run.resource, "n/a", object("2")),
      /configmaps "a" already exists/,
    );
  });

  it("writes nothing when nothing would change", async () => {
    await using run = await running();
    await run.objects.create(run.resource, "n/a", object("1"));
    const before = await run.store.revision();
    const outcome = await run.objects.change(run.resource, "n/a", () => write("1"));
    equal(outcome.was, "unchanged");
    equal(await run.store.revision(), before);
  });

  it("decides again when somebody else wrote in between", async () => {
    await using run = await running();
    await run.objects.create(run.resource, "n/a", object("0"));
    const count = async (): Promise<void> => {
      await run.objects.change(run.resource, "n/a", (current) => {
        const data = current?.object["data"] as { text: string } | undefined;
        return write(String(Number(data?.text) + 1));
      });
    };
    await Promise.all(Array.from({ length: 20 }, count));
    deepEqual(run.resource.cache.get("n/a")?.object["data"], { text: "20" });
  });

  it("lets everybody through who writes one object at the same time, with few rounds", async () => {
    await using run = await running();
    await run.objects.create(run.resource, "n/a", object("0"));
    let decisions = 0;
    const client = async (client: number): Promise<void> => {
      for (let i = 0; i < 100; i++) {
        await run.objects.change(run.resource, "n/a", () => {
          decisions++;
          return write(`${client} ${i}`);
        });
      }
    };
    await Promise.all(Array.from({ length: 16 }, (_, index) => client(index)));
    ok(decisions < 2 * 1600, `${decisions} decisions for 1600 writes`);
  });

  it("does not refuse for what is no longer true", async () => {
    await using run = await running();
    const seen: (string | undefined)[] = [];
    // The cache learns of this write only after the decision was made: the store is a step ahead.
    const creating = run.store.create(
      "core/configmaps/n/a",
      Buffer.from('{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"n"}}'),
    );
    const outcome = await run.objects.change(run.resource, "n/a", (current) => {
      seen.push(current?.key);
      if (current === undefined) throw new Error("not found");
      return write("2");
    });
    await creating;
    equal(outcome.was, "updated");
    deepEqual(seen, [undefined, "n/a"]);
  });

  it("deletes what it decided on, and says with which revision", async () => {
    await using run = await running();
    await run.objects.create(run.resource, "n/a", object("1"));
    const outcome = await run.objects.change(run.resource, "n/a", () => ({ do: "delete" }));
    equal(outcome.was, "deleted");
    equal(outcome.object?.revision, await run.store.revision());
    equal(run.resource.cache.get("n/a"), undefined);
  });
});
