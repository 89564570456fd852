import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Pod } from "../../api/types.ts";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { tempDir } from "../../base/testing/temp-dir.ts";
import { ApiClient } from "../../client/api-client.ts";
import { halfRandom } from "../../client/testing/fake-client.ts";
import { PodSource } from "./pod-source.ts";
import { StaticPods } from "./static-pods.ts";
import { PodServer } from "./testing/pod-server.ts";
import { testPod } from "./testing/test-pod.ts";

const manifest =
  "{apiVersion: v1, kind: Pod, metadata: {name: s}, spec: {containers: [{name: a, image: host}]}}";

function sourceOf(server: PodServer | undefined, directory: string) {
  const clock = new FakeClock();
  const logger = new CaptureLogger();
  const base = { clock, random: halfRandom, logger };
  const connection = { server: "https://fake", isInsecure: false, namespace: "default" };
  const files = new StaticPods({ directory, nodeName: "n1", clock, logger });
  const source = new PodSource({
    client: server && new ApiClient({ connection, clock, timeoutMs: 1000, transport: server }),
    files,
    nodeName: "n1",
    nodeUid: () => "node-uid",
    ...base,
  });
  const told: string[] = [];
  const tell = (what: string) => (pod: Pod) => void told.push(`${what} ${pod.metadata.name}`);
  const stop = new AbortController();
  const handlers = {
    update: tell("update"),
    remove: tell("remove"),
    changedOnServer: () => undefined,
    serverIsBack: () => undefined,
  };
  const running = source.run(handlers, stop.signal);
  const until = async (isSo: () => boolean): Promise<void> => {
    for (let i = 0; i < 10_000 && !isSo(); i++) await clock.step(0);
    assert.ok(isSo());
  };
  const end = async (): Promise<void> => {
    stop.abort();
    await running.catch(() => undefined);
  };
  return { source, files, told, until, end, clock };
}

describe("PodSource", () => {
  it("runs static pods without any server", async () => {
    using dir = tempDir();
    dir.write({ "s.yaml": manifest });
    const { source, told, end, files } = sourceOf(undefined, dir.path);
    await source.synced;

    assert.deepEqual(told, ["update s-n1"]);
    const [pod] = files.list();
    assert.ok(pod !== undefined);
    assert.equal(source.onServer(pod), undefined);
    await end();
  });

  it("shows static pods on the server, owned by the node, and runs none for a picture", async () => {
    using dir = tempDir();
    dir.write({ "s.yaml": manifest });
    const server = new PodServer();
    const { source, told, until, end, files } = sourceOf(server, dir.path);
    await until(() => server.pods.has("s-n1"));

    const { annotations, ownerReferences } = server.pods.get("s-n1")?.metadata ?? {};
    const uid = files.list()[0]?.metadata.uid;
    assert.equal(annotations?.["kubernetes.io/config.mirror"], uid);
    assert.deepEqual(ownerReferences, [
      { apiVersion: "v1", kind: "Node", name: "n1", uid: "node-uid", controller: true },
    ]);
    assert.deepEqual(told, ["update s-n1"]);
    assert.equal(source.onServer(files.list()[0] ?? testPod())?.metadata.uid, "made-1");
    await end();
  });

  it("makes a picture again when somebody deletes it, and replaces one that is deleted slowly", async () => {
    using dir = tempDir();
    dir.write({ "s.yaml": manifest });
    const server = new PodServer();
    const { until, end } = sourceOf(server, dir.path);
    const uid = (): string | undefined => server.pods.get("s-n1")?.metadata.uid;
    await until(() => uid() === "made-1");

    server.remove("s-n1");
    await until(() => uid() === "made-2");

    const mirror = server.pods.get("s-n1") ?? testPod();
    const deletionTimestamp = "2024-01-01T00:00:00Z";
    server.put({ ...mirror, metadata: { ...mirror.metadata, deletionTimestamp } });
    await until(() => uid() === "made-3");
    await end();
  });

  it("removes pictures of static pods that are gone, also of a former life", async () => {
    using dir = tempDir();
    const server = new PodServer();
    const annotations = {
      "kubernetes.io/config.mirror": "x",
      "kubernetes.io/config.source": "file",
    };
    server.put(testPod({ metadata: { name: "s-n1", annotations } }));
    server.put(testPod());
    const { told, until, end } = sourceOf(server, dir.path);
    await until(() => !server.pods.has("s-n1"));

    assert.deepEqual(told, ["update web"]);
    assert.deepEqual([...server.pods.keys()], ["web"]);
    await end();
  });
});
