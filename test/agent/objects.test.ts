// The object manager as the agent has it, over a real connection, with a server that is a process of its own.

import { equal, ok } from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { createObjectManager } from "../../src/agent/objects/create-object-manager.ts";
import type { ObjectChange } from "../../src/agent/objects/object-manager.ts";
import type { UpkeptObjects } from "../../src/agent/objects/upkept-objects.ts";
import { isNotFound } from "../../src/api/status-error.ts";
import type { Pod } from "../../src/api/types.ts";
import { AsyncQueue } from "../../src/base/async-queue.ts";
import { systemClock } from "../../src/base/clock.ts";
import { createMetrics } from "../../src/base/metrics.ts";
import { systemRandom } from "../../src/base/random.ts";
import { CaptureLogger } from "../../src/base/testing/capture-logger.ts";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { ApiClient } from "../../src/client/api-client.ts";
import { readKubeconfig } from "../../src/client/kubeconfig.ts";
import { DriftlessServer } from "../support/driftless-server.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
function podUsing(uid: string, name: string): Pod {
  const volumes = [{ name: "v", configMap: { name } }];
  const metadata = { uid, name: uid, namespace: "default" };
  return { metadata, spec: { containers: [], volumes } } as unknown as Pod;
}

describe("objects of a real server", () => {
  let directory: ReturnType<typeof tempDir>;
  let server: DriftlessServer;
  let client: ApiClient;
  let objects: UpkeptObjects;
  let changes: AsyncQueue<ObjectChange, "fail">;
  let heard: AsyncIterator<ObjectChange>;
  let stop: AbortController;
  let running: Promise<void>;

  /** Each test has one of its own. */
  let name = "";
  let count = 0;

  before(async () => {
    directory = tempDir();
    const dataDir = directory.join("data");
    server = await DriftlessServer.start({ dataDir });
  });

  after(async () => {
    await server[Symbol.asyncDispose]();
    directory[Symbol.dispose]();
  });

  beforeEach(() => {
    name = `app-${++count}`;
    const connection = readKubeconfig(server.kubeconfig);
    client = new ApiClient({ connection, clock: systemClock, timeoutMs: 60_000 });
    objects = createObjectManager("Watch", {
      client,
      clock: systemClock,
      random: systemRandom,
      logger: new CaptureLogger(),
      metrics: createMetrics(),
      ttlMs: () => 60_000,
      maxIdleMs: 300_000,
    });
    changes = new AsyncQueue<ObjectChange, "fail">({ capacity: 100, whenFull: "fail" });
    heard = changes[Symbol.asyncIterator]();
    objects.onChange((change) => changes.push(change));
    stop = new AbortController();
    running = objects.run(stop.signal);
  });

  afterEach(async () => {
    stop.abort();
    await running;
    client[Symbol.dispose]();
  });

  const configMap = (value: string, more: object = {}): object => ({
    metadata: { name },
    data: { key: value },
    ...more,
  });
  const next = async (): Promise<string> => {
    const { value } = (await heard.next()) as { value: ObjectChange };
    const how = value.isAnother ? " (another)" : "";
    return `${value.object === undefined ? "gone" : value.object.text("key")}${how}`;
  };
  const send = async (method: string, path: string, body?: object): Promise<void> => {
    const { status, text } = await server.fetch(method, path, body);
    ok(status < 300, text);
  };
  const read = (podUid: string): Promise<string | undefined> =>
    objects
      .get({ kind: "ConfigMap", namespace: "default", name }, { podUid, signal: stop.signal })
      .then(
        (object) => object.text("key"),
        (err: unknown) => (isNotFound(err) ? "not found" : String(err)),
      );

  it("are told of when they come, change, go, and come back as others", async () => {
    objects.register(podUsing("p1", name));
    equal(await read("p1"), "not found");
    equal(await next(), "gone");
    await send("POST", CONFIG_MAPS, configMap("one"));
    equal(await next(), "one");
    await send("PUT", `${CONFIG_MAPS}/${name}`, configMap("two"));
    equal(await next(), "two");
    equal(await read("p1"), "two");
    await send("DELETE", `${CONFIG_MAPS}/${name}`);
    equal(await next(), "gone");
    await send("POST", CONFIG_MAPS, configMap("three"));
    equal(await next(), "three (another)");
  });

  it("Z24 are noticed when they are immutable and made anew", async () => {
    await send("POST", CONFIG_MAPS, configMap("one", { immutable: true }));
    objects.register(podUsing("p1", name));
    equal(await read("p1"), "one");
    equal(await next(), "one");
    await send("DELETE", `${CONFIG_MAPS}/${name}`);
    await send("POST", CONFIG_MAPS, configMap("two", { immutable: true }));
    equal(await next(), "gone");
    equal(await next(), "two (another)");
    equal(await read("p1"), "two");
    await send("DELETE", `${CONFIG_MAPS}/${name}`);
    await send("POST", CONFIG_MAPS, configMap("three"));
    equal(await next(), "gone");
    equal(await next(), "three (another)");
    await send("PUT", `${CONFIG_MAPS}/${name}`, configMap("four"));
    equal(await next(), "four");
  });

  it("Z30 stay while the server is away, and follow it when it is back", async () => {
    await send("POST", CONFIG_MAPS, configMap("one"));
    objects.register(podUsing("p1", name));
    equal(await read("p1"), "one");
    equal(await next(), "one");
    const { dataDir, port } = server;
    await server.kill();
    await until(() => objects.oldestStalenessMs > 0);
    equal(await read("p1"), "one");
    objects.register(podUsing("p2", name));
    ok((await read("p2"))?.includes("Cannot reach the API server"), "Z25 what is fresh is unknown");
    server = await DriftlessServer.start({ dataDir, port });
    await send("PUT", `${CONFIG_MAPS}/${name}`, configMap("two"));
    equal(await next(), "two");
    equal(await read("p2"), "two");
    await until(() => objects.oldestStalenessMs === 0);
    equal(changes.size, 0);
  });
});

/** For what nobody is told of. The test's own limit ends it. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await systemClock.sleep(1);
}
