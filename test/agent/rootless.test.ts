// A node that any user can run: in a user namespace that outlives the agent.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { describe, it } from "node:test";
import { mountsBelow, processesBelow } from "../support/driftless-node.ts";
import { Cluster, sleeper } from "./cluster.ts";

const UID = 12_345;
const program = new URL("../../src/cmd/driftless.ts", import.meta.url).pathname;

/** Why it cannot be tried here; false if it can. */
function obstacle(): string | false {
  if (process.getuid?.() !== 0) return "needs root, to become somebody else";
  const as = ["--reuid", String(UID), "--regid", String(UID), "--clear-groups", "--"];
  try {
    execFileSync("setpriv", [...as, process.execPath, program, "version"], { stdio: "pipe" });
  } catch {
    return `another user cannot read ${program}`;
  }
  try {
    execFileSync("setpriv", [...as, "unshare", "--user", "--map-root-user", "--mount", "true"], {
      stdio: "pipe",
    });
  } catch {
    return "this system lets users make no user namespaces";
  }
  return false;
}

describe("a node without root", { skip: obstacle() }, () => {
  it("runs pods, keeps their volumes up to date, and is drained", async () => {
    await using cluster = await Cluster.start({ node: { uid: UID } });
    const { node } = cluster;
    await cluster.makeConfigMap("app", { data: { a: "one" } });
    await cluster.makeSecret("key", { stringData: { k: "v" } });
    const pod = await cluster.runningPod("web", {
      containers: [
        sleeper({
          volumeMounts: [
            { name: "config", mountPath: "/etc/config" },
            { name: "secret", mountPath: "/etc/secret" },
            { name: "config", mountPath: "/etc/one/a", subPath: "a" },
            { name: "secret", mountPath: "/etc/one/k", subPath: "k" },
          ],
        }),
      ],
      volumes: [
        { name: "config", configMap: { name: "app" } },
        { name: "secret", secret: { secretName: "key" } },
      ],
    });
    const pid = node.containerPid(pod);
    const seen = (file: string): string =>
      execFileSync(
        "nsenter",
        [
          "-t",
          String(pid),
          "--user",
          "--mount",
          "--pid",
          "--root",
          "--preserve-credentials",
          "cat",
          file,
        ],
        { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] },
      );
    assert.equal(seen("/etc/secret/k"), "v");
    await cluster.change("configmaps/app", { data: { a: "two" } });
    await cluster.change("secrets/key", { data: { k: Buffer.from("w").toString("base64") } });
    await cluster.eventually("the new content", () => {
      assert.deepEqual([seen("/etc/config/a"), seen("/etc/secret/k")], ["two", "w"]);
      assert.deepEqual([seen("/etc/one/a"), seen("/etc/one/k")], ["two", "w"]);
    });

    await node.kill();
    await node.restart();
    await cluster.change("configmaps/app", { data: { a: "three" } });
    await cluster.eventually("content after a restart", () => {
      assert.deepEqual([seen("/etc/config/a"), seen("/etc/one/a")], ["three", "three"]);
    });
    assert.equal(node.containerPid(await cluster.pod("web")), pid);

    await node.drain();
    assert.deepEqual(processesBelow(node.dataDir), []);
    assert.deepEqual(mountsBelow(node.dataDir), []);
    assert.deepEqual(
      readdirSync(node.dataDir).filter((name) => !name.startsWith(".")),
      [],
    );
  });

  it("says of a container that wants another user what is in its way", async () => {
    await using cluster = await Cluster.start({ node: { uid: UID } });
    await cluster.makePod("other", {
      containers: [sleeper({ securityContext: { runAsUser: 1000 } })],
    });
    const pod = await cluster.podWhere("other", "a reason", ({ status }) =>
      /user/i.test(status?.containerStatuses?.[0]?.state?.waiting?.message ?? ""),
    );
    const waiting = pod.status?.containerStatuses?.[0]?.state?.waiting;
    assert.equal(waiting?.reason, "RunContainerError");
  });
});
