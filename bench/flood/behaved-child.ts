// Clients who behave: a node that renews its lease, a user with a few requests. They ask at fixed times, so that a
// server which stops for a while is late with all that was to be asked meanwhile, and not with one request only.

import { performance } from "node:perf_hooks";
import { clearInterval, setInterval } from "node:timers";
import { setTimeout as sleep } from "node:timers/promises";
import type { Target } from "../api/jobs.ts";
import { Latencies } from "../api/latencies.ts";
import type { BehavedJob, BehavedResult, ClientName, Times } from "./flood-jobs.ts";
import { LEASE_PATH, NODE, USER_NAMESPACE } from "./flood-place.ts";
import { Http2Connection, type Http2Request } from "./http2-connection.ts";
import { serveJob } from "./load-process.ts";

/** More often than any node does, to have enough for a p99; still few for the server. */
const HEARTBEAT_MS = 10;
const USER_MS = 30;
/** With a handshake each, as kubectl does it. */
const NEWCOMER_MS = 100;

serveJob(behave);

async function behave(job: BehavedJob): Promise<BehavedResult> {
  await measured({ ...job, ms: job.warmUpMs });
  return measured(job);
}

async function measured({ node, user, ms }: BehavedJob): Promise<BehavedResult> {
  const [nodeConnection, userConnection] = [new Http2Connection(node), new Http2Connection(user)];
  const asNode = (request: Http2Request): Promise<number> => nodeConnection.send(request);
  const asUser = (request: Http2Request): Promise<number> => userConnection.send(request);
  const configMaps = `/api/v1/namespaces/${USER_NAMESPACE}/configmaps`;
  const object = (n: number): string => `${configMaps}/object-${n % 10}`;
  const clients: Readonly<Record<ClientName, Client>> = {
    heartbeat: { everyMs: HEARTBEAT_MS, send: asNode, request: () => put(LEASE_PATH, lease()) },
    get: { everyMs: USER_MS, send: asUser, request: (n) => get(object(n)) },
    // As kubectl asks.
    "list of 10": { everyMs: USER_MS, send: asUser, request: () => get(`${configMaps}?limit=500`) },
    update: {
      everyMs: USER_MS,
      send: asUser,
      request: (n) =>
        put(object(n), { metadata: { name: `object-${n % 10}` }, data: { n: String(n) } }),
    },
    "get by a newcomer": {
      everyMs: NEWCOMER_MS,
      send: (request) => once(user, request),
      request: (n) => get(object(n)),
    },
  };
  try {
    // Each connection is there before the first that counts.
    await Promise.all([asNode(get(LEASE_PATH)), asUser(get(object(0)))]);
    const results = Object.entries(clients).map(
      async ([name, client]) => [name, await ask(client, ms)] as const,
    );
    return Object.fromEntries(await Promise.all(results)) as BehavedResult;
  } finally {
    nodeConnection.close();
    userConnection.close();
  }
}

interface Client {
  readonly everyMs: number;
  readonly request: (n: number) => Http2Request;
  readonly send: (request: Http2Request) => Promise<number>;
}

async function ask({ everyMs, request, send }: Client, ms: number): Promise<Times> {
  const latencies = new Latencies();
  const asked: Promise<void>[] = [];
  let failed = 0;
  const one = async (n: number): Promise<void> => {
    const sentMs = performance.now();
    const status = await send(request(n)).catch(() => 0);
    latencies.add(performance.now() - sentMs);
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

function get(path: string): Http2Request {
  return { method: "GET", path, body: "" };
}

function put(path: string, object: object): Http2Request {
  return { method: "PUT", path, body: JSON.stringify(object) };
}

/** As a kubelet writes it. */
function lease(): object {
  return {
    metadata: { name: NODE, namespace: "kube-node-lease" },
    spec: {
      holderIdentity: NODE,
      leaseDurationSeconds: 40,
      renewTime: new Date(performance.timeOrigin + performance.now())
        .toISOString()
        .replace("Z", "000Z"),
    },
  };
}
