// G4 on a disk that takes no writes: what a container sees stays whole, an Event says why it is old, and it becomes new by itself. The
// disk is a small tmpfs under the whole data directory; what fills it is the test.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Event, Pod } from "../../src/api/types.ts";
import { isErrno } from "../../src/base/errors.ts";
import { processesBelow } from "../support/driftless-node.ts";
import { type MountedTmpfs, tmpfs } from "../support/tmpfs.ts";
import { freePort, metricIn, metricsText } from "./agent-metrics.ts";
import { Cluster, sleeper } from "./cluster.ts";

/** Ample for the agent's own files, and little to fill. */
const disk = tmpfs("size=96m,nr_inodes=3000,mode=700");
const KEYS = Array.from({ length: 20 }, (_, i) => `key-${i}`);

function content(text: string): Record<string, string> {
  return Object.fromEntries(KEYS.map((key) => [key, `${key}: ${text}`]));
}

const small = content("old");
/** More than a page here and there that somebody gives back meanwhile. */
const large = content(`new ${"x".repeat(30_000)}`);

describe("a disk that takes no writes", { skip: "reason" in disk && disk.reason }, () => {
  const { path: root } = disk as MountedTmpfs;
  const dataDir = join(root, "data");
  let cluster: Cluster;
  let secretPod: Pod;
  let secrets = 0;
  let port: number;

  before(async () => {
    port = await freePort();
    cluster = await Cluster.start({ node: { dataDir, flags: ["--health-port", String(port)] } });
    await cluster.makeSecret("login", { stringData: { password: "0" } });
    secretPod = await cluster.runningPod("login", {
      containers: [sleeper({ volumeMounts: [{ name: "login", mountPath: "/etc/login" }] })],
      volumes: [{ name: "login", secret: { secretName: "login" } }],
    });
  });
  after(async () => {
    await cluster?.node.kill();
    // Nothing else tells whose they are: a file system of its own does not show where it is mounted.
    killContainers(dataDir);
    await cluster?.[Symbol.asyncDispose]();
    disk[Symbol.dispose]();
  });

  const inside = (pod: Pod, ...argv: string[]): string =>
    cluster.node.inContainer(pod, argv).trimEnd();

  async function podWith(name: string): Promise<Pod> {
    await cluster.makeConfigMap(name, { data: small });
    return cluster.runningPod(name, {
      containers: [sleeper({ volumeMounts: [{ name: "config", mountPath: "/etc/config" }] })],
      volumes: [{ name: "config", configMap: { name } }],
    });
  }

  /** All that a container sees of the volume: the directories themselves, and every file. */
  function sight(pod: Pod): object {
    const files = readVolume(pod);
    const inodes = inside(pod, "stat", "-Lc", "%i", "/etc/config", "/etc/config/..data");
    return { inodes, link: inside(pod, "readlink", "/etc/config/..data"), files };
  }

  function readVolume(pod: Pod): Readonly<Record<string, string>> {
    const text = inside(pod, "sh", "-c", 'cd /etc/config; for f in *; do cat "$f"; echo; done');
    const lines = text.split("\n");
    return Object.fromEntries(lines.map((line) => [line.split(":")[0] ?? "", line]));
  }

  const shows = (pod: Pod, files: Readonly<Record<string, string>>): Promise<void> =>
    cluster.eventually("the new files", () => assert.deepEqual(readVolume(pod), files));

  async function failure(pod: Pod, reason: RegExp): Promise<Event> {
    return cluster.eventually("an event", async () => {
      const events = await cluster.events(pod.metadata.name ?? "");
      const found = events.find((one) => one.reason === "FailedMount");
      assert.match(found?.message ?? "", /^MountVolume\.SetUp failed for volume "config" : /);
      assert.match(found?.message ?? "", reason);
      assert.ok(found);
      return found;
    });
  }

  /** How often it failed, and how many fail now. */
  async function counted(): Promise<{ readonly failures: number; readonly failing: number }> {
    const text = await metricsText(port);
    const plugin = 'plugin="kubernetes.io/configmap"';
    return {
      failures: metricIn(text, "driftless_agent_volume_failures_total", plugin),
      failing: metricIn(text, "driftless_agent_volumes_failing", plugin),
    };
  }

  async function othersFollow(): Promise<void> {
    const password = String(++secrets);
    const data = { password: Buffer.from(password).toString("base64") };
    await cluster.change("secrets/login", { data });
    await cluster.eventually("the new password", () => {
      assert.equal(inside(secretPod, "cat", "/etc/login/password"), password);
    });
  }

  /** The whole promise, for one thing that stands in the way. */
  async function keepsAndHeals(of: {
    readonly name: string;
    readonly reason: RegExp;
    readonly obstruct: (pod: Pod) => Disposable;
  }): Promise<void> {
    const { name, reason, obstruct } = of;
    const pod = await podWith(name);
    const before = sight(pod);
    assert.deepEqual(readVolume(pod), small);
    const { failures } = await counted();
    {
      using _obstacle = obstruct(pod);
      await cluster.change(`configmaps/${name}`, { data: large });
      const event = await failure(pod, reason);
      assert.equal(event.type, "Warning");
      assert.deepEqual(sight(pod), before);
      const now = await counted();
      assert.ok(now.failures > failures, `${now.failures} failures, before ${failures}`);
      assert.equal(now.failing, 1);
      await othersFollow();
      assert.deepEqual(sight(pod), before);
    }
    await shows(pod, large);
    await cluster.eventually("no failure any more", async () =>
      assert.equal((await counted()).failing, 0),
    );
    assert.equal(
      (await cluster.pod(name)).status?.containerStatuses?.[0]?.restartCount,
      0,
      "the container ran on",
    );
    await cluster.delete(`pods/${name}`);
    await cluster.podGone(name);
  }

  it("G4 because it is full leaves the old files whole, says so, and shows the new ones when there is room", () =>
    keepsAndHeals({
      name: "full",
      reason: /ENOSPC: no space left on device/,
      obstruct: () => filled(root),
    }));

  it("G4 because it has no inodes left leaves the old files whole, and heals", () =>
    keepsAndHeals({
      name: "no-inodes",
      reason: /ENOSPC: no space left on device/,
      obstruct: () => withoutInodes(root),
    }));

  it("G4 because it is read-only leaves the old files whole, and heals", () =>
    keepsAndHeals({
      name: "read-only",
      reason: /EROFS: read-only file system/,
      obstruct: () => readOnly(root),
    }));

  it("G4 because the volume may not be changed leaves the old files whole, and heals", () =>
    keepsAndHeals({
      name: "immutable",
      reason: /EPERM: operation not permitted/,
      obstruct: (pod) => immutable(cluster.node.volumePath(pod, "configmap", "config")),
    }));

  it("lets a pod that comes meanwhile start when there is room", async () => {
    await cluster.makeConfigMap("later", { data: large });
    {
      using _full = filled(root);
      await cluster.makePod("later", {
        containers: [sleeper({ volumeMounts: [{ name: "config", mountPath: "/etc/config" }] })],
        volumes: [{ name: "config", configMap: { name: "later" } }],
      });
      await cluster.eventually("an event", async () => {
        const events = await cluster.events("later");
        assert.ok(
          events.some(({ type, message }) => type === "Warning" && /ENOSPC/.test(message ?? "")),
        );
      });
      assert.equal((await cluster.pod("later")).status?.phase, "Pending");
    }
    const pod = await cluster.podIn("later", "Running");
    assert.deepEqual(readVolume(pod), large);
  });

  for (const [how, obstruct] of [
    ["full", () => filled(root)],
    ["without inodes", () => withoutInodes(root)],
    ["read-only", () => readOnly(root)],
  ] as const) {
    it(`G4 lets an agent start that finds it ${how}, and keeps what runs`, async () => {
      const name = `restart-${how.replace(" ", "-")}`;
      const pod = await podWith(name);
      const before = sight(pod);
      const pid = cluster.node.containerPid(pod);
      await cluster.node.kill();
      {
        using _obstacle = obstruct();
        await cluster.change(`configmaps/${name}`, { data: large });
        await cluster.node.restart();
        await failure(pod, /ENOSPC|EROFS/);
        assert.deepEqual(sight(pod), before);
        assert.equal(cluster.node.containerPid(await cluster.pod(name)), pid);
        await othersFollow();
      }
      await shows(pod, large);
      assert.equal(cluster.node.containerPid(await cluster.pod(name)), pid);
    });
  }

  it("does not hold up a container that writes a lot, and its log says what is missing", async () => {
    const pod = await cluster.runningPod("talker", {
      containers: [
        sleeper({
          command: ["sh", "-c", "while :; do n=$((n+1)); echo $n $LONG; echo $n >/run/n; done"],
          env: [{ name: "LONG", value: "x".repeat(1000) }],
          volumeMounts: [{ name: "memory", mountPath: "/run" }],
        }),
      ],
      volumes: [{ name: "memory", emptyDir: { medium: "Memory" } }],
    });
    const count = (): number => Number(inside(pod, "cat", "/run/n"));
    /** More than a pipe can take in while nobody reads: its most is 1 MiB. */
    const goesOn = async (): Promise<void> => {
      const from = await cluster.eventually("lines", () => {
        const now = count();
        assert.ok(now > 0);
        return now;
      });
      await cluster.eventually("more lines", () => assert.ok(count() > from + 5000));
    };
    // The log keeper that comes later cannot write it again.
    rmSync(join(dataDir, "run", "log-keeper.pid"));
    {
      using _full = filled(root);
      await goesOn();
      process.kill(logKeeper(dataDir), "SIGKILL");
      await goesOn();
    }
    const directory = join(dataDir, "logs", `default_talker_${pod.metadata.uid}`, "main");
    await cluster.eventually("a line about what is missing", () => {
      const text = readdirSync(directory)
        .filter((name) => !name.endsWith(".gz"))
        .map((name) => readFileSync(join(directory, name), "latin1"))
        .join("\n");
      assert.match(text, /driftless: \d+ lines were dropped here: no space left on the disk/);
    });
    await cluster.delete("pods/talker");
    await cluster.podGone("talker");
  });
});

function killContainers(dataDir: string): void {
  const directory = join(dataDir, "containers");
  for (const id of readdirSync(directory)) {
    try {
      const { pid } = JSON.parse(readFileSync(join(directory, id, "init.json"), "utf8")) as {
        readonly pid: number;
      };
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended, or never began.
    }
  }
}

/** By its command line: what it has written down about itself is old on a full disk. */
function logKeeper(dataDir: string): number {
  const pid = processesBelow(dataDir).find((one) => {
    try {
      return readFileSync(`/proc/${one}/cmdline`, "utf8").includes("keeper-main");
    } catch {
      return false; // It ended meanwhile.
    }
  });
  assert.ok(pid !== undefined);
  return pid;
}

/** Takes every byte. */
function filled(root: string): Disposable {
  const directory = ballast(root);
  const fd = openSync(join(directory, "bytes"), "w");
  const { bavail, bsize } = statfsSync(root);
  for (const size of [bavail * bsize, 2 ** 20, 4096]) writeUntilFull(fd, Buffer.alloc(size));
  closeSync(fd);
  assert.throws(() => writeFileSync(join(directory, "more"), Buffer.alloc(8192)), /ENOSPC/);
  return removed(directory);
}

function writeUntilFull(fd: number, bytes: Buffer): void {
  try {
    for (;;) writeSync(fd, bytes);
  } catch (err) {
    if (!isErrno(err, "ENOSPC")) throw err;
  }
}

/** Takes every inode. */
function withoutInodes(root: string): Disposable {
  const directory = ballast(root);
  try {
    for (let i = 0; ; i++) writeFileSync(join(directory, String(i)), "");
  } catch (err) {
    if (!isErrno(err, "ENOSPC")) throw err;
  }
  return removed(directory);
}

function ballast(root: string): string {
  const directory = join(root, "ballast");
  mkdirSync(directory);
  return directory;
}

function removed(directory: string): Disposable {
  return { [Symbol.dispose]: () => rmSync(directory, { recursive: true }) };
}

/**
 * For everybody who comes by the path. Not the disk itself: that is refused while logs are open. The tmpfs of the Secrets
 * are mounts of their own.
 */
function readOnly(root: string): Disposable {
  execFileSync("mount", ["--rbind", root, root]);
  execFileSync("mount", ["-o", "remount,bind,ro", root]);
  return { [Symbol.dispose]: () => execFileSync("umount", ["--lazy", root]) };
}

function immutable(path: string): Disposable {
  assert.ok(statSync(path).isDirectory());
  execFileSync("chattr", ["+i", path]);
  return { [Symbol.dispose]: () => execFileSync("chattr", ["-i", path]) };
}
