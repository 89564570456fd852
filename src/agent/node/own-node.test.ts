import { deepEqual, equal, match } from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { alreadyExists, forbidden, notFound } from "../../api/status-error.ts";
import { type FakeClientParts, fakeClient } from "../../client/testing/fake-client.ts";
import { objectTtlMs } from "../objects/object-ttl.ts";
import { NODES, type NodeObject } from "./node-kinds.ts";
import { OwnNode } from "./own-node.ts";

const labels = { "kubernetes.io/os": "linux" };

interface Running extends FakeClientParts {
  readonly own: OwnNode;
  readonly calls: string[];
  readonly changes: (string | undefined)[];
}

function running(
  t: TestContext,
  given: { readonly exists: boolean; readonly refusals?: readonly Error[] },
): Running {
  const parts = fakeClient();
  const { server, client, clock, random, logger } = parts;
  if (given.exists) server.put("n1");
  const calls: string[] = [];
  const refusals = [...(given.refusals ?? [])];
  const held = (): NodeObject => {
    const found = server.state.find(({ metadata }) => metadata.name === "n1");
    if (found === undefined) throw notFound(NODES, "n1");
    return found as NodeObject;
  };
  const called = (call: string): void => {
    calls.push(call);
    const refusal = refusals.shift();
    if (refusal !== undefined) throw refusal;
  };
  const nodes = {
    get: async () => {
      called("get");
      return held();
    },
    create: async () => {
      called("create");
      server.put("n1");
      return held();
    },
    patch: async (_: object, body: object) => {
      called(`patch ${JSON.stringify(body)}`);
      return held();
    },
  };
  const own = new OwnNode({ nodeName: "n1", labels, client, nodes, clock, random, logger });
  const changes: (string | undefined)[] = [];
  own.onChange(() => changes.push(own.object?.metadata.resourceVersion));
  const stop = new AbortController();
  const ended = own.run(stop.signal);
  t.after(async () => {
    stop.abort();
    await ended;
  });
  return { ...parts, own, calls, changes };
}

const withLabels = 'patch {"metadata":{"uid":"uid-1","labels":{"kubernetes.io/os":"linux"}}}';

describe("OwnNode", () => {
  it("finds the Node that joining made, and gives it the labels that it lacks", async (t) => {
    const { own, calls, clock } = running(t, { exists: true });
    await clock.step(0);
    deepEqual(calls, ["get", withLabels]);
    equal(own.uid, "uid-1");
  });

  it("makes the Node if there is none", async (t) => {
    const { own, calls, clock } = running(t, { exists: false });
    await clock.step(0);
    deepEqual(calls, ["get", "create", withLabels]);
    equal(own.uid, "uid-1");
  });

  it("takes the Node that somebody else made at the same moment", async (t) => {
    const refusals = [notFound(NODES, "n1"), alreadyExists(NODES, "n1")];
    const { own, calls, clock } = running(t, { exists: true, refusals });
    await clock.step(0);
    deepEqual(calls, ["get", "create", "get", withLabels]);
    equal(own.uid, "uid-1");
  });

  it("waits for a server that is away or refuses, and tells of it once", async (t) => {
    const refusals = Array<Error>(3).fill(forbidden(NODES, "n1", "the node was deleted"));
    const { own, calls, clock, logger } = running(t, { exists: true, refusals });
    await clock.step(150 + 300 + 600 - 1);
    equal(calls.length, 3);
    equal(own.object, undefined);
    await clock.step(1);
    equal(own.uid, "uid-1");
    deepEqual(
      logger.records.map(({ message }) => message),
      ["cannot register this node", "works again"],
    );
  });

  it("follows it, and takes nothing older than what was written", async (t) => {
    const { own, clock, server, changes } = running(t, { exists: true });
    await clock.step(0);
    const wrote = structuredClone(own.object) as NodeObject;
    wrote.metadata.resourceVersion = "103";
    wrote.metadata.annotations = { "node.alpha.kubernetes.io/ttl": "30" };
    own.wrote(wrote);
    equal(objectTtlMs(own.object), 30_000);
    const before = changes.length;
    server.put("n1"); // 102: what was written is newer.
    await clock.step(0);
    equal(objectTtlMs(own.object), 30_000);
    server.put("n1"); // 103
    server.put("n1"); // 104
    await clock.step(0);
    equal(objectTtlMs(own.object), undefined);
    equal(changes.at(-1), "104");
    equal(changes.length - before, 2);
  });

  it("does not make it again when it is deleted, and says what that means", async (t) => {
    const { own, calls, clock, server, logger } = running(t, { exists: true });
    await clock.step(0);
    const wrote = own.object as NodeObject;
    server.remove("n1");
    await clock.step(60_000);
    equal(own.object, undefined);
    own.wrote(wrote); // An answer that was under way.
    equal(own.object, undefined);
    deepEqual(calls, ["get", withLabels]);
    match(logger.records.at(-1)?.message ?? "", /was deleted: it is locked out until it joins/);
    server.put("n1");
    await clock.step(60_000);
    equal(own.uid, "uid-2");
    match(logger.records.at(-1)?.message ?? "", /was made anew/);
  });
});
