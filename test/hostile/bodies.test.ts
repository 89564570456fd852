// Bodies that are too large, too deep, too clever, or not what they say.

import { deepEqual, equal, match, ok } from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { DriftlessServer } from "../support/driftless-server.ts";
import { exchange, RawConnection } from "./raw-connection.ts";
import { assertUnharmed, startVictim, statusOf } from "./victim.ts";

let server: DriftlessServer;
before(async () => {
  server = await startVictim();
});
after(() => server[Symbol.asyncDispose]());
afterEach(() => assertUnharmed(server));

const MiB = 1024 * 1024;
const path = "/api/v1/namespaces/default/configmaps";
const head = `POST ${path} HTTP/1.1\r\nhost: a\r\n`;

function send(type: string, body: string | Buffer): ReturnType<DriftlessServer["fetch"]> {
  return server.fetch("POST", path, body, { "content-type": type });
}

async function refused(type: string, body: string | Buffer): Promise<string> {
  const { text } = await send(type, body);
  const { code, message } = statusOf(text);
  equal(code, 400, text.slice(0, 300));
  return message;
}

describe("a body that is too large", () => {
  it("is refused before one byte of it is sent", async () => {
    match(await exchange(server, `${head}content-length: ${10 * MiB}\r\n\r\n`), /^HTTP\/1\.1 413 /);
  });

  it("is not asked for", async () => {
    const answer = await exchange(
      server,
      `${head}expect: 100-continue\r\ncontent-length: ${10 * MiB}\r\n\r\n`,
    );
    match(answer, /^HTTP\/1\.1 413 /);
  });

  it("is answered at the limit when it comes in chunks, and the connection ends", async () => {
    using connection = await RawConnection.open(server, "http/1.1");
    connection.write(`${head}transfer-encoding: chunked\r\n\r\n`);
    const chunk = `${MiB.toString(16)}\r\n${"x".repeat(MiB)}\r\n`;
    // It never ends by itself.
    while (!connection.isClosed) await connection.writeAll(chunk);
    match(connection.text, /^HTTP\/1\.1 413 [\s\S]*limit is 3145728/);
  });

  it("is still asked for when it is small enough", async () => {
    const body = '{"metadata":{"name":"asked"}}';
    const ask = `${head}expect: 100-continue\r\ncontent-length: ${body.length}\r\n\r\n`;
    using connection = await RawConnection.open(server, "http/1.1");
    connection.write(ask);
    await connection.until(() => connection.text.includes("\r\n\r\n"));
    match(connection.text, /^HTTP\/1\.1 100 /);
    connection.write(body);
    await connection.until(() => connection.text.includes("201"));
    match(connection.text, /HTTP\/1\.1 201 /);
  });
});

describe("a body that is no object", () => {
  const json = "application/json";
  const yaml = "application/yaml";
  const protobuf = "application/vnd.kubernetes.protobuf";
  const magic = Buffer.from("k8s\0");
  const envelope = (raw: Buffer): Buffer => {
    const meta = Buffer.from([0x0a, 2, ...Buffer.from("v1"), 0x12, 9, ...Buffer.from("ConfigMap")]);
    return Buffer.concat([magic, Buffer.from([0x0a, meta.length]), meta, Buffer.from([0x12]), raw]);
  };
  const cases: readonly (readonly [string, string, string | Buffer])[] = [
    ["nothing", json, ""],
    ["half of an object", json, '{"metadata":{"name":"a"'],
    ["brackets without end", json, "[".repeat(3 * MiB - 10)],
    ["objects without end", json, '{"a":'.repeat(600_000)],
    ["a list", json, "[]"],
    ["bytes that are no text", json, Buffer.from([0xff, 0xfe, 0xfd])],
    ["a number beyond all numbers", json, `{"metadata":{"name":${"9".repeat(MiB)}}}`],
    ["brackets without end", yaml, "[".repeat(MiB)],
    ["dashes without end", yaml, "- ".repeat(MiB)],
    ["keys in keys", yaml, "? ".repeat(MiB)],
    ["a hundred thousand short lines", yaml, "a: 1\n".repeat(600_000)],
    ["a million lines of nothing", yaml, "\n".repeat(3 * MiB - 10)],
    ["a million directives", yaml, "%A\n".repeat(MiB - 10)],
    ["a million documents", yaml, "---\n".repeat(MiB / 2)],
    ["tabs", yaml, "\t".repeat(MiB)],
    ["an anchor in itself", yaml, "a: &a [*a]"],
    ["no magic", protobuf, Buffer.alloc(100)],
    ["only the magic", protobuf, magic],
    ["a length beyond the end", protobuf, envelope(Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f]))],
    ["a number that does not end", protobuf, envelope(Buffer.alloc(50, 0xff))],
    [
      "messages in messages",
      protobuf,
      envelope(Buffer.concat([Buffer.from([0x80, 8]), Buffer.alloc(1024, 0x0a)])),
    ],
    ["a group", protobuf, envelope(Buffer.from([1, 0x0b]))],
  ];
  for (const [what, type, body] of cases) {
    it(`is told so: ${what} as ${type}`, async () => {
      ok((await refused(type, body)).length < 10_000);
    });
  }
});

describe("a YAML bomb", () => {
  it("of aliases in aliases is not unfolded", async () => {
    const lines = ["a0: &a0 x"];
    for (let i = 1; i < 12; i++) lines.push(`a${i}: &a${i} [${`*a${i - 1},`.repeat(9)}*a${i - 1}]`);
    match(await refused("application/yaml", lines.join("\n")), /excessive aliasing/);
  });

  it("of one long text with many names is not unfolded", async () => {
    const text = `a: &a ${"x".repeat(MiB)}\nb: [${"*a, ".repeat(5000)}*a]`;
    match(await refused("application/yaml", text), /excessive aliasing/);
  });

  it("of merges is not unfolded", async () => {
    const fields = Array.from({ length: 1000 }, (_, i) => `k${i}: 1`).join(", ");
    const text = `a: &a {${fields}}\nb: [${"{<<: *a}, ".repeat(5000)}{}]`;
    match(await refused("application/yaml", text), /excessive aliasing/);
  });
});

describe("a large text in YAML", () => {
  it("is taken up to the limits of the kind, since one text is one word", async () => {
    const lines = "  a line of a file that somebody put into a ConfigMap\n".repeat(15_000);
    const { status } = await send(
      "application/yaml",
      `metadata: {name: large-file}\ndata:\n a: |\n${lines}`,
    );
    equal(status, 201);
  });
});

describe("keys that are given twice, below a very long one", () => {
  it("do not come back a hundred times as long", async () => {
    const twice = Array.from({ length: 300 }, (_, i) => `"k${i % 150}":"v"`).join();
    const body = `{"metadata":{"name":"twice"},"${"x".repeat(2 * MiB)}":{${twice}},"data":{${twice}}}`;
    const { status, headers } = await send("application/json", body);
    equal(status, 201);
    ok(String(headers["warning"]).length < 20_000);
    const strict = await server.fetch("POST", `${path}?fieldValidation=Strict`, body);
    equal(strict.status, 400);
    ok(strict.text.length < 20 * MiB);
  });
});

describe("keys that JavaScript has a meaning for", () => {
  const names = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"];

  it("are data in every format", async () => {
    const fields = (keys: readonly string[]): string =>
      `{${keys.map((key) => `"${key}":"mine"`).join()}}`;
    // A label or an annotation cannot begin with an underscore.
    const qualified = fields(names.filter((name) => name !== "__proto__"));
    for (const type of ["application/json", "application/yaml"]) {
      const name = `keys-${type.slice(12)}`;
      const body = `{"metadata":{"name":"${name}","annotations":${qualified},"labels":${qualified}},"data":${fields(names)}}`;
      equal((await send(type, body)).status, 201);
      const { text } = await server.fetch("GET", `${path}/${name}`);
      const stored = JSON.parse(text) as { data: object; metadata: { annotations: object } };
      deepEqual(Object.keys(stored.data).sort(), [...names].sort());
      equal(Object.hasOwn(stored.metadata.annotations, "constructor"), true);
    }
  });

  it("are no fields, wherever they stand", async () => {
    const polluted = '{"isPolluted":true,"name":"x","code":1}';
    const body = `{"metadata":{"name":"none","__proto__":${polluted},"constructor":{"prototype":${polluted}}},"__proto__":${polluted}}`;
    const { status, text } = await send("application/json", body);
    equal(status, 201, text);
    ok(!text.includes("isPolluted"));
    const other = await server.fetch("GET", "/api/v1/namespaces/default");
    ok(!other.text.includes("isPolluted"));
  });
});
