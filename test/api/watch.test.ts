// Watches over real connections, where what matters is how bytes flow: much at once, slow clients, clients that leave.

import { deepEqual, equal, match } from "node:assert/strict";
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import { request } from "node:https";
import { after, before, describe, it } from "node:test";
import { DriftlessServer, readCredentials } from "../support/driftless-server.ts";

interface Event {
  readonly type: string;
  readonly object: {
    readonly metadata?: { readonly name?: string; readonly namespace?: string };
    readonly code?: number;
    readonly message?: string;
  };
}

let server: DriftlessServer;
before(async () => {
  server = await DriftlessServer.start({ flags: ["--store", "memory"] });
});
after(() => server[Symbol.asyncDispose]());

async function create(path: string, body: object): Promise<void> {
  const answer = await server.fetch("POST", path, body);
  equal(answer.status, 201, answer.text);
}

function eventsOf(text: string): Event[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Event);
}

/** Everything until the server ends it. */
function watchOverHttp1(path: string): Promise<Event[]> {
  return new Promise((resolve, reject) => {
    const credentials = readCredentials(server.kubeconfig);
    const sent = request(`${server.url}${path}`, { ...credentials, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve(eventsOf(Buffer.concat(chunks).toString())));
      response.on("error", reject);
    });
    sent.on("error", reject);
    sent.end();
  });
}

function session(): ClientHttp2Session {
  return connect(server.url, readCredentials(server.kubeconfig));
}

async function watchOverHttp2(path: string): Promise<Event[]> {
  const client = session();
  try {
    return await new Promise((resolve, reject) => {
      const stream: ClientHttp2Stream = client.request({ ":path": path });
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => resolve(eventsOf(Buffer.concat(chunks).toString())));
      stream.on("error", reject);
      stream.end();
    });
  } finally {
    client.close();
  }
}

const typesOf = (events: readonly Event[]): string => events.map(({ type }) => type).join(" ");

describe("a watch", () => {
  it("brings any amount of state, and then what happens", async () => {
    await create("/api/v1/namespaces", { metadata: { name: "large" } });
    const path = "/api/v1/namespaces/large/configmaps";
    const data = { text: "x".repeat(900_000) };
    for (let i = 0; i < 8; i++) await create(path, { metadata: { name: `c${i}` }, data });
    const query =
      "watch=1&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=4";
    const watches = [watchOverHttp1(`${path}?${query}`), watchOverHttp2(`${path}?${query}`)];
    const initial = `${"ADDED ".repeat(8)}BOOKMARK`;
    for (const events of await Promise.all(watches)) equal(typesOf(events), initial);
  });

  it("sees nothing of other namespaces, whatever else it selects", async () => {
    for (const name of ["mine", "yours"])
      await create("/api/v1/namespaces", { metadata: { name } });
    const spec = { nodeName: "n1", containers: [{ name: "c", image: "i" }] };
    const watching = watchOverHttp1(
      "/api/v1/namespaces/mine/pods?watch=1&fieldSelector=spec.nodeName%3Dn1&timeoutSeconds=3",
    );
    await server.fetch("GET", "/readyz");
    for (const namespace of ["yours", "mine"]) {
      await create(`/api/v1/namespaces/${namespace}/pods`, { metadata: { name: "p" }, spec });
    }
    deepEqual(
      (await watching).map(({ type, object }) => `${type} ${object.metadata?.namespace}`),
      ["ADDED mine"],
    );
  });

  it("of a version that is no longer known is told to list again", async () => {
    // A restarted server knows only so much of the past: the store has forgotten the rest.
    const flags = ["--compaction-interval", "1"];
    await using other = await DriftlessServer.start({ flags });
    const patch = (round: number): Promise<unknown> =>
      other.fetch(
        "PATCH",
        "/api/v1/namespaces/default",
        { metadata: { labels: { round: String(round) } } },
        { "content-type": "application/merge-patch+json" },
      );
    const list = "/api/v1/namespaces?resourceVersion=1&resourceVersionMatch=Exact";
    let round = 0;
    for (; (await other.fetch("GET", list)).status !== 410; round++) {
      await patch(round);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    const { dataDir, port } = other;
    await other.stop();
    await using again = await DriftlessServer.start({ dataDir, port, flags });
    const { text } = await again.fetch("GET", "/api/v1/namespaces?watch=1&resourceVersion=1");
    const [event, ...rest] = eventsOf(text);
    equal(event?.type, "ERROR");
    equal(event.object.code, 410);
    match(event.object.message ?? "", /^too old resource version: 1 \(\d+\)$/);
    equal(rest.length, 0);
  });
});
