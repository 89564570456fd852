// The same load on a bare etcd: what a store of that kind could give at best, on this machine and now.

import { performance } from "node:perf_hooks";
import { Client, credentials } from "@grpc/grpc-js";
import { ProtoWriter } from "../../src/storage/etcd/protobuf.ts";
import type { EtcdJob, Load } from "./jobs.ts";
import { Latencies } from "./latencies.ts";

const METHODS = { put: "/etcdserverpb.KV/Put", get: "/etcdserverpb.KV/Range" } as const;

export async function etcdLoad(job: EtcdJob): Promise<Load> {
  const client = new Client(new URL(job.endpoint).host, credentials.createInsecure());
  try {
    for (let i = 0; i < job.clients; i++) await call(client, "put", keyOf(i), job.bytes);
    const latencies = new Latencies();
    const untilMs = performance.now() + job.ms;
    const worker = async (_: unknown, i: number): Promise<void> => {
      while (performance.now() < untilMs) {
        const sentMs = performance.now();
        await call(client, job.operation, keyOf(i), job.bytes);
        latencies.add(performance.now() - sentMs);
      }
    };
    await Promise.all(Array.from({ length: job.clients }, worker));
    return latencies.load();
  } finally {
    client.close();
  }
}

function keyOf(client: number): Buffer {
  return Buffer.from(`/bench/configmaps/default/object-${client}`);
}

function call(client: Client, operation: "put" | "get", key: Buffer, bytes: number): Promise<void> {
  const message = new ProtoWriter().bytes(1, key);
  if (operation === "put") message.bytes(2, Buffer.alloc(bytes, "x"));
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(
      METHODS[operation],
      (request: Buffer) => request,
      (answer) => answer,
      message.finish(),
      (err) => (err === null ? resolve() : reject(err)),
    );
  });
}
