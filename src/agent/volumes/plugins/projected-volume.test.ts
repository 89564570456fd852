import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { readlinkSync } from "node:fs";
import { describe, it } from "node:test";
import type { Volume, VolumeProjection } from "../../../api/types.ts";
import { pluginBench, podWith, shown } from "./testing/plugin-bench.ts";

const MINUTE_MS = 60_000;
const token: VolumeProjection = { serviceAccountToken: { path: "token", expirationSeconds: 3600 } };
const app: VolumeProjection = { configMap: { name: "app" } };
const projected = (...sources: VolumeProjection[]): Volume => ({
  name: "all",
  projected: { sources, defaultMode: 0o644 },
});

describe("a projected volume with a token", () => {
  it("says when the token must be renewed, and shows the new one then", async () => {
    using bench = pluginBench({});
    const { tokens } = bench;
    using timed = pluginBench({ parts: { clock: tokens.clock, tokens: tokens.tokens } });
    const { path, refreshAfterMs } = await timed.setUp(projected(token));
    equal(refreshAfterMs, 48 * MINUTE_MS + 1);
    deepEqual(shown(path), { token: "token-1" });
    await tokens.clock.step(48 * MINUTE_MS);
    const early = await timed.setUp(projected(token));
    equal(early.hasChanged, false);
    await tokens.clock.step(1);
    const { hasChanged } = await timed.setUp(projected(token));
    equal(hasChanged, true);
    deepEqual(shown(path), { token: "token-2" });
  });

  it("follows its objects while no new token is to be had", async () => {
    using bench = pluginBench();
    bench.objects.configMap("app", { a: "1" });
    const volume = projected(app, token);
    const { path } = await bench.setUp(volume);
    await bench.tokens.clock.step(50 * MINUTE_MS);
    bench.tokens.server.failure = "not now";
    bench.objects.configMap("app", { a: "2" });
    await bench.setUp(volume);
    deepEqual(shown(path), { a: "2", token: "token-1" });
  });

  it("keeps everything when its token has run out and none is to be had, and says which source it was", async () => {
    using bench = pluginBench();
    bench.objects.configMap("app", { a: "1" });
    const volume = projected(app, token);
    const { path } = await bench.setUp(volume);
    await bench.tokens.clock.step(61 * MINUTE_MS);
    bench.tokens.server.failure = "no";
    bench.objects.configMap("app", { a: "2" });
    await rejects(
      bench.setUp(volume),
      /^Error: sources\[1\] \(serviceAccountToken\): token .* expired and refresh failed: no$/,
    );
    deepEqual(shown(path), { a: "1", token: "token-1" });
  });

  it("drops the tokens of the pod when it is removed", async () => {
    using bench = pluginBench();
    await bench.setUp(projected(token));
    await bench.setUp(projected(token), podWith({}, { uid: "pod-2" }));
    await bench.tearDown(projected(token));
    equal(bench.tokens.tokens.size, 1);
  });
});

describe("a projected volume", () => {
  it("Z21: writes nothing while one of its sources fails, and all together when it works again", async () => {
    using bench = pluginBench();
    bench.objects.configMap("app", { a: "1" });
    bench.objects.secret("key", { b: "1" });
    const volume = projected(app, { secret: { name: "key" } });
    const { path } = await bench.setUp(volume);
    const before = readlinkSync(`${path}/..data`);
    bench.objects.configMap("app", { a: "2" });
    bench.objects.remove("Secret/shop/key");
    await rejects(
      bench.setUp(volume),
      new Error('sources[1] (secret "key"): secret "key" not found'),
    );
    equal(readlinkSync(`${path}/..data`), before);
    bench.objects.secret("key", { b: "2" });
    const { versions } = await bench.setUp(volume);
    deepEqual(shown(path), { a: "2", b: "2" });
    deepEqual(
      versions.map(({ name }) => name),
      ["app", "key"],
    );
  });

  it("Z20: tells whoever runs the agent what hides what, once for each change", async () => {
    using bench = pluginBench();
    bench.objects.configMap("app", { a: "1" });
    bench.objects.configMap("over", { a: "2" });
    const volume = projected(app, { configMap: { name: "over" } });
    await bench.setUp(volume);
    await bench.setUp(volume);
    equal(bench.logger.records.length, 1);
    const [record] = bench.logger.records;
    equal(record?.message, "volume has two files for one path");
    match(String(record?.fields["clash"]), /^"a" of .*"app".* is hidden by .*"over"/);
  });
});
