// Turns on authentication of a cluster: a root, and a user who may read and write some keys.

import { systemClock } from "../../src/base/clock.ts";
import { systemRandom } from "../../src/base/random.ts";
import { CaptureLogger } from "../../src/base/testing/capture-logger.ts";
import { EtcdClient } from "../../src/storage/etcd/etcd-client.ts";
import { ProtoWriter } from "../../src/storage/etcd/protobuf.ts";
import type { EtcdCluster } from "./etcd-cluster.ts";

export interface UserToAdd {
  readonly name: string;
  readonly password: string;
  /** The first of the keys that it may use, and the first after them. */
  readonly keys: readonly [start: string, end: string];
}

const readAndWrite = 2;

export async function enableAuth(cluster: EtcdCluster, user: UserToAdd): Promise<void> {
  const client = new EtcdClient({
    endpoints: cluster.endpoints,
    clock: systemClock,
    random: systemRandom,
    logger: new CaptureLogger(),
  });
  const call = async (method: string, ...texts: readonly string[]): Promise<void> => {
    const message = new ProtoWriter();
    for (const [i, text] of texts.entries()) message.text(i + 1, text);
    await send(method, message);
  };
  const send = async (method: string, message: ProtoWriter): Promise<void> => {
    const rpc = { path: `/etcdserverpb.Auth/${method}`, decode: () => undefined };
    await client.call(rpc, message.finish(), { what: method, isRepeatable: false });
  };
  const { name, password, keys } = user;
  const permission = new ProtoWriter().varint(1, readAndWrite).text(2, keys[0]).text(3, keys[1]);
  try {
    await call("UserAdd", "root", "root-password");
    await call("UserGrantRole", "root", "root").catch(async () => {
      await call("RoleAdd", "root");
      await call("UserGrantRole", "root", "root");
    });
    await call("UserAdd", name, password);
    await call("RoleAdd", "role");
    await send("RoleGrantPermission", new ProtoWriter().text(1, "role").message(2, permission));
    await call("UserGrantRole", name, "role");
    await call("AuthEnable");
  } finally {
    client.close();
  }
}
