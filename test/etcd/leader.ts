// Which member leads, as the members themselves say.

import { Metadata } from "@grpc/grpc-js";
import { systemClock } from "../../src/base/clock.ts";
import { Endpoint } from "../../src/storage/etcd/endpoint.ts";
import type { Rpc } from "../../src/storage/etcd/messages.ts";
import { ProtoReader } from "../../src/storage/etcd/protobuf.ts";
import type { EtcdMember } from "./etcd-cluster.ts";
import { until } from "./traffic.ts";

interface Roles {
  readonly id: bigint;
  readonly leader: bigint;
}

const rolesRpc: Rpc<Roles> = {
  path: "/etcdserverpb.Maintenance/Status",
  decode(answer) {
    const reader = new ProtoReader(answer);
    let id = 0n;
    let leader = 0n;
    for (let field = reader.next(); field !== 0; field = reader.next()) {
      if (field === 1) id = memberId(reader.message());
      else if (field === 4) leader = reader.bigint();
      else reader.skip();
    }
    return { id, leader };
  },
};

/** Resolves with the member that leads, once there is one among `members`. */
export async function leaderAmong(members: readonly EtcdMember[]): Promise<EtcdMember> {
  let found: EtcdMember | undefined;
  const endpoints = members.map(({ url }) => new Endpoint(url, undefined, systemClock));
  let isAsking = false;
  const ask = async (): Promise<void> => {
    isAsking = true;
    const options = { metadata: new Metadata(), timeoutMs: 500 };
    for (const [i, endpoint] of endpoints.entries()) {
      const roles = await endpoint.unary(rolesRpc, Buffer.alloc(0), options).catch(() => undefined);
      if (roles !== undefined && roles.id === roles.leader) found = members[i];
    }
    isAsking = false;
  };
  try {
    await until(() => {
      if (!isAsking && found === undefined) void ask();
      return found !== undefined;
    }, "a member leads");
  } finally {
    for (const endpoint of endpoints) endpoint.close();
  }
  return found as unknown as EtcdMember;
}

function memberId(header: ProtoReader): bigint {
  for (let field = header.next(); field !== 0; field = header.next()) {
    if (field === 2) return header.bigint();
    header.skip();
  }
  return 0n;
}
