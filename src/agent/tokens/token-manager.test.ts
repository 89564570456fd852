import { deepEqual, equal, match, notEqual, ok, rejects } from "node:assert/strict";
import { describe, it } from "node:test";
import { inspect } from "node:util";
import { testTokens } from "./testing/token-server.ts";
import { type HeldToken, refreshTime, type TokenDemand, tokenKey } from "./token-manager.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const { signal } = new AbortController();

const demand: TokenDemand = {
  namespace: "shop",
  name: "web",
  audiences: ["vault"],
  expirationSeconds: 3600,
  pod: { name: "web-1", uid: "pod-1" },
};

function textOf({ token }: HeldToken): string {
  return Buffer.from(token.reveal()).toString();
}

describe("TokenManager", () => {
  it("asks for a token that is bound to the pod, and gives the same one again", async () => {
    const { tokens, server } = testTokens();
    equal(tokens.peek(demand), undefined);
    equal(textOf(await tokens.get(demand, signal)), "token-1");
    equal(textOf(await tokens.get(demand, signal)), "token-1");
    equal(tokens.peek(demand)?.token.reveal().length, "token-1".length);
    deepEqual(server.asked, [
      {
        path: "/api/v1/namespaces/shop/serviceaccounts/web/token",
        spec: {
          audiences: ["vault"],
          expirationSeconds: 3600,
          boundObjectRef: { apiVersion: "v1", kind: "Pod", name: "web-1", uid: "pod-1" },
        },
      },
    ]);
  });

  it("P1: keeps a token of an hour for 10 minutes and has a new one after 50", async () => {
    const { tokens, clock } = testTokens();
    await tokens.get(demand, signal);
    await clock.step(10 * MINUTE_MS);
    equal(textOf(await tokens.get(demand, signal)), "token-1");
    await clock.step(40 * MINUTE_MS);
    equal(tokens.peek(demand), undefined);
    equal(textOf(await tokens.get(demand, signal)), "token-2");
  });

  it("has a new one in time although the clock was set back by hours", async () => {
    const { tokens, clock } = testTokens();
    await tokens.get(demand, signal);
    const now = clock.now.bind(clock);
    clock.now = () => now() - 5 * HOUR_MS;
    await clock.step(10 * MINUTE_MS);
    equal(textOf(await tokens.get(demand, signal)), "token-1");
    await clock.step(40 * MINUTE_MS);
    equal(textOf(await tokens.get(demand, signal)), "token-2");
  });

  it("P2: has a new one after a day, however long the old one would live", async () => {
    const { tokens, clock } = testTokens();
    const long = { ...demand, expirationSeconds: 60 * 3600 };
    await tokens.get(long, signal);
    await clock.step(23 * HOUR_MS);
    equal(textOf(await tokens.get(long, signal)), "token-1");
    await clock.step(2 * HOUR_MS);
    equal(textOf(await tokens.get(long, signal)), "token-2");
  });

  it("P3: has a new one when the old one has expired", async () => {
    const { tokens, clock } = testTokens();
    await tokens.get(demand, signal);
    await clock.step(70 * MINUTE_MS);
    equal(textOf(await tokens.get(demand, signal)), "token-2");
  });

  it("P4: keeps a token of unknown life to its end", async () => {
    const { tokens, server, clock } = testTokens();
    server.isVague = true;
    await tokens.get(demand, signal);
    await clock.step(59 * MINUTE_MS);
    equal(textOf(await tokens.get(demand, signal)), "token-1");
  });

  it("P5: gives the old token if there is no new one and it is valid, and tries again later", async () => {
    const { tokens, server, clock, logger } = testTokens();
    await tokens.get(demand, signal);
    await clock.step(50 * MINUTE_MS);
    server.failure = "not now";
    equal(textOf(await tokens.get(demand, signal)), "token-1");
    equal(logger.records[0]?.message, "token could not be refreshed");
    equal(textOf(await tokens.get(demand, signal)), "token-1");
    equal(server.asked.length, 2);
    await clock.step(11_000);
    server.failure = undefined;
    equal(textOf(await tokens.get(demand, signal)), "token-3");
  });

  it("does not wait long for a new token while the old one is valid", async () => {
    const { tokens, server, clock } = testTokens();
    await tokens.get(demand, signal);
    await clock.step(50 * MINUTE_MS);
    server.hangs = true;
    const waiting = tokens.get(demand, signal);
    await clock.step(5_001);
    equal(textOf(await waiting), "token-1");
  });

  it("says that there is no token yet, in the original's words", async () => {
    const { tokens, server } = testTokens();
    server.failure = 'serviceaccounts "web" is forbidden';
    await rejects(
      tokens.get(demand, signal),
      new Error('failed to fetch token: serviceaccounts "web" is forbidden'),
    );
  });

  it("says that the token has expired, in the original's words", async () => {
    const { tokens, server, clock } = testTokens();
    await tokens.get(demand, signal);
    await clock.step(61 * MINUTE_MS);
    server.failure = "no";
    const message =
      'token "web"/"shop"/[]string{"vault"}/3600/v1.BoundObjectReference{Kind:"Pod", APIVersion:"v1", Name:"web-1", UID:"pod-1"}/"" expired and refresh failed: no';
    await rejects(tokens.get(demand, signal), new Error(message));
  });

  it("stops at once when nobody waits any more", async () => {
    const { tokens, server } = testTokens();
    server.hangs = true;
    const controller = new AbortController();
    const waiting = tokens.get(demand, controller.signal);
    controller.abort(new Error("the agent ends"));
    await rejects(waiting, new Error("the agent ends"));
  });

  it("P6: has another token for another service account of the same name", async () => {
    const { tokens } = testTokens();
    equal(textOf(await tokens.get({ ...demand, uid: "sa-1" }, signal)), "token-1");
    equal(textOf(await tokens.get({ ...demand, uid: "sa-2" }, signal)), "token-2");
    equal(textOf(await tokens.get({ ...demand, uid: "sa-1" }, signal)), "token-1");
  });

  it("P7: forgets the tokens of a pod, and no others", async () => {
    const { tokens } = testTokens();
    const other = { ...demand, pod: { name: "web-2", uid: "pod-2" } };
    await tokens.get(demand, signal);
    await tokens.get({ ...demand, audiences: [] }, signal);
    await tokens.get(other, signal);
    tokens.forgetPod("pod-1");
    equal(tokens.peek(demand), undefined);
    notEqual(tokens.peek(other), undefined);
    equal(tokens.size, 1);
  });

  it("P8: drops tokens that have expired, and no others", async () => {
    const { tokens, clock } = testTokens();
    await tokens.get(demand, signal);
    await tokens.get({ ...demand, expirationSeconds: 7200 }, signal);
    await clock.step(61 * MINUTE_MS);
    await tokens.get({ ...demand, audiences: ["third"] }, signal);
    equal(tokens.size, 2);
    equal(tokens.peek(demand), undefined);
  });

  it("does not ask without end a server whose tokens live for seconds", async () => {
    const { tokens, server, clock } = testTokens({ next: () => 0.99, uint32: () => 0 });
    server.lifeSeconds = 5;
    await tokens.get(demand, signal);
    await clock.step(1_000);
    equal(textOf(await tokens.get(demand, signal)), "token-1");
    equal(server.asked.length, 1);
  });

  it("G9: shows no token when what it holds is printed", async () => {
    const { tokens } = testTokens();
    const held = await tokens.get(demand, signal);
    ok(!inspect(held, { depth: 9 }).includes("token-1"));
    ok(!JSON.stringify(held).includes("token-1"));
  });
});

describe("tokenKey", () => {
  const others: Readonly<Record<string, TokenDemand>> = {
    name: { ...demand, name: "other" },
    namespace: { ...demand, namespace: "other" },
    audience: { ...demand, audiences: ["other"] },
    expiry: { ...demand, expirationSeconds: 600 },
    "bound pod": { ...demand, pod: { name: "web-1", uid: "other" } },
    uid: { ...demand, uid: "other" },
  };
  for (const [what, other] of Object.entries(others)) {
    it(`P9: differs with the ${what}`, () => notEqual(tokenKey(other), tokenKey(demand)));
  }

  it("writes what is not given as the original does", () => {
    match(
      tokenKey({ ...demand, audiences: [], expirationSeconds: undefined }),
      /\[\]string\(nil\)\/0\//,
    );
  });
});

describe("refreshTime", () => {
  it("is earlier by the jitter", () => {
    const of = { expiresMs: HOUR_MS, lifeSeconds: 3600 };
    equal(refreshTime({ ...of, jitterMs: 0 }), 48 * MINUTE_MS);
    equal(refreshTime({ ...of, jitterMs: 9_000 }), 48 * MINUTE_MS - 9_000);
  });
});
