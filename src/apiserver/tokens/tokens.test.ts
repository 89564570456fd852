import { deepEqual, equal, notEqual, throws } from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { describe, it } from "node:test";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { type Account, API_AUDIENCES, ServiceAccountTokens } from "./service-account-tokens.ts";
import { firstOf, staticTokens } from "./static-tokens.ts";

describe("staticTokens", () => {
  const tokens = staticTokens('abc,ann,u1,"devs,ops"\n# a comment\n\ndef,bob,u2\n');

  it("knows the users of its lines", async () => {
    deepEqual(await tokens.authenticate("abc", API_AUDIENCES), {
      user: { name: "ann", uid: "u1", groups: ["devs", "ops"] },
      audiences: API_AUDIENCES,
    });
    deepEqual((await tokens.authenticate("def", API_AUDIENCES))?.user, {
      name: "bob",
      uid: "u2",
      groups: [],
    });
  });

  it("knows nobody else", async () => {
    for (const token of ["", "ab", "abcd", "# a comment"]) {
      equal(await tokens.authenticate(token, API_AUDIENCES), undefined);
    }
  });

  it("says which line is wrong, as an editor counts them", () => {
    throws(() => staticTokens("abc,ann,u1\n\n# old\nlonely\n"), /line 4 needs token,user,uid/);
  });

  it("is for this server alone, whatever audience is asked for", async () => {
    equal(await tokens.authenticate("abc", ["vault"]), undefined);
    const found = await tokens.authenticate("abc", ["vault", ...API_AUDIENCES]);
    deepEqual(found?.audiences, API_AUDIENCES);
  });

  it("can be asked after another", async () => {
    const both = firstOf(staticTokens("x,first,1"), tokens);
    equal((await both.authenticate("x", API_AUDIENCES))?.user.name, "first");
    equal((await both.authenticate("abc", API_AUDIENCES))?.user.name, "ann");
    equal(await both.authenticate("y", API_AUDIENCES), undefined);
  });
});

describe("ServiceAccountTokens", () => {
  const account: Account = { namespace: "n", name: "robot", uid: "uid-1" };

  type Found = { readonly uid: string; readonly deletionTimestamp?: string } | undefined;

  /** What a token is bound to, as it is now. */
  let bound: Found;

  function made(current: Account | undefined, clock = new FakeClock()): ServiceAccountTokens {
    const keys = generateKeyPairSync("ec", {
      namedCurve: "P-256",
      publicKeyEncoding: { type: "spki", format: "pem" },
      privateKeyEncoding: { type: "pkcs8", format: "pem" },
    });
    const find = async (kind: string): Promise<Found> =>
      kind === "serviceaccount" ? current : bound;
    return new ServiceAccountTokens({ ...keys, clock, find });
  }

  const wanted = { audiences: API_AUDIENCES, seconds: 600 };

  it("accepts its own tokens, as the account", async () => {
    const tokens = made(account);
    const { token } = await tokens.sign(account, wanted);
    deepEqual((await tokens.authenticate(token, API_AUDIENCES))?.user, {
      name: "system:serviceaccount:n:robot",
      uid: "uid-1",
      groups: ["system:serviceaccounts", "system:serviceaccounts:n"],
    });
  });

  it("refuses them when their time is over", async () => {
    const clock = new FakeClock();
    const tokens = made(account, clock);
    const { token, expiresMs } = await tokens.sign(account, wanted);
    equal(expiresMs, clock.now() + 600_000);
    await clock.step(601_000);
    equal(await tokens.authenticate(token, API_AUDIENCES), undefined);
  });

  it("refuses them when the account is gone or another one of the same name", async () => {
    for (const current of [undefined, { ...account, uid: "uid-2" }]) {
      const tokens = made(current);
      const { token } = await tokens.sign(account, wanted);
      equal(await tokens.authenticate(token, API_AUDIENCES), undefined);
    }
  });

  it("refuses them for other audiences, from other keys, and changed ones", async () => {
    const tokens = made(account);
    const elsewhere = await tokens.sign(account, { audiences: ["vault"], seconds: 600 });
    equal(await tokens.authenticate(elsewhere.token, API_AUDIENCES), undefined);
    const foreign = await made(account).sign(account, wanted);
    equal(await tokens.authenticate(foreign.token, API_AUDIENCES), undefined);
    const { token } = await tokens.sign(account, wanted);
    equal(await tokens.authenticate(`${token.slice(0, -2)}xx`, API_AUDIENCES), undefined);
    equal(await tokens.authenticate("a.b.c", API_AUDIENCES), undefined);
  });

  it("are good for the audiences that they were made for, and for no others", async () => {
    const tokens = made(account);
    const { token } = await tokens.sign(account, { audiences: ["vault", "web"], seconds: 600 });
    const found = await tokens.authenticate(token, ["web", "mail"]);
    deepEqual(found?.audiences, ["web"]);
    equal(await tokens.authenticate(token, ["mail"]), undefined);
  });

  it("end with the pod to which they are bound", async () => {
    const clock = new FakeClock();
    const tokens = made(account, clock);
    const pod = { kind: "pod", name: "p", uid: "pod-1" } as const;
    const { token } = await tokens.sign(account, { ...wanted, bound: pod });
    bound = { uid: "pod-1" };
    deepEqual((await tokens.authenticate(token, API_AUDIENCES))?.user.extra, {
      "authentication.kubernetes.io/pod-name": ["p"],
      "authentication.kubernetes.io/pod-uid": ["pod-1"],
    });
    const now = new Date(clock.now()).toISOString();
    const longAgo = new Date(clock.now() - 61_000).toISOString();
    bound = { uid: "pod-1", deletionTimestamp: now };
    notEqual(await tokens.authenticate(token, API_AUDIENCES), undefined);
    for (const gone of [
      undefined,
      { uid: "pod-2" },
      { uid: "pod-1", deletionTimestamp: longAgo },
    ]) {
      bound = gone;
      equal(await tokens.authenticate(token, API_AUDIENCES), undefined);
    }
  });
});
