// Pods from files: on a machine without any server, and pictured on the server when there is one.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Pod } from "../../src/api/types.ts";
import { type TempDir, tempDir } from "../../src/base/testing/temp-dir.ts";
import { DriftlessNode } from "../support/driftless-node.ts";
import { Cluster } from "./cluster.ts";

const skip = process.getuid?.() === 0 ? false : "containers need root here";
const PATIENCE_MS = 60_000;

/** A manifest as people write it: the text tells one from another. */
function manifest(name: string, { text = "one", command = "sleep infinity & wait" } = {}): string {
  return `apiVersion: v1
kind: Pod
metadata:
  name: ${name}
  labels: {text: "${text}"}
spec:
  terminationGracePeriodSeconds: 1
  containers:
  - name: main
    image: host
    command: [sh, -c, "trap 'exit 0' TERM; ${command}"]
    volumeMounts:
    - {name: scratch, mountPath: /scratch}
    - {name: info, mountPath: /etc/info}
  volumes:
  - {name: scratch, emptyDir: {}}
  - name: info
    downwardAPI:
      items:
      - {path: labels, fieldRef: {fieldPath: metadata.labels}}
      - {path: name, fieldRef: {fieldPath: metadata.name}}
`;
}

interface Found {
  readonly id: string;
  readonly pid: number;
  readonly attempt: number;
}

describe("a static pod on a machine without a server", { skip }, () => {
  let manifests: TempDir;
  let node: DriftlessNode;
  before(async () => {
    manifests = tempDir();
    node = await DriftlessNode.start({ flags: ["--manifests", manifests.path] });
  });
  after(async () => {
    await node?.[Symbol.asyncDispose]();
    manifests[Symbol.dispose]();
  });

  /** The pod's container that runs, from what the runtime keeps. */
  function running(pod: string): Found {
    const directory = join(node.dataDir, "containers");
    const found = readdirSync(directory).flatMap((id): Found[] => {
      try {
        const read = (file: string): unknown =>
          JSON.parse(readFileSync(join(directory, id, file), "utf8"));
        const { status } = read("state.json") as { status: { podName: string; attempt: number } };
        const { pid } = read("init.json") as { pid: number };
        const isRunning = readFileSync(`/proc/${pid}/stat`, "utf8").includes(`${pid} (sh)`);
        const { podName, attempt } = status;
        return podName === `${pod}-node-1` && isRunning ? [{ id, pid, attempt }] : [];
      } catch {
        return []; // Not there yet, or not any more.
      }
    });
    assert.equal(found.length, 1);
    return found[0] as Found;
  }
  const inside = ({ pid }: Found, ...argv: string[]): string =>
    execFileSync("nsenter", ["-t", String(pid), "-m", "-p", "--root", "--", ...argv], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    }).trimEnd();
  const sees = (pod: string, labels: string): Promise<Found> =>
    eventually(`${pod} with ${labels}`, () => {
      const one = running(pod);
      assert.equal(inside(one, "cat", "/etc/info/labels"), labels);
      return one;
    });
  const gone = (pod: string): Promise<void> =>
    eventually(`${pod} gone`, () => {
      assert.throws(() => running(pod), /0 !== 1/);
    });

  async function eventually<T>(what: string, attempt: () => T): Promise<T> {
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        return attempt();
      } catch (cause) {
        if (performance.now() > until) {
          throw new Error(`waited in vain for ${what}: ${node.log.slice(-3000)}`, { cause });
        }
      }
      await sleep(20);
    }
  }

  it("runs with its volumes, by the name of its file's pod and the node", async () => {
    manifests.write({ "web.yaml": manifest("web") });
    const one = await sees("web", 'text="one"');
    assert.equal(inside(one, "cat", "/etc/info/name"), "web-node-1");
    inside(one, "sh", "-c", "echo kept > /scratch/file");
    assert.equal(inside(one, "cat", "/scratch/file"), "kept");
  });

  it("is restarted when it ends, and its emptyDir stays", async () => {
    const before = running("web");
    process.kill(before.pid, "SIGKILL");
    const after = await eventually("another container", () => {
      const one = running("web");
      assert.notEqual(one.id, before.id);
      return one;
    });
    assert.equal(after.attempt, before.attempt + 1);
    assert.equal(inside(after, "cat", "/scratch/file"), "kept");
  });

  it("keeps running while its file makes no sense, and follows it when it does again", async () => {
    const before = running("web");
    manifests.write({ "web.yaml": "kind: Pod\n  broken: [" });
    await eventually("a word about it in the log", () => {
      assert.match(node.log, /static pod cannot be read: its last good version stays/);
    });
    manifests.write({ "web.yaml": manifest("web").replace("image: host", "imagine: host") });
    await eventually("a second word about it", () => {
      assert.match(node.log, /spec\.containers\[0\]\.image: Required value/);
    });
    assert.deepEqual(running("web"), before);
    manifests.write({ "web.yaml": manifest("web", { text: "two" }) });
    const changed = await sees("web", 'text="two"');
    assert.notEqual(changed.id, before.id);
    assert.throws(() => readFileSync(`/proc/${before.pid}/stat`), /ENOENT|ESRCH/);
  });

  it("is another one when its file changes: nothing of the old one is left", async () => {
    const before = running("web");
    const pods = await eventually("one directory", () => {
      const found = readdirSync(join(node.dataDir, "pods"));
      assert.equal(found.length, 1);
      return found;
    });
    manifests.write({ "web.yaml": manifest("web", { text: "three" }) });
    const changed = await sees("web", 'text="three"');
    assert.notEqual(changed.pid, before.pid);
    assert.throws(() => inside(changed, "cat", "/scratch/file"), /No such file/);
    await eventually("the old directory gone", () => {
      const left = readdirSync(join(node.dataDir, "pods"));
      assert.equal(left.length, 1);
      assert.notDeepEqual(left, pods);
    });
  });

  it("is found again by an agent that was killed", async () => {
    const before = running("web");
    await node.kill();
    await node.restart();
    assert.deepEqual(running("web"), before);
    manifests.write({ "second.yaml": manifest("second") });
    await sees("second", 'text="one"');
    assert.deepEqual(running("web"), before);
  });

  it("ends with its file", async () => {
    rmSync(manifests.join("web.yaml"));
    rmSync(manifests.join("second.yaml"));
    await gone("web");
    await gone("second");
    await eventually("no directory left", () => {
      assert.deepEqual(readdirSync(join(node.dataDir, "pods")), []);
      assert.deepEqual(readdirSync(join(node.dataDir, "containers")), []);
    });
  });

  it("with a ConfigMap is refused, since nobody could bring it", async () => {
    const spec = manifest("bound").replace("emptyDir: {}", "configMap: {name: app}");
    manifests.write({ "bound.yaml": spec });
    await eventually("the refusal", () => {
      assert.match(node.log, /static pods may not reference configmaps/);
    });
    assert.throws(() => running("bound"));
  });
});

describe("a static pod on a node of a server", { skip }, () => {
  let manifests: TempDir;
  let cluster: Cluster;
  before(async () => {
    manifests = tempDir();
    cluster = await Cluster.start({ node: { flags: ["--manifests", manifests.path] } });
    writeFileSync(manifests.join("web.yaml"), manifest("web"));
  });
  after(async () => {
    await cluster?.[Symbol.asyncDispose]();
    manifests[Symbol.dispose]();
  });
  const name = "web-node-1";
  const ready = (pod: Pod): boolean => pod.status?.containerStatuses?.[0]?.ready === true;

  it("has a picture there, with its status", async () => {
    const pod = await cluster.podWhere(name, "a container that is ready", ready);
    assert.equal(pod.status?.phase, "Running");
    const { annotations, ownerReferences } = pod.metadata;
    assert.equal(annotations?.["kubernetes.io/config.source"], "file");
    assert.equal(
      annotations?.["kubernetes.io/config.mirror"],
      annotations?.["kubernetes.io/config.hash"],
    );
    assert.deepEqual(
      ownerReferences?.map((one) => [one.kind, one.name]),
      [["Node", "node-1"]],
    );
  });

  it("stays when somebody deletes its picture, which comes back", async () => {
    const before = await cluster.pod(name);
    const pid = cluster.node.containerPid(before);
    await cluster.delete(`pods/${name}?gracePeriodSeconds=0`);
    const another = await cluster.podWhere(
      name,
      "another uid and its status",
      (pod) => pod.metadata.uid !== before.metadata.uid && ready(pod),
    );
    assert.equal(cluster.node.containerPid(another), pid);
  });

  it("has its new form there when its file changes, and is gone when the file is", async () => {
    writeFileSync(manifests.join("web.yaml"), manifest("web", { text: "two" }));
    await cluster.podWhere(
      name,
      "the new label",
      (pod) => pod.metadata.labels?.["text"] === "two" && ready(pod),
    );
    rmSync(manifests.join("web.yaml"));
    await cluster.podGone(name);
  });
});
