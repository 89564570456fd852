// G5: what the programs of real containers run with is known from their own word, or because they were told; across kills of them and of the agent.

import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { ConfigUse, ConfigView, Pod } from "../../src/api/types.ts";
import { cannotRun } from "../runtime/live-runtime.ts";
import { Cluster, sleeper } from "./cluster.ts";
import { logText } from "./container-log.ts";

const library = new URL("../../packages/config/src/index.js", import.meta.url).href;
const views = "/apis/driftless.dev/v1/namespaces/default/configviews";

describe("G5 what a container runs with", { skip: cannotRun }, () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await Cluster.start();
  });
  after(async () => {
    await cluster?.[Symbol.asyncDispose]();
  });

  /** A pod with all of a ConfigMap of its name at /etc/config. */
  async function start(name: string, script: string, reload?: string): Promise<Pod> {
    await cluster.makeConfigMap(name, { data: { a: "1" } });
    return cluster.runningPod(name, {
      annotations: reload === undefined ? {} : { "driftless.dev/reload": reload },
      containers: [
        sleeper({
          command: ["sh", "-c", script],
          volumeMounts: [{ name: "config", mountPath: "/etc/config" }],
        }),
      ],
      volumes: [{ name: "config", configMap: { name } }],
    });
  }

  const set = (name: string, a: string): Promise<unknown> =>
    cluster.change(`configmaps/${name}`, { data: { a } });

  const use = async (name: string): Promise<ConfigUse> => {
    const { uses } = await cluster.ask<ConfigView>("GET", `${views}/${name}`);
    const [found] = uses ?? [];
    assert.ok(found, "its view has no use yet");
    return found;
  };

  const told = async (name: string, reason: string): Promise<number> => {
    const found = (await cluster.events(name)).filter((one) => one.reason === reason);
    return found.reduce((sum, { count = 1 }) => sum + count, 0);
  };

  it("is what it says through the library, and not known any more when the program is killed", async () => {
    const program = `import { watchConfig } from "${library}"; const w = await watchConfig("/etc/config"); for await (const { value } of w) console.log("has " + value.a);`;
    const pod = await start(
      "library",
      `trap 'exit 0' TERM; '${process.execPath}' --input-type=module -e '${program}' & echo "pid $!"; wait; sleep infinity & wait`,
    );
    for (const a of ["1", "2"]) {
      if (a === "2") await set("library", a);
      await cluster.eventually(`the word for ${a}`, async () => {
        const { wanted, applied, confirmedBy } = await use("library");
        assert.ok(logText(cluster.node.dataDir, pod).includes(`has ${a}`));
        assert.equal(applied?.hash, wanted?.hash);
        assert.equal(confirmedBy, "Library");
      });
    }
    const [, pid] = /^pid (\d+)$/m.exec(logText(cluster.node.dataDir, pod).join("\n")) ?? [];
    cluster.node.inContainer(pod, ["kill", "-9", String(pid)]);
    await cluster.eventually("silence", async () => {
      assert.equal((await use("library")).applied, undefined);
    });
  });

  it("is what it got a signal for, exactly one for each version, whatever becomes of the agent", async () => {
    const pod = await start(
      "signal",
      "trap 'exit 0' TERM; trap 'echo hup $(cat /etc/config/a)' HUP; echo ready; while :; do sleep infinity & wait $!; kill $!; done",
      "signal:HUP",
    );
    const hups = (): readonly string[] =>
      logText(cluster.node.dataDir, pod).filter((line) => line.startsWith("hup"));
    const until = (...lines: readonly string[]): Promise<void> =>
      cluster.eventually(lines.join(", "), () => assert.deepEqual(hups(), lines));
    await cluster.eventually("its trap", () =>
      assert.deepEqual(logText(cluster.node.dataDir, pod), ["ready"]),
    );
    await set("signal", "2");
    await until("hup 2");
    await cluster.eventually("its event", async () =>
      assert.equal(await told("signal", "ConfigReloaded"), 1),
    );
    await cluster.node.kill();
    await cluster.node.restart();
    await set("signal", "3");
    await until("hup 2", "hup 3");
    await cluster.eventually("its event", async () =>
      assert.equal(await told("signal", "ConfigReloaded"), 2),
    );
    await cluster.node.kill();
    await set("signal", "4");
    await cluster.node.restart();
    await until("hup 2", "hup 3", "hup 4");
    await cluster.eventually("its view", async () => {
      const { wanted, applied, confirmedBy } = await use("signal");
      assert.equal(applied?.hash, wanted?.hash);
      assert.equal(confirmedBy, "Reload");
    });
    assert.deepEqual(hups(), ["hup 2", "hup 3", "hup 4"]);
  });

  it("is what an HTTP server was told as soon as that is there, although it was not at first", async () => {
    const asked: string[] = [];
    const server: Server = createServer(({ method, url }, response) => {
      asked.push(`${method} ${url}`);
      response.end();
    });
    const listen = async (port: number): Promise<number> => {
      server.listen(port, "127.0.0.1");
      await once(server, "listening");
      return (server.address() as AddressInfo).port;
    };
    const port = await listen(0);
    await new Promise((resolve) => server.close(resolve));
    await start(
      "http",
      "trap 'exit 0' TERM; sleep infinity & wait",
      `http:POST:http://127.0.0.1:${port}/-/reload`,
    );
    await set("http", "2");
    await cluster.eventually("its failure", async () => {
      assert.equal(await told("http", "ConfigReloadFailed"), 1);
      assert.equal((await use("http")).reload?.result, "Failing");
    });
    try {
      await listen(port);
      await cluster.eventually("its success", async () => {
        assert.equal((await use("http")).confirmedBy, "Reload");
      });
      assert.deepEqual(asked, ["POST /-/reload"]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it("is what a command in it has succeeded for, also when the agent that tried it first is gone", async () => {
    const pod = await start(
      "exec",
      "trap 'exit 0' TERM; sleep infinity & wait",
      "exec:test -e /tmp/fine && cat /etc/config/a >> /tmp/told",
    );
    await set("exec", "2");
    await cluster.eventually("its failure", async () =>
      assert.equal(await told("exec", "ConfigReloadFailed"), 1),
    );
    await cluster.node.kill();
    await cluster.node.restart();
    cluster.node.inContainer(pod, ["touch", "/tmp/fine"]);
    await cluster.eventually("its success", () =>
      assert.equal(cluster.node.inContainer(pod, ["cat", "/tmp/told"]), "2"),
    );
    await cluster.eventually("its view", async () =>
      assert.equal((await use("exec")).confirmedBy, "Reload"),
    );
    assert.equal(cluster.node.inContainer(pod, ["cat", "/tmp/told"]), "2");
  });

  it("is not what the object says when somebody has changed the files on the node, until they are written anew", async () => {
    const pod = await start("tampered", "trap 'exit 0' TERM; sleep infinity & wait");
    await cluster.eventually("its view", async () =>
      assert.ok((await use("tampered")).onDisk?.hash),
    );
    const volume = cluster.node.volumePath(pod, "configmap", "config");
    writeFileSync(join(volume, "..data", "a"), "9");
    await cluster.eventually("the drift", async () => {
      const { drift } = await use("tampered");
      assert.equal(drift?.reason, "TamperedOnDisk");
      assert.match(drift?.message ?? "", /\ba\b/);
      assert.equal(await told("tampered", "TamperedOnDisk"), 1);
    });
    // Any refresh of the volume heals it: the next sync would, or this.
    await cluster.change("pods/tampered", { metadata: { annotations: { touched: "now" } } });
    await cluster.eventually("the end of it", async () => {
      assert.equal((await use("tampered")).drift, undefined);
      assert.equal(cluster.node.inContainer(pod, ["cat", "/etc/config/a"]), "1");
    });
  });
});
