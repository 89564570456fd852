// A real server that is killed, restarted, cut off and made to forget, under writes: whoever watches catches up.

import { deepEqual, equal, ok } from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { ObjectWatch } from "../../src/client/object-watch.ts";
import { ChangeChecker } from "../../src/client/testing/change-checker.ts";
import { DriftlessServer } from "../support/driftless-server.ts";
import {
  type ConfigMap,
  configMap,
  configMaps,
  LiveInformer,
  liveClient,
  maps,
  parts,
} from "./live-client.ts";
import { Wire } from "./tls-server.ts";

/** What kubectl would see. */
async function stateOf(server: DriftlessServer): Promise<readonly string[]> {
  const { text } = await server.fetch("GET", "/api/v1/namespaces/default/configmaps");
  const { items } = JSON.parse(text) as {
    items: { metadata: { name: string }; data?: Record<string, string> }[];
  };
  return items.map(({ metadata, data }) => `${metadata.name}=${data?.["v"] ?? ""}`).sort();
}

describe("an informer on a real server", () => {
  let dataDir: string;
  let server: DriftlessServer;
  const flags = ["--compaction-interval", "1", "--log-level", "error"];
  before(async () => {
    dataDir = mkdtempSync(join(tmpdir(), "driftless-test-"));
    server = await DriftlessServer.start({ dataDir, flags });
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function restart(): Promise<void> {
    const { port } = server;
    await server[Symbol.asyncDispose]();
    server = await DriftlessServer.start({ dataDir, flags, port });
  }

  it("catches up when the server is killed and started again on its port, with writes all the time", async () => {
    using writing = liveClient(server.kubeconfig);
    using watching = liveClient(server.kubeconfig);
    await using live = new LiveInformer(watching);
    const checker = new ChangeChecker();
    const broken: unknown[] = [];
    live.informer.onChange((change) => {
      try {
        checker.check(change);
      } catch (err) {
        broken.push(err);
      }
    });
    const stop = new AbortController();
    const acknowledged = new Map<string, string>();
    const writer = (async (): Promise<void> => {
      for (let count = 0; !stop.signal.aborted; count++) {
        const [name, v] = [`w${count % 20}`, String(count)];
        const options = { fieldManager: "test", force: true };
        try {
          await maps(writing).apply(configMap(name, v), options);
          acknowledged.set(name, v);
        } catch {
          // The server is away; what is not acknowledged may be there or not.
        }
      }
    })();
    await live.until(() => live.informer.size === 20);
    for (let round = 0; round < 3; round++) {
      const before = Number(acknowledged.get("w0"));
      await server.kill();
      await restart();
      await live.until(() => live.state.some((one) => Number(one.slice(3)) > before + 40));
    }
    stop.abort();
    await writer;
    const expected = await stateOf(server);
    await live.until(() => JSON.stringify(live.state) === JSON.stringify(expected));
    for (const [name, v] of acknowledged) {
      const seen = live.informer.get(`default/${name}`)?.data?.["v"] ?? "";
      ok(Number(seen) >= Number(v), `${name} is ${seen}, and ${v} was acknowledged`);
    }
    deepEqual(broken, []);
  });

  it("finds everything, deletions too, when history was forgotten while it was cut off", async () => {
    using writing = liveClient(server.kubeconfig);
    using wire = await Wire.to(server.port);
    using watching = liveClient(server.kubeconfig, { server: wire.url });
    for (const name of ["gone", "changed", "kept"])
      await maps(writing).create(configMap(name, "1"));
    await using live = new LiveInformer(watching);
    await live.until(() => live.state.includes("gone=1"));
    const version = live.informer.lastResourceVersion ?? "";
    wire.cut();
    await maps(writing).delete({ namespace: "default", name: "gone" });
    await maps(writing).update(configMap("changed", "2"));
    await maps(writing).create(configMap("new", "1"));
    for (;;) {
      // A watch that lasts until the store was compacted. The cache remembers for longer: a server that was started again
      // has only the store.
      await restart();
      const path = `/api/v1/configmaps?watch=1&timeoutSeconds=3&resourceVersion=${version}`;
      const { status, text } = await server.fetch("GET", path);
      if (status === 410 || text.includes('"code":410')) break;
    }
    const unseen: string[] = [];
    live.informer.onChange((change) => {
      if (change.type === "deleted" && change.isFinalStateUnknown) {
        unseen.push(change.object.metadata.name ?? "");
      }
    });
    wire.mend();
    const expected = await stateOf(server);
    await live.until(() => JSON.stringify(live.state) === JSON.stringify(expected));
    deepEqual(unseen, ["gone"]);
  });

  it("catches up with 300 single objects that all changed while it was away", async () => {
    const names = Array.from({ length: 300 }, (_, index) => `single${index}`);
    using writing = liveClient(server.kubeconfig);
    using watching = liveClient(server.kubeconfig);
    await Promise.all(names.map((name) => maps(writing).create(configMap(name, "1"))));
    const stop = new AbortController();
    const seen = { "1": new Set<string>(), "2": new Set<string>() };
    const all = { "1": Promise.withResolvers<void>(), "2": Promise.withResolvers<void>() };
    const running = names.map((name) =>
      new ObjectWatch<ConfigMap>({
        client: watching,
        kind: configMaps,
        namespace: "default",
        name,
        onChange(object) {
          const v = object?.data?.["v"] === "2" ? "2" : "1";
          if (seen[v].add(name).size === names.length) all[v].resolve();
        },
        ...parts,
      }).run(stop.signal),
    );
    await all["1"].promise;
    await server.kill();
    await restart();
    await Promise.all(names.map((name) => maps(writing).update(configMap(name, "2"))));
    await all["2"].promise;
    equal(watching.connections, 1);
    stop.abort();
    await Promise.all(running);
  });

  it("resumes without a list when the connection is cut and nothing was forgotten", async () => {
    using writing = liveClient(server.kubeconfig);
    using wire = await Wire.to(server.port);
    using watching = liveClient(server.kubeconfig, { server: wire.url });
    await using live = new LiveInformer(watching);
    await live.informer.synced;
    const logged = parts.logger.records.length;
    wire.cut();
    await maps(writing).create(configMap("while-cut", "1"));
    wire.mend();
    await live.until(() => live.informer.get("default/while-cut") !== undefined);
    const steps = parts.logger.records.slice(logged).map(({ fields }) => fields["next"]);
    deepEqual([...new Set(steps)], ["watch"]);
  });
});
