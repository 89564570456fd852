// G7: a real program whose one configuration file is mounted with subPath serves what the ConfigMap says, without a restart.

import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { after, before, describe, it } from "node:test";
import type { Container, Pod } from "../../src/api/types.ts";
import { type TempDir, tempDir } from "../../src/base/testing/temp-dir.ts";
import { ensureLaterDebianBinary } from "../../tools/debian-later.ts";
import { cannotRun } from "../runtime/live-runtime.ts";
import { Cluster, sleeper } from "./cluster.ts";

const reloader = new URL("./live-reloader.ts", import.meta.url).pathname;
const nginx = await ensureLaterDebianBinary({
  ...{ suite: "bookworm", package: "nginx", binary: "usr/sbin/nginx" },
  probe: ["-v"],
});
const skip = cannotRun === false ? !nginx.ok && nginx.reason : cannotRun;
const file = "/etc/web/nginx.conf";

/** It listens where the test can reach it, and writes nothing but there. */
function configOf(name: string, answer: string): string {
  const temps = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  return `
    daemon off;
    user root;
    pid /sockets/${name}.pid;
    error_log stderr;
    events {}
    http {
      access_log off;
      ${temps.map((temp) => `${temp}_temp_path /tmp/${name}-${temp};`).join("\n")}
      server {
        listen unix:/sockets/${name}.sock;
        location / { return 200 "${answer}"; }
      }
    }`;
}

describe("G7 nginx", { skip, concurrency: false }, () => {
  let cluster: Cluster;
  let sockets: TempDir;
  before(async () => {
    sockets = tempDir();
    cluster = await Cluster.start();
  });
  after(async () => {
    await cluster?.[Symbol.asyncDispose]();
    sockets?.[Symbol.dispose]();
  });

  async function start(name: string, annotations: Record<string, string> = {}): Promise<Pod> {
    await cluster.makeConfigMap(name, { data: { "nginx.conf": configOf(name, "one") } });
    const path = nginx.ok ? nginx.path : "";
    const web: Container = sleeper({
      command: [process.execPath, reloader, file, path, "-e", "stderr", "-c", file],
      volumeMounts: [
        { name: "config", mountPath: file, subPath: "nginx.conf" },
        { name: "config", mountPath: "/etc/whole" },
        { name: "sockets", mountPath: "/sockets" },
      ],
    });
    return cluster.runningPod(name, {
      annotations,
      containers: [web],
      volumes: [
        { name: "config", configMap: { name } },
        { name: "sockets", hostPath: { path: sockets.path } },
      ],
    });
  }

  async function served(name: string): Promise<string> {
    const asked = request({ socketPath: sockets.join(`${name}.sock`), path: "/" }).end();
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    return text(response);
  }

  const serves = (name: string, wanted: string): Promise<void> =>
    cluster.eventually(`${name} that serves ${wanted}`, async () =>
      assert.equal(await served(name), wanted),
    );

  const change = (name: string, answer: string): Promise<unknown> =>
    cluster.change(`configmaps/${name}`, { data: { "nginx.conf": configOf(name, answer) } });

  const master = (pod: Pod): string =>
    cluster.node.inContainer(pod, ["cat", `/sockets/${pod.metadata.name}.pid`]);

  it("that is told by a watcher of its one file serves every change, and is never restarted", async () => {
    const pod = await start("live");
    await serves("live", "one");
    const pid = master(pod);
    for (const answer of ["two", "three", "four"]) {
      await change("live", answer);
      await serves("live", answer);
    }
    assert.equal(master(pod), pid);
    const { containerStatuses } = (await cluster.pod("live")).status ?? {};
    assert.equal(containerStatuses?.[0]?.restartCount, 0);
  });

  it("of a pod whose sub paths are frozen goes on as it was: it was not the test that reloaded it", async () => {
    const pod = await start("frozen", { "driftless.dev/live-subpath": "false" });
    await serves("frozen", "one");
    await change("frozen", "two");
    await cluster.eventually("the new version in the whole volume", () => {
      const shown = cluster.node.inContainer(pod, ["cat", "/etc/whole/nginx.conf"]);
      assert.match(shown, /"two"/);
    });
    assert.equal(await served("frozen"), "one");
  });
});
