// `driftless up`: everything in one process, as somebody who tries it for the first time runs it.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Node } from "../../src/api/types.ts";
import { cgroupsOf } from "../support/agent-cgroups.ts";
import { eventually, program, UpDirectory } from "./driftless-up.ts";
import { applyHello, containerOf, helloPod, helloPods } from "./hello.ts";

const skip = process.getuid?.() === 0 ? false : "needs root, for a node";

describe("driftless up", { skip }, () => {
  it("makes all that it needs, and is ready when its node takes pods", async () => {
    await using directory = new UpDirectory();
    const up = await directory.start();
    for (const [name, mode] of [
      ["kubeconfig", 0o600],
      ["controllers.kubeconfig", 0o600],
      ["pki/ca.key", 0o600],
      ["up.log", 0o600],
      ["node/identity.pem", 0o600],
    ] as const) {
      assert.equal(statSync(join(directory.path, name)).mode & 0o777, mode, name);
    }
    // Nobody has asked anything as an admin yet. The log is written a little later.
    await eventually("who asked", () =>
      assert.deepEqual(
        auditedUsers(directory),
        ["system:driftless:controllers", `system:node:${up.nodeName}`],
        "parts ask as who they are, and never as an admin",
      ),
    );
    const node = await up.ask<Node>("GET", `/api/v1/nodes/${up.nodeName}`);
    assert.equal(node.status.conditions?.find(({ type }) => type === "Ready")?.status, "True");
    assert.deepEqual(node.spec.taints ?? [], []);
    assert.equal(up.stderr, "", "a start has nothing to warn of");
  });

  it("stops and leaves containers running, goes on with them, survives kill -9, and ends them with --drain", async () => {
    await using directory = new UpDirectory();
    const first = await directory.start();
    const before = containerOf(await applyHello(first));

    const stopped = await first.end("SIGINT");
    assert.equal(stopped.code, 0, stopped.stderr);
    assert.match(stopped.stdout, /stopped\. 1 container goes on, and the next start finds it/);
    assert.match(
      stopped.stdout,
      new RegExp(`To end it: \\S+driftless node --drain --data-dir ${directory.path}\n$`),
    );

    const second = await directory.start();
    assert.match(second.stdout, /node +\S+ \(1 container found\)/);
    assert.deepEqual(containerOf(await helloPod(second)), before);
    const { signal } = await second.end("SIGKILL");
    assert.equal(signal, "SIGKILL");

    const third = await directory.start({ flags: ["--drain"] });
    const adopted = await helloPod(third);
    assert.deepEqual(containerOf(adopted), before);
    const drained = await third.end("SIGTERM");
    assert.deepEqual([drained.code, drained.signal], [0, null], drained.stderr);
    assert.match(drained.stdout, /stopped, and 1 container ended\n$/);
    assert.deepEqual(directory.processes, []);
    assert.deepEqual(directory.mounts, []);
    assert.deepEqual(cgroupsOf(directory.path), []);

    const fourth = await directory.start({ flags: ["--drain"] });
    const next = await helloPod(fourth);
    assert.notEqual(
      next.metadata.uid,
      adopted.metadata.uid,
      "a pod that has ended is not run again",
    );
    const old = (await helloPods(fourth)).find(
      ({ metadata }) => metadata.uid === adopted.metadata.uid,
    );
    assert.equal(old?.status?.phase ?? "Failed", "Failed");
    await fourth.end("SIGTERM");
    assert.deepEqual(directory.processes, []);
  });

  it("does not wait any longer at a second Ctrl-C", async () => {
    await using directory = new UpDirectory();
    const up = await directory.start({ flags: ["--drain"] });
    const container = {
      name: "main",
      image: "host",
      command: ["sh", "-c", "trap '' TERM; echo deaf; sleep infinity"],
    };
    await up.ask("POST", "/api/v1/namespaces/default/pods", {
      metadata: { name: "deaf" },
      spec: { terminationGracePeriodSeconds: 600, containers: [container] },
    });
    await eventually("the pod", async () => {
      const { status } = await up.ask<{ status: { phase: string } }>(
        "GET",
        "/api/v1/namespaces/default/pods/deaf",
      );
      assert.equal(status.phase, "Running");
    });
    up.process.kill("SIGINT");
    await up.says(/ending the containers/);
    // What comes at once is the same key, passed on by whoever started it.
    up.process.kill("SIGINT");
    await eventually("its end", () => {
      up.process.kill("SIGINT");
      assert.notEqual(up.process.exitCode, null);
    });
    assert.equal((await up.end()).code, 1);
  });

  it("takes its place as a node again after the node was drained", async () => {
    await using directory = new UpDirectory();
    const first = await directory.start({ flags: ["--node-name", "here"] });
    await first.end("SIGTERM");
    const argv = [program, "node", "--drain", "--data-dir", directory.path];
    execFileSync(process.execPath, argv, { stdio: "pipe" });
    assert.equal(readdirSync(directory.path).includes("node"), false);
    const second = await directory.start({ flags: ["--node-name", "here"] });
    assert.equal(second.nodeName, "here");
  });

  it("goes on when nobody hears it any more", async () => {
    await using directory = new UpDirectory();
    const up = await directory.start({ flags: ["--no-node"] });
    up.process.stdout?.destroy();
    up.process.stderr?.destroy();
    const { code, signal } = await up.end("SIGTERM");
    assert.deepEqual([code, signal], [0, null]);
  });

  it("runs no pods with --no-node, and needs no root for that", async () => {
    await using directory = new UpDirectory();
    const up = await directory.start({ flags: ["--no-node", "--store", "memory"], uid: 12_345 });
    const { items } = await up.ask<{ items: readonly unknown[] }>("GET", "/api/v1/nodes");
    assert.deepEqual(items, []);
    assert.equal((await up.end("SIGTERM")).stdout.endsWith("driftless: stopped\n"), true);
  });
});

/** But for the join token, which is made in the name of whoever started it. */
function auditedUsers({ path }: UpDirectory): readonly string[] {
  const lines = readFileSync(join(path, "audit", "audit.log"), "utf8")
    .split("\n")
    .slice(0, -1);
  const users = lines
    .map((line) => JSON.parse(line) as Audited)
    .filter(({ verb, objectRef }) => verb !== "create" || objectRef?.resource !== "secrets")
    .map(({ user }) => user.username);
  return [...new Set(users)].sort();
}

interface Audited {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: { readonly resource?: string };
}
