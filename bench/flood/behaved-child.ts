// Clients who behave: nodes that renew their leases, a user with a few requests. They ask at fixed times, so that a
// server which stops for a while is late with all that was to be asked meanwhile, and not with one request only.

import { performance } from "node:perf_hooks";
import { clearInterval, setInterval } from "node:timers";
import { setTimeout as sleep } from "node:timers/promises";
import { NODES, USER_NAMESPACE } from "../../test/flood/flood-names.ts";
import { Http2Connection, type Http2Request } from "../../test/flood/http2-connection.ts";
import { NodeLease } from "../../test/flood/node-lease.ts";
import type { Target } from "../api/jobs.ts";
import { Latencies } from "../api/latencies.ts";
import type { BehavedJob, BehavedResult, ClientName, Times } from "./flood-jobs.ts";
import { serveJob } from "./load-process.ts";

/** All together more often than any node does, to have enough for a p99; still few for the server. */
const HEARTBEAT_MS = 10;
const USER_MS = 30;
/** With a handshake each, as kubectl does it. */
const NEWCOMER_MS = 100;

const configMaps = `/api/v1/namespaces/${USER_NAMESPACE}/configmaps`;

serveJob(behave);

async function behave(job: BehavedJob): Promise<BehavedResult> {
  await measured({ ...job, ms: job.warmUpMs });
  return measured(job);
}

async function measured({ nodes, user, ms }: BehavedJob): Promise<BehavedResult> {
  const connection = new Http2Connection(user);
  const leases = nodes.map((target, i) => new NodeLease(NODES[i] ?? "", target));
  const asUser = (make: (n: number) => Http2Request): Client => ({
    everyMs: USER_MS,
    ask: (n) => connection.send(make(n)),
  });
  const clients: Readonly<Record<ClientName, Client>> = {
    heartbeat: {
      everyMs: HEARTBEAT_MS,
      ask: async (n) => (await leases[n % leases.length]?.renew()) ?? 0,
    },
    get: asUser((n) => get(n)),
    // As kubectl asks.
    "list of 10": asUser(() => ({ method: "GET", path: `${configMaps}?limit=500`, body: "" })),
    update: asUser((n) => put(n)),
    "get by a newcomer": { everyMs: NEWCOMER_MS, ask: (n) => once(user, get(n)) },
  };
  try {
    // Each connection is there before the first that counts.
    await Promise.all([...leases.map((lease) => lease.renew()), connection.send(get(0))]);
    const results = Object.entries(clients).map(
      async ([name, client]) => [name, await timesOf(client, ms)] as const,
    );
    return Object.fromEntries(await Promise.all(results)) as BehavedResult;
  } finally {
    for (const each of [connection, ...leases]) each.close();
  }
}

interface Client {
  readonly everyMs: number;
  /** The status; 200 is right. */
  readonly ask: (n: number) => Promise<number>;
}

async function timesOf({ everyMs, ask }: Client, ms: number): Promise<Times> {
  const latencies = new Latencies();
  const asked: Promise<void>[] = [];
  let failed = 0;
  const one = async (n: number): Promise<void> => {
    const sinceMs = performance.now();
    const status = await ask(n).catch(() => 0);
    latencies.add(performance.now() - sinceMs);
    if (status !== 200) failed++;
  };
  const timer = setInterval(() => asked.push(one(asked.length)), everyMs);
  await sleep(ms);
  clearInterval(timer);
  await Promise.all(asked);
  const { operations, p50Ms, p99Ms, maxMs } = latencies.load();
  return { count: operations, failed, p50Ms, p99Ms, maxMs };
}

async function once(target: Target, request: Http2Request): Promise<number> {
  const connection = new Http2Connection(target);
  try {
    return await connection.send(request);
  } finally {
    connection.close();
  }
}

function get(n: number): Http2Request {
  return { method: "GET", path: `${configMaps}/object-${n % 10}`, body: "" };
}

function put(n: number): Http2Request {
  const name = `object-${n % 10}`;
  const object = { metadata: { name }, data: { n: String(n) } };
  return { method: "PUT", path: `${configMaps}/${name}`, body: JSON.stringify(object) };
}
