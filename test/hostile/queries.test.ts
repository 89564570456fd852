// Queries and headers of lists and watches: selectors, tokens, versions and times that nobody was given.

import { equal, match, ok } from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { DriftlessServer } from "../support/driftless-server.ts";
import { assertUnharmed, startVictim, statusOf } from "./victim.ts";

let server: DriftlessServer;
before(async () => {
  server = await startVictim();
  for (const namespace of ["mine", "yours"]) {
    await server.fetch("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
    for (const name of ["a", "b", "c"]) {
      const path = `/api/v1/namespaces/${namespace}/configmaps`;
      equal((await server.fetch("POST", path, { metadata: { name } })).status, 201);
    }
  }
});
after(() => server[Symbol.asyncDispose]());
afterEach(() => assertUnharmed(server));

const path = "/api/v1/namespaces/mine/configmaps";

async function list(query: Readonly<Record<string, string>>): Promise<{
  readonly code: number;
  readonly message: string;
  readonly names: readonly string[];
}> {
  const { status, text } = await server.fetch(
    "GET",
    `${path}?${new URLSearchParams(query).toString()}`,
  );
  const { items = [] } = JSON.parse(text) as {
    items?: { metadata: { name: string; namespace: string } }[];
  };
  const names = items
    .filter(({ metadata }) => metadata.name.length === 1)
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  return { code: status, message: status === 200 ? "" : statusOf(text).message, names };
}

describe("a selector", () => {
  const many = (text: (i: number) => string, count: number): string =>
    Array.from({ length: count }, (_, i) => text(i)).join();

  it("of tens of thousands of terms selects as any other does", async () => {
    equal((await list({ labelSelector: many((i) => `!k${i}`, 20_000) })).names.length, 3);
    equal(
      (await list({ labelSelector: `a in (${many((i) => `v${i}`, 20_000)})` })).names.length,
      0,
    );
    const field = many(() => "metadata.name=a", 9000);
    equal((await list({ fieldSelector: field })).names.length, 1);
  });

  it("with tens of thousands of mistakes is refused in few words", async () => {
    const { code, message } = await list({
      labelSelector: `a in (${many((i) => `-${i}`, 20_000)})`,
    });
    equal(code, 400);
    ok(message.length < 100_000);
  });

  it("that is no selector is refused", async () => {
    for (const labelSelector of ["!".repeat(50_000), `a in ${"(".repeat(50_000)}`, "=,"]) {
      equal((await list({ labelSelector })).code, 400, labelSelector.slice(0, 20));
    }
    for (const fieldSelector of [
      "x",
      "__proto__=x",
      "constructor.name=y",
      `a=${"\\".repeat(50_001)}`,
    ]) {
      equal((await list({ fieldSelector })).code, 400, fieldSelector.slice(0, 20));
    }
  });
});

describe("a continue token", () => {
  const token = (text: string): string => Buffer.from(text).toString("base64url");
  const forged = (rv: string, start: string): string =>
    token(`{"v":"meta.k8s.io/v1","rv":${rv},"start":${JSON.stringify(start)}}`);

  it("that is none is refused", async () => {
    const tokens = [
      "x",
      "____",
      token("{"),
      token("[]"),
      token("null"),
      token("{}"),
      token('{"v":"meta.k8s.io/v1"}'),
      token('{"v":"meta.k8s.io/v2","rv":1,"start":"a"}'),
      token('{"v":{"toString":1},"rv":1,"start":"a"}'),
      token('{"a":'.repeat(20_000)),
      forged("0", "a"),
      forged("1", ""),
      forged('"1"', "a"),
      forged("1e3", "a").replace("=", ""),
      "A".repeat(150_000),
    ];
    for (const each of tokens) {
      const { code } = await list({ continue: each, limit: "1" });
      ok(
        code === 400 || code === 410,
        `${Buffer.from(each, "base64url").toString().slice(0, 60)}: ${code}`,
      );
    }
  });

  it("of another list shows nothing of it", async () => {
    for (const start of ["/../yours/a", "/yours/a", "../", "/\0", "\uffff", "/a/../../b"]) {
      const { code, names } = await list({ continue: forged("-1", start) });
      equal(code, 200);
      ok(
        names.every((name) => name.startsWith("mine/")),
        names.join(),
      );
    }
  });

  it("of a time that has not come is refused", async () => {
    for (const rv of ["999999", "99999999999999999999"]) {
      const { code } = await list({ continue: forged(rv, "/a\0"), limit: "1" });
      ok(code === 400 || code === 410 || code === 504, `${rv}: ${code}`);
    }
  });
});

describe("numbers in a query", () => {
  it("that are none are refused in the words of the API", async () => {
    const garbage = ["x", "-1", "1.5", "0x10", "1e9", " 1", "१", "1".repeat(50_000)];
    for (const resourceVersion of garbage) {
      const { code, message } = await list({ resourceVersion });
      equal(code, 400, resourceVersion.slice(0, 20));
      match(message, /strconv\.ParseUint/);
    }
    const { message } = await list({ resourceVersion: "18446744073709551616" });
    match(message, /value out of range$/);
    for (const limit of ["x", "1.5", "9223372036854775808", "9".repeat(50_000)]) {
      equal((await list({ limit })).code, 400, limit.slice(0, 20));
    }
  });

  it("that are absurd but numbers are taken", async () => {
    equal((await list({ limit: "9223372036854775807" })).names.length, 3);
    equal((await list({ limit: "-5" })).names.length, 3);
    for (const timeoutSeconds of ["9223372036854775807", "2147484", "99999999"]) {
      const query = new URLSearchParams({ watch: "1", timeoutSeconds });
      // A timer that overflows would end the watch at once.
      const ended = server.fetch("GET", `${path}?${query.toString()}`).then(
        () => "ended",
        () => "broken",
      );
      await server.fetch("GET", "/readyz");
      const first = await Promise.race([ended, server.fetch("GET", "/readyz").then(() => "lasts")]);
      equal(first, "lasts");
    }
  });

  it("for a version that has not come are answered in time", async () => {
    const { code } = await list({ resourceVersion: "18446744073709551615" });
    equal(code, 504);
  });
});

describe("a query", () => {
  it("of a hundred thousand parameters is read", async () => {
    const { status } = await server.fetch("GET", `${path}?${"a&".repeat(100_000)}`);
    equal(status, 200);
  });

  it("with parameters that JavaScript has a meaning for is read", async () => {
    const { status } = await server.fetch("GET", `${path}?__proto__=x&constructor=y&toString`);
    equal(status, 200);
  });
});

describe("an Accept header", () => {
  it("that is long or odd is answered", async () => {
    const accepts = [
      "a/b,".repeat(50_000),
      `application/json${";a=b".repeat(40_000)}`,
      ";".repeat(100_000),
      "application/json;as=__proto__;g=meta.k8s.io;v=v1",
      '"'.repeat(100_000),
    ];
    for (const accept of accepts) {
      const { status } = await server.fetch("GET", path, undefined, { accept });
      ok(status === 200 || status === 406, `${accept.slice(0, 20)}: ${status}`);
    }
  });
});
