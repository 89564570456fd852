import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { describe, it } from "node:test";
import { systemClock } from "../../base/clock.ts";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { tempDir } from "../../base/testing/temp-dir.ts";
import { StaticPods } from "./static-pods.ts";

const manifest = (name: string, image = "host"): string =>
  `{apiVersion: v1, kind: Pod, metadata: {name: ${name}}, spec: {containers: [{name: a, image: ${image}}]}}`;

function follow(directory: string): { pods: StaticPods; told: string[]; logger: CaptureLogger } {
  const logger = new CaptureLogger();
  const pods = new StaticPods({ directory, nodeName: "n1", clock: new FakeClock(), logger });
  const told: string[] = [];
  pods.onChange(({ type, object }) => told.push(`${type} ${object.metadata.name}`));
  return { pods, told, logger };
}

describe("StaticPods", () => {
  it("tells of files that come, change and go", async () => {
    using dir = tempDir();
    const { pods, told } = follow(dir.path);
    dir.write({ "a.yaml": manifest("a"), "b.json": manifest("b"), ".hidden.yaml": manifest("c") });
    await pods.scan();
    assert.deepEqual(told.splice(0), ["added a-n1", "added b-n1"]);

    await pods.scan();
    assert.deepEqual(told.splice(0), []);

    dir.write({ "a.yaml": manifest("a", "v2") });
    await pods.scan();
    assert.deepEqual(told.splice(0), ["deleted a-n1", "added a-n1"]);

    rmSync(dir.join("b.json"));
    await pods.scan();
    assert.deepEqual(told, ["deleted b-n1"]);
    assert.equal(pods.list().length, 1);
  });

  it("keeps the last good version of a file that is broken, and says so once", async () => {
    using dir = tempDir();
    const { pods, told, logger } = follow(dir.path);
    dir.write({ "a.yaml": manifest("a") });
    await pods.scan();
    dir.write({ "a.yaml": "kind: Po" });
    await pods.scan();
    await pods.scan();

    assert.deepEqual(told.splice(0), ["added a-n1"]);
    assert.equal(logger.records.length, 1);

    dir.write({ "a.yaml": manifest("a") });
    await pods.scan();
    assert.deepEqual(told, []);
    rmSync(dir.join("a.yaml"));
    await pods.scan();
    assert.deepEqual(told, ["deleted a-n1"]);
  });

  it("stops no pod because the directory is gone", async () => {
    using dir = tempDir();
    const { pods, told } = follow(dir.join("m"));
    await pods.scan();
    await pods.synced;
    dir.write({ "m/a.yaml": manifest("a") });
    await pods.scan();
    rmSync(dir.join("m"), { recursive: true });
    await pods.scan();

    assert.deepEqual(told, ["added a-n1"]);
  });

  it("sees a new file by itself", async () => {
    using dir = tempDir();
    const logger = new CaptureLogger();
    const options = { directory: dir.path, nodeName: "n1", clock: systemClock, logger };
    const pods = new StaticPods(options);
    const added = Promise.withResolvers<string | undefined>();
    pods.onChange(({ object }) => added.resolve(object.metadata.name));
    const stop = new AbortController();
    const running = pods.run(stop.signal);
    await pods.synced;

    dir.write({ "a.yaml": manifest("a") });

    assert.equal(await added.promise, "a-n1");
    stop.abort();
    await running;
  });
});
