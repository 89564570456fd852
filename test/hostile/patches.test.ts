// Patches that grow, nest, or reach where they should not, in all dialects.

import { deepEqual, equal, match, ok } from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import type { DriftlessServer, HttpAnswer } from "../support/driftless-server.ts";
import { assertUnharmed, startVictim, statusOf } from "./victim.ts";

let server: DriftlessServer;
before(async () => {
  server = await startVictim();
});
after(() => server[Symbol.asyncDispose]());
afterEach(() => assertUnharmed(server));

/** Its data is any JSON; other kinds keep only what they know. */
const place = "/apis/apps/v1/namespaces/default/controllerrevisions";
const target = `${place}/target`;
/** Its data may have any keys, and may be changed. */
const maps = "/api/v1/namespaces/default/configmaps";
const map = `${maps}/target`;

beforeEach(async () => {
  await server.fetch("DELETE", target);
  const body = { metadata: { name: "target" }, revision: 1, data: { a: { b: [1, 2, 3] } } };
  equal((await server.fetch("POST", place, body)).status, 201);
  await server.fetch("DELETE", map);
  equal((await server.fetch("POST", maps, { metadata: { name: "target" } })).status, 201);
});

type Dialect = "json-patch+json" | "merge-patch+json" | "strategic-merge-patch+json";

function patch(dialect: Dialect, body: unknown, path = target): Promise<HttpAnswer> {
  return server.fetch("PATCH", path, body, { "content-type": `application/${dialect}` });
}

function apply(body: string, path = target): Promise<HttpAnswer> {
  return server.fetch("PATCH", `${path}?fieldManager=m&force=true`, body, {
    "content-type": "application/apply-patch+yaml",
  });
}

const operation = (op: string, path: string, more: object = {}): object => ({ op, path, ...more });

describe("a JSON patch", () => {
  it("of more than ten thousand operations is refused by their number", async () => {
    const test = operation("test", "/revision", { value: 1 });
    const { text } = await patch(
      "json-patch+json",
      Array.from({ length: 10_001 }, () => test),
    );
    deepEqual(statusOf(text), {
      code: 413,
      message:
        "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001",
    });
  });

  it("that doubles what is there again and again is stopped", async () => {
    const double = operation("copy", "/metadata/annotations/b", { from: "/metadata/annotations" });
    const start = operation("add", "/metadata/annotations", { value: { a: "x".repeat(1000) } });
    const { status } = await patch("json-patch+json", [
      start,
      ...Array.from({ length: 60 }, () => double),
    ]);
    equal(status, 422);
  });

  it("that moves things into each other is stopped before they are too deep", async () => {
    const deep = "/a".repeat(900);
    const nested = JSON.parse(`${'{"a":'.repeat(950)}{}${"}".repeat(950)}`) as object;
    const steps = Array.from({ length: 200 }, () => [
      operation("add", "/tmp", { value: nested }),
      operation("move", `/tmp${deep}`, { from: "/data" }),
      operation("move", "/data", { from: "/tmp" }),
    ]).flat();
    equal((await patch("json-patch+json", steps)).status, 422);
  });

  it("that has no end of small moves is stopped too", async () => {
    const steps = Array.from({ length: 3000 }, () => [
      operation("add", "/tmp", { value: {} }),
      operation("move", "/tmp/a", { from: "/data" }),
      operation("move", "/data", { from: "/tmp" }),
    ]).flat();
    equal((await patch("json-patch+json", steps)).status, 422);
  });

  it("finds nothing in the prototype of an object", async () => {
    const paths = [
      "/__proto__/x",
      "/constructor/prototype/x",
      "/metadata/__proto__/x",
      "/data/__proto__/x",
    ];
    for (const path of paths) {
      const { status } = await patch("json-patch+json", [operation("add", path, { value: "y" })]);
      equal(status, 422, path);
    }
    const { status, text } = await patch(
      "json-patch+json",
      [
        operation("add", "/data", { value: {} }),
        operation("add", "/data/__proto__", { value: "mine" }),
        operation("test", "/data/__proto__", { value: "mine" }),
        operation("test", "/data/constructor", { value: null }),
      ],
      map,
    );
    equal(status, 200, text);
    match(text, /"data":\{"__proto__":"mine"\}/);
  });
});

describe("every dialect", () => {
  const head = '"apiVersion":"apps/v1","kind":"ControllerRevision","revision":1,';

  it("takes __proto__ and its like for keys", async () => {
    const polluted = '{"isPolluted":true}';
    const data = '{"__proto__":"a","constructor":"b","prototype":"c"}';
    const body = `{"metadata":{"labels":{"constructor":"c"},"__proto__":${polluted}},"data":${data},"__proto__":${polluted}}`;
    const answers = [
      await patch("merge-patch+json", body, map),
      await patch("strategic-merge-patch+json", body, map),
      await apply(`{"apiVersion":"v1","kind":"ConfigMap","data":${data}}`, map),
    ];
    for (const { status, text } of answers) {
      equal(status, 200, text);
      deepEqual((JSON.parse(text) as { data: object }).data, JSON.parse(data));
      ok(!text.includes("isPolluted"));
    }
    const { text } = await server.fetch("POST", maps, { metadata: { generateName: "clean-" } });
    ok(!text.includes("isPolluted"));
  });

  it("refuses what is nested too deeply", async () => {
    const deep = `{${head}"data":${'{"a":'.repeat(1200)}1${"}".repeat(1201)}`;
    equal((await patch("merge-patch+json", deep)).status, 400);
    equal((await patch("strategic-merge-patch+json", deep)).status, 400);
    equal((await apply(deep)).status, 400);
  });

  it("bears what is nested as deeply as is allowed", async () => {
    const deep = `{${head}"data":${'{"a":'.repeat(990)}1${"}".repeat(991)}`;
    for (const answer of [
      await patch("merge-patch+json", deep),
      await patch("json-patch+json", [
        operation("add", "/data", { value: JSON.parse(deep) as object }),
      ]),
      await apply(deep),
    ]) {
      ok(answer.status < 500, answer.text.slice(0, 300));
    }
  });

  it("refuses forged owners, or keeps them from doing harm", async () => {
    const fields = [
      '{"f:__proto__":{"f:x":{}}}',
      '{"f:metadata":{"f:__proto__":{}}}',
      '{"k:{\\"__proto__\\":1}":{}}',
      '{"v:[":{}}',
      '{"i:99999999999999999999":{}}',
      `${'{"f:a":'.repeat(900)}{}${"}".repeat(900)}`,
    ];
    for (const fieldsV1 of fields) {
      const entry = `{"manager":"m","operation":"Update","apiVersion":"apps/v1","time":"2024-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":${fieldsV1}}`;
      const answer = await patch("merge-patch+json", `{"metadata":{"managedFields":[${entry}]}}`);
      ok(answer.status < 500, `${fieldsV1.slice(0, 60)}: ${answer.text.slice(0, 300)}`);
      const again = await apply(`{${head}"metadata":{"labels":{"a":"b"}}}`);
      ok(again.status < 500, `${fieldsV1.slice(0, 60)}: ${again.text.slice(0, 300)}`);
    }
  });
});
