import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { describe, it } from "node:test";
import type { Volume } from "../../../api/types.ts";
import { SystemMounts } from "../../../mounts/system-mounts.ts";
import { modeOf, type PluginBench, pluginBench, podWith, shown } from "./testing/plugin-bench.ts";

const skip = process.geteuid?.() === 0 ? false : "only root can mount";
const TMPFS_MAGIC = 0x01021994;

const secret: Volume = { name: "keys", secret: { secretName: "app", defaultMode: 0o400 } };
const token: Volume = {
  name: "token",
  projected: {
    sources: [{ serviceAccountToken: { path: "token", expirationSeconds: 3600 } }],
    defaultMode: 0o644,
  },
};

/** Small, so that a test can fill it. */
function realBench(memory = "1Mi"): PluginBench {
  const bench = pluginBench({ mounts: new SystemMounts() });
  bench.allocatable["memory"] = memory;
  return bench;
}

describe("volumes on a real tmpfs", { skip }, () => {
  it("G9: keeps a Secret's bytes off the disk", async () => {
    using bench = realBench();
    bench.objects.secret("app", { a: "1" });
    const { path } = await bench.setUp(secret);
    equal(statfsSync(path).type, TMPFS_MAGIC);
    equal(statfsSync(`${path}/..data/a`).type, TMPFS_MAGIC);
    deepEqual(shown(path), { a: "1@400" });
    equal(modeOf(path), "1777");
    await bench.tearDown(secret);
    equal(existsSync(path), false);
    equal(bench.parts.mounts.below(bench.root).length, 0);
  });

  it("finds its tmpfs again after a restart of the agent, and mounts no second one", async () => {
    using bench = realBench();
    bench.objects.secret("app", { a: "1" });
    const { path } = await bench.setUp(secret);
    const target = readlinkSync(`${path}/..data`);
    bench.restart();
    const { hasChanged } = await bench.setUp(secret);
    equal(hasChanged, false);
    equal(readlinkSync(`${path}/..data`), target);
    equal(bench.parts.mounts.below(path).length, 1);
  });

  it("writes anew if its tmpfs is gone", async () => {
    using bench = realBench();
    bench.objects.secret("app", { a: "1" });
    const { path } = await bench.setUp(secret);
    bench.parts.mounts.unmount(path);
    deepEqual(readdirSync(path), []);
    const { hasChanged } = await bench.setUp(secret);
    equal(hasChanged, true);
    equal(statfsSync(path).type, TMPFS_MAGIC);
    deepEqual(shown(path), { a: "1@400" });
  });

  it("Z17: keeps what it showed when the tmpfs is full", async () => {
    using bench = realBench();
    bench.objects.secret("app", { a: "1" });
    const { path } = await bench.setUp(secret);
    bench.objects.secret("app", { a: "x".repeat(2 ** 21) });
    await rejects(bench.setUp(secret), /ENOSPC/);
    deepEqual(shown(path), { a: "1@400" });
    bench.objects.secret("app", { a: "2" });
    await bench.setUp(secret);
    deepEqual(shown(path), { a: "2@400" });
  });

  it("leaves no mount behind when its first write fails", async () => {
    using bench = realBench();
    bench.objects.secret("app", { a: "x".repeat(2 ** 21) });
    await rejects(bench.setUp(secret), /ENOSPC/);
    equal(bench.parts.mounts.below(bench.root).length, 0);
    equal(existsSync(`${bench.root}/pods/pod-1/volumes/kubernetes.io~secret/keys`), false);
  });

  it("is removed although somebody reads it, who can go on", async () => {
    using bench = realBench();
    bench.objects.secret("app", { a: "1" });
    const { path } = await bench.setUp(secret);
    const fd = openSync(`${path}/a`, "r");
    try {
      await bench.tearDown(secret);
      equal(existsSync(path), false);
      equal(readFileSync(fd).toString(), "1");
    } finally {
      closeSync(fd);
    }
  });

  it("removes nothing of what is mounted in a volume", async () => {
    using bench = realBench();
    const emptyDir: Volume = { name: "work", emptyDir: {} };
    const { path } = await bench.setUp(emptyDir);
    mkdirSync(`${bench.root}/precious`);
    writeFileSync(`${bench.root}/precious/file`, "");
    mkdirSync(`${path}/here`);
    bench.parts.mounts.bind(`${bench.root}/precious`, `${path}/here`, { isReadOnly: false });
    await rejects(bench.tearDown(emptyDir), /is a mount point that the agent did not make/);
    ok(existsSync(`${bench.root}/precious/file`));
    bench.parts.mounts.unmount(`${path}/here`);
    await bench.tearDown(emptyDir);
    ok(existsSync(`${bench.root}/precious/file`));
  });

  it("E52: shows a token to its user and its group alone", async () => {
    using bench = realBench();
    const pod = podWith({
      securityContext: { fsGroup: 3000, runAsUser: 1000 },
      containers: [{ name: "c" } as never],
    });
    const { path } = await bench.setUp(token, pod);
    const { uid, gid, mode } = statSync(`${path}/token`);
    deepEqual([uid, gid, (mode & 0o7777).toString(8)], [1000, 3000, "640"]);
    equal(modeOf(path), "3777");
  });

  it("F3, F7: has the size that an emptyDir in memory asks for, and a root that all can write to", async () => {
    using bench = realBench("16Mi");
    const pod = podWith({ securityContext: { fsGroup: 3000 } });
    const emptyDir: Volume = { name: "work", emptyDir: { medium: "Memory", sizeLimit: "1Mi" } };
    const { path } = await bench.setUp(emptyDir, pod);
    const { blocks, bsize } = statfsSync(path);
    equal(blocks * bsize, 2 ** 20);
    equal(modeOf(path), "3777");
    equal(statSync(path).gid, 3000);
    await bench.tearDown(emptyDir, pod);
    equal(existsSync(path), false);
  });
});
