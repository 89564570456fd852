import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { type TempDir, tempDir } from "../../base/testing/temp-dir.ts";
import { FakeMounts } from "../../mounts/testing/fake-mounts.ts";
import { AgentPaths } from "../agent-paths.ts";
import { podWith } from "../volumes/plugins/testing/plugin-bench.ts";
import { AckDirectories, type AckParts, type ContainerToAck } from "./ack-directories.ts";
import { volumeUse } from "./testing/volume-use.ts";

const path = "/run/driftless/ack";

class Scene implements Disposable {
  readonly dir: TempDir = tempDir();
  readonly mounts = new FakeMounts();
  readonly logger = new CaptureLogger();
  directories = this.restarted();

  restarted(): AckDirectories {
    const { mounts, logger } = this;
    return new AckDirectories({ paths: new AgentPaths(this.dir.path), mounts, logger });
  }

  prepare(changes: Partial<ContainerToAck> = {}): AckParts {
    return this.directories.prepare({
      ...{ pod: podWith(), container: "main", attempt: 0, mounts: [], env: [] },
      uses: [volumeUse({})],
      ...changes,
    });
  }

  [Symbol.dispose](): void {
    this.dir[Symbol.dispose]();
  }
}

const mountAt = (containerPath: string): ContainerToAck["mounts"] => [
  { hostPath: "/x", containerPath, isReadOnly: true, propagation: "None" },
];

describe("AckDirectories", () => {
  it("gives a container with configuration a small tmpfs of its own, and tells its programs where", () => {
    using scene = new Scene();
    const { mounts, env } = scene.prepare();
    const hostPath = scene.dir.join("pods/pod-1/plugins/driftless.dev~ack/main/0");
    assert.deepEqual(mounts, [
      { hostPath, containerPath: path, isReadOnly: false, propagation: "None" },
    ]);
    assert.deepEqual(env, [["DRIFTLESS_ACK", path]]);
    const { tmpfs } = scene.mounts.at(hostPath) ?? {};
    assert.equal(tmpfs?.mode, 0o1777);
    assert.ok((tmpfs?.sizeBytes ?? Infinity) <= 1 << 18 && (tmpfs?.maxInodes ?? Infinity) <= 128);
  });

  it("gives none to a container without configuration, or when the pod does not want it", () => {
    using scene = new Scene();
    const plugin = "kubernetes.io/empty-dir";
    const token = { plugin: "kubernetes.io/projected", volume: "kube-api-access-x7" };
    const pod = podWith({}, { annotations: { "driftless.dev/ack": "false" } });
    for (const changes of [
      { uses: [] },
      { uses: [volumeUse({ plugin }), volumeUse(token)] },
      { pod },
    ]) {
      assert.deepEqual(scene.prepare(changes), { mounts: [], env: [], annotations: {} });
    }
    assert.deepEqual(scene.mounts.calls, []);
  });

  it("leaves what the container itself has mounted or set as it is", () => {
    using scene = new Scene();
    const placeWith = (changes: Partial<ContainerToAck>): string | undefined =>
      scene.prepare(changes).mounts[0]?.containerPath;
    assert.equal(placeWith({ mounts: mountAt("/run") }), "/var/driftless/ack");
    assert.equal(placeWith({ mounts: mountAt("/var/run") }), "/var/driftless/ack");
    assert.equal(placeWith({ mounts: mountAt(path) }), undefined);
    assert.equal(placeWith({ mounts: [...mountAt("/run"), ...mountAt("/var")] }), undefined);
    assert.equal(placeWith({ mounts: mountAt("/runner") }), path);
    assert.equal(placeWith({ env: [["DRIFTLESS_ACK", "/tmp/acks"]] }), undefined);
    assert.equal(placeWith({ env: [["DRIFTLESS_ACK", ""]] }), undefined);
    const own = scene.prepare({ env: [["DRIFTLESS_ACK", path]] });
    assert.equal(own.mounts.length, 1);
    assert.deepEqual(own.env, []);
  });

  it("makes it anew for each start, also when one that failed has left something", () => {
    using scene = new Scene();
    const hostPath = scene.prepare().mounts[0]?.hostPath ?? "";
    writeFileSync(`${hostPath}/left.json`, "{}");
    scene.prepare();
    assert.equal(existsSync(`${hostPath}/left.json`), false);
    assert.equal(scene.mounts.below(hostPath).length, 1);
  });

  it("keeps no directories of starts that failed, however often a program cannot be started", () => {
    using scene = new Scene();
    for (let attempt = 0; attempt < 5; attempt++) scene.prepare({ attempt });
    const other = scene.prepare({ container: "other" }).mounts[0]?.hostPath;
    const root = scene.dir.join("pods/pod-1/plugins/driftless.dev~ack");
    assert.deepEqual(
      scene.mounts
        .below(root)
        .map((mount) => mount.path)
        .toSorted(),
      [`${root}/main/4`, other],
    );
  });

  it("does not hold up a container when it cannot be made, which is said once", () => {
    using scene = new Scene();
    scene.mounts.tmpfs = () => {
      throw new Error("no");
    };
    assert.deepEqual(scene.prepare().mounts, []);
    assert.deepEqual(scene.prepare().env, []);
    const levels = scene.logger.records.map(({ level }) => level);
    assert.deepEqual(levels, ["warn", "debug"]);
  });

  it("sweeps what a former life left, and neither what is in use nor what it has just made", () => {
    using scene = new Scene();
    const [left = "", used = ""] = ["gone", "used"].map(
      (container) => scene.prepare({ container }).mounts[0]?.hostPath,
    );
    scene.directories = scene.restarted();
    const fresh = scene.prepare({ attempt: 2 }).mounts[0]?.hostPath ?? "";
    mkdirSync(scene.dir.join("pods/other"), { recursive: true });
    scene.directories.sweep(new Set([used]));
    assert.deepEqual([left, used, fresh].map(existsSync), [false, true, true]);
    assert.equal(scene.mounts.at(left), undefined);
  });
});
