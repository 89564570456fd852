// One client has hundreds of requests under way at any time, and everybody else gets on with their work. Times are
// measured by `npm run bench -- flood`; here nothing depends on them.

import { deepEqual, equal, ok } from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { assertUnharmed } from "../hostile/victim.ts";
import { NODES, USER_NAMESPACE } from "./flood-names.ts";
import { FloodPlace } from "./flood-place.ts";
import { type FloodOperation, floodRequest } from "./flood-request.ts";
import { type Http2Answer, Http2Connection } from "./http2-connection.ts";
import { NodeLease } from "./node-lease.ts";

const SESSIONS = 4;
const STREAMS_OF_SESSION = 160;
const OPERATIONS: readonly FloodOperation[] = ["create", "update", "get", "get", "list"];
/** Each renews so often, one after the other. */
const RENEWALS = 10;
const USER_ROUNDS = 20;

const configMaps = `/api/v1/namespaces/${USER_NAMESPACE}/configmaps`;

describe("a flood of requests by one client", { timeout: 120_000 }, () => {
  let place: FloodPlace;
  before(async () => {
    place = await FloodPlace.start();
  });
  after(() => place[Symbol.asyncDispose]());

  it("lets nodes renew their leases, and another user work, without a refusal", async () => {
    await using flood = new Flood(place);
    await flood.risen();
    const [heartbeats, answers] = await Promise.all([renewAll(place), work(place)]);
    deepEqual(counted(heartbeats), { 200: NODES.length * RENEWALS });
    deepEqual(counted(answers), { 200: USER_ROUNDS * 3 });
    flood.assertHealthy();
    await assertUnharmed(place.server);
  });

  it("leaves nothing behind: the next request of the same client goes at once", async () => {
    {
      await using flood = new Flood(place);
      await flood.risen();
    }
    const connection = new Http2Connection(place.identities.flooder);
    const { path } = floodRequest("get", 0);
    equal(await connection.send({ method: "GET", path, body: "" }), 200);
    connection.close();
    deepEqual(await queued(place), []);
    await assertUnharmed(place.server);
  });

  it("refuses what does not fit into the line, with Retry-After and a Status", async () => {
    const connection = new Http2Connection(place.identities.flooder);
    // Wide, because there are many of the kind, and small to send.
    const request = { method: "GET", path: configMaps, body: "" };
    const answers = await Promise.all(
      Array.from({ length: 1500 }, () => connection.exchange(request)),
    );
    connection.close();
    const refused = answers.filter(({ status }) => status !== 200);
    ok(refused.length > 0, "nobody was refused");
    ok(refused.length < answers.length, "everybody was refused");
    for (const answer of refused) assertRefusal(answer);
    await assertUnharmed(place.server);
  });
});

/** Goes on over all floods: no name is taken twice. */
let number = 0;

class Flood implements AsyncDisposable {
  readonly #connections: readonly Http2Connection[];
  readonly #slots: readonly Promise<void>[];
  readonly #risen = Promise.withResolvers<void>();
  readonly #answers = new Map<FloodOperation, number>();
  readonly #wrong: string[] = [];
  #isOver = false;

  constructor({ identities }: FloodPlace) {
    this.#connections = Array.from(
      { length: SESSIONS },
      () => new Http2Connection(identities.flooder),
    );
    this.#slots = this.#connections.flatMap((connection) =>
      Array.from({ length: STREAMS_OF_SESSION }, (_, i) =>
        this.#slot(connection, OPERATIONS[i % OPERATIONS.length] ?? "get"),
      ),
    );
  }

  /** When each operation has been answered: from here on all requests are under way. */
  risen(): Promise<void> {
    return this.#risen.promise;
  }

  /** It was served all the time, or told to wait, and nothing else. */
  assertHealthy(): void {
    deepEqual(this.#wrong, []);
    for (const operation of OPERATIONS) ok((this.#answers.get(operation) ?? 0) > 0, operation);
  }

  /** Ends when the last request is answered. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#slots);
    for (const connection of this.#connections) connection.close();
  }

  async #slot(connection: Http2Connection, operation: FloodOperation): Promise<void> {
    while (!this.#isOver) {
      const request = floodRequest(operation, number++);
      try {
        const status = await connection.send(request);
        if (status === request.expected) this.#served(operation);
        else if (status !== 429) this.#wrong.push(`${operation}: ${status}`);
      } catch (err) {
        this.#wrong.push(`${operation}: ${String(err)}`);
        return;
      }
    }
  }

  #served(operation: FloodOperation): void {
    this.#answers.set(operation, (this.#answers.get(operation) ?? 0) + 1);
    if (this.#answers.size === new Set(OPERATIONS).size) this.#risen.resolve();
  }
}

async function renewAll({ identities }: FloodPlace): Promise<number[]> {
  const leases = identities.nodes.map((node, i) => new NodeLease(NODES[i] ?? "", node));
  const renewals = leases.flatMap((lease) => Array.from({ length: RENEWALS }, () => lease.renew()));
  const statuses = await Promise.all(renewals);
  for (const lease of leases) lease.close();
  return statuses;
}

/** Reads, lists and writes, one after the other, as somebody does with kubectl. */
async function work({ identities }: FloodPlace): Promise<number[]> {
  const connection = new Http2Connection(identities.user);
  const statuses: number[] = [];
  const path = `${configMaps}/object-0`;
  for (let round = 0; round < USER_ROUNDS; round++) {
    const object = { metadata: { name: "object-0" }, data: { round: String(round) } };
    const requests = [
      { method: "GET", path, body: "" },
      { method: "GET", path: `${configMaps}?limit=500`, body: "" },
      { method: "PUT", path, body: JSON.stringify(object) },
    ];
    for (const request of requests) statuses.push(await connection.send(request));
  }
  connection.close();
  return statuses;
}

/** Levels in which requests wait, as the metrics tell. */
async function queued({ server }: FloodPlace): Promise<readonly string[]> {
  const { text } = await server.fetch("GET", "/metrics");
  const lines = text.match(/^apiserver_flowcontrol_current_inqueue_requests\{.*$/gm) ?? [];
  ok(lines.length > 0, "the metrics do not tell who waits");
  return lines.filter((line) => !line.endsWith(" 0"));
}

function assertRefusal({ status, headers, text }: Http2Answer): void {
  equal(status, 429);
  equal(headers["retry-after"], "1");
  const { kind, reason, code, details } = JSON.parse(text) as Record<string, unknown>;
  deepEqual(
    { kind, reason, code, details },
    { kind: "Status", reason: "TooManyRequests", code: 429, details: { retryAfterSeconds: 1 } },
  );
}

function counted(statuses: readonly number[]): Readonly<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
