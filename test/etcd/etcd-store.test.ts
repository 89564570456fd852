// The store's contract on real members, of both lines of versions.

import { after } from "node:test";
import { storeContract } from "../../src/storage/testing/store-contract.ts";
import { ClusterPool } from "./cluster-pool.ts";
import { etcdBinary } from "./etcd-binaries.ts";

for (const line of ["3.4", "3.5"] as const) {
  const found = await etcdBinary(line);
  const pool = new ClusterPool(found.ok ? found.path : "");
  after(() => pool[Symbol.asyncDispose]());
  storeContract({
    name: `EtcdStore on etcd ${line}`,
    isShared: true,
    ...(!found.ok && { skip: found.reason }),
    open: (options) => pool.open(options),
  });
}
