// Several `driftless up` on one etcd: all serve, and the controllers of one lead.

import assert from "node:assert/strict";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Lease } from "../../src/api/types.ts";
import { etcdBinary } from "../etcd/etcd-binaries.ts";
import { EtcdCluster } from "../etcd/etcd-cluster.ts";
import { type DriftlessUp, eventually, UpDirectory } from "./driftless-up.ts";

async function leaderOf(up: DriftlessUp): Promise<string> {
  const path = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/driftless-controllers";
  const { spec } = await up.ask<Lease>("GET", path);
  return spec?.holderIdentity ?? "";
}

describe("driftless up on a store that others use too", () => {
  it("leads if nobody else does, and lets the next one lead when it stops", async (t) => {
    const etcd = await etcdBinary("3.4");
    if (!etcd.ok) return t.skip(etcd.reason);
    await using cluster = await EtcdCluster.start({ binary: etcd.path });
    const flags = ["--no-node", "--store", `etcd:${cluster.endpoints.join(",")}`];
    await using one = new UpDirectory();
    await using other = new UpDirectory();
    const first = await one.start({ flags });
    const leader = await eventually("a leader", async () => {
      const name = await leaderOf(first);
      assert.notEqual(name, "");
      return name;
    });
    // Servers of one store have one authority and one key.
    mkdirSync(other.path);
    for (const name of ["pki", "encryption.key"]) {
      cpSync(join(one.path, name), join(other.path, name), { recursive: true });
    }
    const second = await other.start({ flags });
    assert.equal(await leaderOf(second), leader);
    await first.end("SIGTERM");
    await eventually("another leader", async () => {
      assert.notEqual((await leaderOf(second)) || leader, leader);
    });
  });
});
