import { deepEqual, equal, throws } from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { describe, it } from "node:test";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { type Account, ISSUER, ServiceAccountTokens } from "./service-account-tokens.ts";
import { firstOf, staticTokens } from "./static-tokens.ts";

describe("staticTokens", () => {
  const tokens = staticTokens('abc,ann,u1,"devs,ops"\n# a comment\n\ndef,bob,u2\n');

  it("knows the users of its lines", async () => {
    deepEqual(await tokens.authenticate("abc"), {
      name: "ann",
      uid: "u1",
      groups: ["devs", "ops"],
    });
    deepEqual(await tokens.authenticate("def"), { name: "bob", uid: "u2", groups: [] });
  });

  it("knows nobody else", async () => {
    for (const token of ["", "ab", "abcd", "# a comment"]) {
      equal(await tokens.authenticate(token), undefined);
    }
  });

  it("says which line is wrong", () => {
    throws(() => staticTokens("abc,ann,u1\nlonely\n"), /line 2 needs token,user,uid/);
  });

  it("can be asked after another", async () => {
    const both = firstOf(staticTokens("x,first,1"), tokens);
    equal((await both.authenticate("x"))?.name, "first");
    equal((await both.authenticate("abc"))?.name, "ann");
    equal(await both.authenticate("y"), undefined);
  });
});

describe("ServiceAccountTokens", () => {
  const account: Account = { namespace: "n", name: "robot", uid: "uid-1" };

  function made(current: Account | undefined, clock = new FakeClock()): ServiceAccountTokens {
    const keys = generateKeyPairSync("ec", {
      namedCurve: "P-256",
      publicKeyEncoding: { type: "spki", format: "pem" },
      privateKeyEncoding: { type: "pkcs8", format: "pem" },
    });
    return new ServiceAccountTokens({ ...keys, clock, account: async () => current });
  }

  const wanted = { audiences: [ISSUER], seconds: 600 };

  it("accepts its own tokens, as the account", async () => {
    const tokens = made(account);
    const { token } = await tokens.sign(account, wanted);
    deepEqual(await tokens.authenticate(token), {
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
    equal(await tokens.authenticate(token), undefined);
  });

  it("refuses them when the account is gone or another one of the same name", async () => {
    for (const current of [undefined, { ...account, uid: "uid-2" }]) {
      const tokens = made(current);
      const { token } = await tokens.sign(account, wanted);
      equal(await tokens.authenticate(token), undefined);
    }
  });

  it("refuses them for other audiences, from other keys, and changed ones", async () => {
    const tokens = made(account);
    const elsewhere = await tokens.sign(account, { audiences: ["vault"], seconds: 600 });
    equal(await tokens.authenticate(elsewhere.token), undefined);
    const foreign = await made(account).sign(account, wanted);
    equal(await tokens.authenticate(foreign.token), undefined);
    const { token } = await tokens.sign(account, wanted);
    equal(await tokens.authenticate(`${token.slice(0, -2)}xx`), undefined);
    equal(await tokens.authenticate("a.b.c"), undefined);
  });
});
