import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { describe, it } from "node:test";
import type { ApiObject } from "../../api/object.ts";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { seededRandom } from "../../base/testing/seeded-random.ts";
import { API_AUDIENCES } from "../tokens/service-account-tokens.ts";
import type { UserInfo } from "../user.ts";
import { JoinTokens } from "./join-tokens.ts";
import { type StoredObjects, storedObjects } from "./testing/stored-objects.ts";
import { newToken, parseToken, type TokenSecretOptions, tokenSecret } from "./token-secret.ts";

const text = { id: "abcdef", secret: "0123456789abcdef" };
const bearer = "abcdef.0123456789abcdef";
const key = "kube-system/bootstrap-token-abcdef";
const machine = { key: "sha256:aa", nodeName: "n1" } as const;

interface Running extends AsyncDisposable {
  readonly clock: FakeClock;
  readonly stored: StoredObjects;
  readonly tokens: JoinTokens;
  readonly user: () => Promise<UserInfo | undefined>;
}

/** With one token, good for an hour. */
async function running(options: Partial<TokenSecretOptions> = {}): Promise<Running> {
  const clock = new FakeClock();
  const stored = await storedObjects();
  const expiresMs = clock.now() + 3600_000;
  const defaults = { salt: "5a17", expiresMs, nodeName: "", description: "" };
  await stored.create(stored.secrets, tokenSecret({ ...text, ...defaults, ...options }));
  const { objects, secrets } = stored;
  const tokens = new JoinTokens({ objects, secrets, clock, logger: new CaptureLogger() });
  return {
    clock,
    stored,
    tokens,
    user: async () => (await tokens.authenticate(bearer, API_AUDIENCES))?.user,
    [Symbol.asyncDispose]: () => stored[Symbol.asyncDispose](),
  };
}

/** As kubeadm and others make them. */
function foreign(data: Readonly<Record<string, string>>): ApiObject {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "bootstrap-token-000000", namespace: "kube-system" },
    type: "bootstrap.kubernetes.io/token",
    stringData: { "token-id": "000000", "token-secret": "0".repeat(16), ...data },
  };
}

describe("JoinTokens", () => {
  it("knows who brings a token: a bootstrapper, and for which node", async () => {
    await using plain = await running();
    deepEqual(await plain.user(), {
      name: "system:bootstrap:abcdef",
      groups: ["system:bootstrappers"],
    });
    await using named = await running({ nodeName: "n1" });
    deepEqual((await named.user())?.extra, { "driftless.dev/node-name": ["n1"] });
  });

  it("knows no other text, and none for other audiences", async () => {
    await using at = await running();
    for (const other of [
      "abcdef.0123456789abcdee",
      "abcdeg.0123456789abcdef",
      "abcdef",
      "abcdef.",
    ]) {
      equal(await at.tokens.authenticate(other, API_AUDIENCES), undefined);
    }
    equal(await at.tokens.authenticate(bearer, ["vault"]), undefined);
  });

  it("knows a token until it is over, or deleted", async () => {
    await using at = await running();
    await at.clock.step(3599_000);
    equal((await at.user())?.name, "system:bootstrap:abcdef");
    await at.clock.step(1000);
    equal(await at.user(), undefined);
    await rejects(
      at.tokens.bind("abcdef", machine),
      /"abcdef" is over or was deleted: make a new one/,
    );
    await using gone = await running();
    await gone.stored.delete(gone.stored.secrets, key);
    equal(await gone.user(), undefined);
  });

  it("takes tokens that others keep in plain, with their groups", async () => {
    await using at = await running();
    const { stored, tokens } = at;
    const usage = { "usage-bootstrap-authentication": "true" };
    const groups = "system:bootstrappers:b,system:bootstrappers:a";
    await stored.create(stored.secrets, foreign({ ...usage, "auth-extra-groups": groups }));
    const found = await tokens.authenticate(`000000.${"0".repeat(16)}`, API_AUDIENCES);
    deepEqual(found?.user.groups, [
      "system:bootstrappers",
      "system:bootstrappers:a",
      "system:bootstrappers:b",
    ]);
  });

  it("takes no token that is for something else, or that cannot be read", async () => {
    const usage = { "usage-bootstrap-authentication": "true" };
    const bad: readonly Readonly<Record<string, string>>[] = [
      {},
      { ...usage, expiration: "tomorrow" },
      { ...usage, "auth-extra-groups": "system:masters" },
      { ...usage, "token-id": "111111" },
    ];
    for (const data of bad) {
      await using at = await running();
      await at.stored.create(at.stored.secrets, foreign(data));
      equal(await at.tokens.authenticate(`000000.${"0".repeat(16)}`, API_AUDIENCES), undefined);
    }
  });

  it("gives a token to the first machine, and refuses the second", async () => {
    await using at = await running();
    await at.tokens.bind("abcdef", machine);
    await at.tokens.bind("abcdef", machine);
    await rejects(
      at.tokens.bind("abcdef", { ...machine, key: "sha256:bb" }),
      /used by another machine, for the node "n1"/,
    );
    await rejects(
      at.tokens.bind("abcdef", { ...machine, nodeName: "n2" }),
      /used by this machine for the node "n1"/,
    );
  });

  it("gives a token to one of two machines that come at the same time", async () => {
    await using at = await running();
    const results = await Promise.allSettled(
      ["sha256:aa", "sha256:bb", "sha256:cc"].map((one) =>
        at.tokens.bind("abcdef", { key: one as "sha256:aa", nodeName: "n1" }),
      ),
    );
    equal(results.filter(({ status }) => status === "fulfilled").length, 1);
  });

  it("refuses a token that names another node", async () => {
    await using at = await running({ nodeName: "n9" });
    await rejects(at.tokens.bind("abcdef", machine), /is for the node "n9", not for "n1"/);
  });

  it("removes the tokens that are over, and no others", async () => {
    await using at = await running();
    const { clock, stored, tokens } = at;
    const usage = { "usage-bootstrap-authentication": "true" };
    await stored.create(stored.secrets, foreign(usage));
    const stop = new AbortController();
    const ended = tokens.run(stop.signal);
    await clock.step(3599_000);
    equal(stored.secrets.cache.size, 2);
    await clock.step(61_000);
    equal(stored.secrets.cache.size, 1);
    match([...stored.secrets.cache.list("")][0]?.key ?? "", /000000$/);
    stop.abort();
    await ended;
  });
});

describe("newToken", () => {
  it("makes tokens that can be parsed, and never the same twice", () => {
    const random = seededRandom(7);
    const made = Array.from({ length: 100 }, () => newToken(random));
    for (const token of made) deepEqual(parseToken(`${token.id}.${token.secret}`), token);
    equal(new Set(made.map(({ secret }) => secret)).size, 100);
  });
});
