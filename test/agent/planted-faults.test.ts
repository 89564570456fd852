// The checks of the campaigns against the agent can fail: each finds the fault that is planted for it.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Pod } from "../../src/api/types.ts";
import { type TempDir, tempDir } from "../../src/base/testing/temp-dir.ts";
import { Cluster } from "./cluster.ts";
import { leftovers } from "./leftovers.ts";
import { lifeSigns } from "./life-signs.ts";
import { mostAtOnce, NodeRequests, timesAsked } from "./node-requests.ts";
import { readerPod, seenWrong } from "./reader-pod.ts";
import { differences, objectsOf } from "./shown-files.ts";
import { stampedData, stampedText } from "./stamped.ts";
import type { ReaderTask } from "./volume-reader.ts";

const isRoot = process.getuid?.() === 0;
const reader = new URL("./volume-reader.ts", import.meta.url).pathname;

describe("the reader of volumes", () => {
  let dir: TempDir;
  before(() => {
    dir = tempDir();
  });
  after(() => dir[Symbol.dispose]());

  /** What it finds wrong in a volume of the object "o", of which it has seen generation 5. */
  const complaints = async (plant: (home: string) => void): Promise<string> => {
    const home = dir.join(String(Math.random()));
    const volume = join(home, "volume");
    const [labels, fixed] = [join(home, "labels"), join(home, "fixed")];
    mkdirSync(join(volume, "..1"), { recursive: true });
    for (const [key, text] of Object.entries(stampedData("o", 5))) {
      writeFileSync(join(volume, "..1", key), text);
      symlinkSync(join("..data", key), join(volume, key));
    }
    symlinkSync("..1", join(volume, "..data"));
    writeFileSync(labels, 'generation="5"\ntwin="5"');
    writeFileSync(fixed, stampedText({ object: "o", key: "o.a", generation: 5 }));
    const task: ReaderTask = {
      volumes: { [volume]: ["o"] },
      labels: [labels],
      fixed: { [fixed]: "o.a" },
    };
    const child = spawn(process.execPath, [reader, home, JSON.stringify(task)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      await once(child.stdout, "data");
      assert.ok(!existsSync(join(home, "wrong")), "nothing is wrong yet");
      plant(home);
      const wrong = (): string =>
        existsSync(join(home, "wrong")) ? readFileSync(join(home, "wrong"), "utf8") : "";
      for (let i = 0; i < 6000 && wrong() === ""; i++) await sleep(10);
      return wrong();
    } finally {
      child.kill("SIGKILL");
    }
  };
  const text = (generation: number, key = "o.a"): string =>
    stampedText({ object: "o", key, generation });

  it("finds a file that is cut short", async () => {
    const found = await complaints((home) =>
      writeFileSync(join(home, "volume", "..1", "o.a"), text(5).slice(0, 100)),
    );
    assert.match(found, /o\.a is torn/);
  });

  it("finds files of two generations in one version", async () => {
    const found = await complaints((home) => {
      // At once: one that is half written would be torn first.
      writeFileSync(join(home, "new"), text(7, "o.b"));
      renameSync(join(home, "new"), join(home, "volume", "..1", "o.b"));
    });
    assert.match(found, /is mixed: o\.a=5 o\.b=7 o\.c=5/);
  });

  it("finds a version without one of its files", async () => {
    const found = await complaints((home) => rmSync(join(home, "volume", "..1", "o.c")));
    assert.match(found, /ENOENT|has o\.a o\.b of o, generation 5/);
  });

  it("finds a path that is missing although the version is whole", async () => {
    const found = await complaints((home) => rmSync(join(home, "volume", "o.b")));
    assert.match(found, /ENOENT.*o\.b/);
  });

  it("finds a volume without a version", async () => {
    const found = await complaints((home) => rmSync(join(home, "volume", "..data")));
    assert.match(found, /ENOENT.*\.\.data/);
  });

  it("finds content that goes back", async () => {
    const found = await complaints((home) => {
      const old = join(home, "volume", "..2");
      mkdirSync(old);
      for (const [key, each] of Object.entries(stampedData("o", 3))) {
        writeFileSync(join(old, key), each);
      }
      symlinkSync("..2", join(home, "volume", "..data_tmp"));
      renameSync(join(home, "volume", "..data_tmp"), join(home, "volume", "..data"));
    });
    assert.match(found, /went back from 5 to 3/);
  });

  it("finds labels of two generations, and a file that should not have changed", async () => {
    const mixed = await complaints((home) =>
      writeFileSync(join(home, "labels"), 'generation="6"\ntwin="5"'),
    );
    assert.match(mixed, /labels is mixed/);
    const changed = await complaints((home) => {
      writeFileSync(join(home, "new"), text(6));
      renameSync(join(home, "new"), join(home, "fixed"));
    });
    assert.match(changed, /changed under a container/);
  });
});

describe("the checks of a node", { skip: isRoot ? false : "containers need root here" }, () => {
  let cluster: Cluster;
  let pod: Pod;
  before(async () => {
    cluster = await Cluster.start();
    for (const name of ["cm-0", "cm-1"]) {
      await cluster.makeConfigMap(name, { data: stampedData(name, 1) });
    }
    for (const name of ["s-0", "s-1"]) {
      await cluster.makeSecret(name, { stringData: stampedData(name, 1) });
    }
    const projected = { configMap: "cm-1", secret: "s-1" };
    pod = await cluster.runningPod(
      "reader",
      readerPod({ configMap: "cm-0", secret: "s-0", projected }),
    );
  });
  after(async () => {
    await cluster?.[Symbol.asyncDispose]();
  });

  it("find another byte, another key, and what is left over in a volume", async () => {
    const objects = await objectsOf(cluster);
    assert.deepEqual(differences(cluster.node, pod, objects), []);
    const volume = (plugin: string, name: string): string =>
      cluster.node.volumePath(pod, plugin, name);
    writeFileSync(join(volume("configmap", "config"), "..data", "cm-0.a"), "no");
    writeFileSync(join(volume("secret", "login"), "..data", "more"), "no");
    mkdirSync(join(volume("projected", "all"), "..2024_01_01_00_00_00.1"));
    writeFileSync(join(volume("downward-api", "info"), "..data", "labels"), "no");
    const found = differences(cluster.node, pod, objects).join("\n");
    assert.match(found, /cm-0\.a shows "no", not "cm-0 cm-0\.a 1/);
    assert.match(found, /more shows "no", not nothing/);
    assert.match(found, /\.\.2024_01_01_00_00_00\.1 is left over/);
    assert.match(found, /labels shows "no"/);
    await cluster.eventually("the reader's word on it", () =>
      assert.match(seenWrong(cluster.node, pod), /torn/),
    );
  });

  it("find a container that was restarted", async () => {
    const before = lifeSigns(cluster.node, pod);
    process.kill(cluster.node.containerPid(pod), "SIGKILL");
    const restarted = await cluster.podWhere("reader", "a restart", ({ status }) => {
      const [main] = status.containerStatuses ?? [];
      return main?.restartCount === 1 && main.state.running !== undefined;
    });
    const [was] = before;
    const [is] = lifeSigns(cluster.node, restarted);
    assert.notEqual(is?.id, was?.id);
    assert.notEqual(is?.startedAt, was?.startedAt);
    assert.equal(is?.restartCount, 1);
  });

  it("find directories, mounts and processes of a pod that is there", async () => {
    await cluster.eventually("what there is of it", () => {
      const found = leftovers(cluster.node).join("\n");
      for (const what of ["pods/", "containers/", "sandboxes/", "logs/"]) {
        assert.ok(found.includes(`the directory ${what}`), what);
      }
      assert.match(found, /the mount .*kubernetes\.io~secret/);
      assert.match(found, /the process .*volume-reader/);
    });
  });
});

describe("the requests of a node", () => {
  const line = (id: number, stage: string, at: number): string =>
    JSON.stringify({
      auditID: String(id),
      stage,
      verb: "watch",
      requestURI: `/api/v1/namespaces/default/secrets?fieldSelector=metadata.name%3Ds-1&watch=1`,
      objectRef: { resource: "secrets" },
      stageTimestamp: `2026-01-01T00:00:0${at}Z`,
    });

  it("are counted by object, with those that are open and those side by side", () => {
    using dir = tempDir();
    const lines = [
      line(1, "RequestReceived", 1),
      line(2, "RequestReceived", 2),
      line(1, "ResponseStarted", 3),
      line(3, "RequestReceived", 4),
      line(2, "ResponseStarted", 5),
      line(2, "ResponseComplete", 6),
    ];
    dir.write({ "audit/audit.log": `${lines.join("\n")}\n` });
    const requests = new NodeRequests(dir.path);
    const all = requests.since();
    assert.deepEqual([...timesAsked(all, ["watch"], "secrets")], [["s-1", 3]]);
    assert.equal(mostAtOnce(all), 2);
    assert.equal(requests.openWatches().length, 2);
    requests.mark();
    assert.deepEqual(requests.since(), []);
  });
});
