import { deepEqual, equal, notEqual, throws } from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { describe, it } from "node:test";
import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  type JSONWebKeySet,
  jwtVerify,
  SignJWT,
} from "jose";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { OpenIdDocuments } from "./openid-documents.ts";
import { type Account, API_AUDIENCES, ServiceAccountTokens } from "./service-account-tokens.ts";
import { SignatureCheck } from "./signature-check.ts";
import { firstOf, staticTokens } from "./static-tokens.ts";
import { TokenKeys, type TokenKeysOptions } from "./token-keys.ts";

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

  const pair = () =>
    generateKeyPairSync("ec", {
      namedCurve: "P-256",
      publicKeyEncoding: { type: "spki", format: "pem" },
      privateKeyEncoding: { type: "pkcs8", format: "pem" },
    });

  function made(
    current: Account | undefined,
    clock = new FakeClock(),
    keys: TokenKeysOptions = { privateKey: pair().privateKey, olderKeys: [] },
  ): ServiceAccountTokens {
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
      extra: { "authentication.kubernetes.io/credential-id": [`JTI=${decodeJwt(token).jti}`] },
    });
  });

  it("refuses them a minute after their time is over: clocks differ", async () => {
    const clock = new FakeClock();
    const tokens = made(account, clock);
    const { token, expiresMs } = await tokens.sign(account, wanted);
    equal(expiresMs, clock.now() + 600_000);
    await clock.step(660_000);
    notEqual(await tokens.authenticate(token, API_AUDIENCES), undefined);
    await clock.step(1000);
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
      "authentication.kubernetes.io/credential-id": [`JTI=${decodeJwt(token).jti}`],
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

  it("tell the node of their pod, and do not end with it", async () => {
    const find = async (kind: string): Promise<Found> =>
      kind === "node" ? undefined : { uid: kind === "pod" ? "pod-1" : "uid-1" };
    const keys = { privateKey: pair().privateKey, olderKeys: [] };
    const tokens = new ServiceAccountTokens({ ...keys, clock: new FakeClock(), find });
    for (const node of [{ name: "a", uid: "node-1" }, { name: "a" }]) {
      const pod = { kind: "pod", name: "p", uid: "pod-1", node } as const;
      const { token } = await tokens.sign(account, { ...wanted, bound: pod });
      const extra = (await tokens.authenticate(token, API_AUDIENCES))?.user.extra ?? {};
      deepEqual(extra["authentication.kubernetes.io/node-name"], ["a"]);
      deepEqual(extra["authentication.kubernetes.io/node-uid"], node.uid && [node.uid]);
    }
  });

  it("end with the node to which they are bound, and tell it", async () => {
    const tokens = made(account);
    const node = { kind: "node", name: "a", uid: "node-1" } as const;
    const { token } = await tokens.sign(account, { ...wanted, bound: node });
    bound = { uid: "node-1" };
    const found = await tokens.authenticate(token, API_AUDIENCES);
    deepEqual(found?.user.extra?.["authentication.kubernetes.io/node-uid"], ["node-1"]);
    bound = undefined;
    equal(await tokens.authenticate(token, API_AUDIENCES), undefined);
  });

  it("count after the key was rotated, and name the key that signed them", async () => {
    const [old, young] = [pair(), pair()];
    const before = made(account, new FakeClock(), { privateKey: old.privateKey, olderKeys: [] });
    const { token } = await before.sign(account, wanted);
    equal(decodeProtectedHeader(token).kid, before.keys.signer.id);
    const rotated = { privateKey: young.privateKey, olderKeys: [old.publicKey] };
    notEqual(
      await made(account, new FakeClock(), rotated).authenticate(token, API_AUDIENCES),
      undefined,
    );
    const forgot = { ...rotated, olderKeys: [] };
    equal(
      await made(account, new FakeClock(), forgot).authenticate(token, API_AUDIENCES),
      undefined,
    );
  });

  it("are signed with keys that others bring, of each kind that Kubernetes takes", async () => {
    const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
    const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" }).privateKey;
    for (const key of [rsa, p384]) {
      const privateKey = key.export({ type: "pkcs8", format: "pem" }) as string;
      const tokens = made(account, new FakeClock(), { privateKey, olderKeys: [] });
      const { token } = await tokens.sign(account, wanted);
      notEqual(await tokens.authenticate(token, API_AUDIENCES), undefined);
    }
  });
});

describe("SignatureCheck", () => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }) as string;
  const keys = new TokenKeys({ privateKey: pem, olderKeys: [] });

  it("checks the same token once", async () => {
    let asked = 0;
    const check = new SignatureCheck({
      candidates(id) {
        asked++;
        return keys.candidates(id);
      },
    });
    const token = await new SignJWT({ a: 1 })
      .setProtectedHeader({ alg: "ES256", kid: keys.signer.id })
      .sign(privateKey);
    deepEqual(await check.check(token), { a: 1 });
    deepEqual(await check.check(token), { a: 1 });
    equal(asked, 1);
  });

  it("takes no token that names a key of ours and was signed with another, or not at all", async () => {
    const check = new SignatureCheck(keys);
    const foreign = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
    const header = { alg: "ES256", kid: keys.signer.id };
    const forged = await new SignJWT({ a: 1 }).setProtectedHeader(header).sign(foreign);
    equal(await check.check(forged), undefined);
    const none = Buffer.from(JSON.stringify({ ...header, alg: "none" })).toString("base64url");
    equal(await check.check(`${none}.${forged.split(".")[1]}.`), undefined);
  });
});

describe("OpenIdDocuments", () => {
  it("let others check tokens: they say where the keys are, and the keys fit", async () => {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const older = generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey;
    const find = async (): Promise<undefined> => undefined;
    const tokens = new ServiceAccountTokens({
      privateKey: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
      olderKeys: [older.export({ type: "spki", format: "pem" }) as string],
      clock: new FakeClock(),
      find,
    });
    const documents = new OpenIdDocuments({ keys: tokens.keys, serverAddress: () => "a:1" });
    const read = (path: string): unknown =>
      JSON.parse(Buffer.concat(documents.answer(path)?.body ?? []).toString());
    deepEqual(read("/.well-known/openid-configuration"), {
      issuer: "https://kubernetes.default.svc",
      jwks_uri: "https://a:1/openid/v1/jwks",
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["ES256", "RS256"],
    });
    equal(documents.answer("/openid/v1/jwks")?.contentType, "application/jwk-set+json");
    equal(documents.answer("/openid/v1/jwks/"), undefined);
    const account = { namespace: "n", name: "robot", uid: "u" };
    const { token } = await tokens.sign(account, { audiences: ["web"], seconds: 600 });
    const keySet = createLocalJWKSet(read("/openid/v1/jwks") as JSONWebKeySet);
    const currentDate = new Date(new FakeClock().now());
    const { payload } = await jwtVerify(token, keySet, { audience: "web", currentDate });
    equal(payload.sub, "system:serviceaccount:n:robot");
  });
});
