import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonValue } from "../../api/json.ts";
import { configFacts } from "../config-facts.ts";
import { ConfigIndex } from "../config-index.ts";
import { judge } from "../judge.ts";
import { readSubject } from "../read-subject.ts";
import type { Subject } from "../subject.ts";

function subject(value: JsonValue): Subject {
  const read = readSubject(value, { isJson: true });
  assert.ok(read);
  return read.subject;
}

function idsOf(...subjects: readonly Subject[]): readonly string[] {
  const index = new ConfigIndex(subjects.flatMap((one) => configFacts(one) ?? []));
  const world = { index, isStrict: false, isLive: false, subPathFollows: false };
  return subjects
    .flatMap((one) => judge(one, world))
    .map(({ rule, severity }) => `${rule.id} ${severity}`);
}

function configMap(data: Readonly<Record<string, string>>): Subject {
  return subject({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data });
}

function jobWith(key: string): Subject {
  const valueFrom = { configMapKeyRef: { name: "a", key } };
  const containers = [{ name: "main", env: [{ name: "A", valueFrom }] }];
  return subject({
    ...{ apiVersion: "batch/v1", kind: "Job", metadata: { name: "job" } },
    spec: { template: { spec: { restartPolicy: "Never", containers } } },
  });
}

const KIB = 1024;

describe("the size of an object", () => {
  it("is nothing to speak of up to 512 KiB", () => {
    assert.deepEqual(idsOf(configMap({ a: "x".repeat(512 * KIB) })), []);
  });

  it("is warned of above, and counts bytes, not characters", () => {
    assert.deepEqual(idsOf(configMap({ a: "é".repeat(256 * KIB), b: "x" })), ["DL303 warning"]);
  });

  it("is an error above 1 MiB, all keys together", () => {
    const half = "x".repeat(512 * KIB);
    assert.deepEqual(idsOf(configMap({ a: half, b: half })), ["DL303 warning"]);
    assert.deepEqual(idsOf(configMap({ a: half, b: half, c: "x" })), ["DL302 error"]);
  });

  it("of a Secret is that of its bytes, not of their base64", () => {
    const data = { a: Buffer.alloc(500 * KIB).toString("base64") };
    assert.deepEqual(
      idsOf(subject({ apiVersion: "v1", kind: "Secret", metadata: { name: "a" }, data })),
      [],
    );
  });
});

describe("the size of a variable", () => {
  // "A=" and the zero byte count as well.
  const most = 131_072 - 3;

  it("is warned of near the limit of the kernel", () => {
    assert.deepEqual(idsOf(configMap({ k: "x".repeat(most) }), jobWith("k")), ["DL304 warning"]);
    assert.deepEqual(idsOf(configMap({ k: "x".repeat(90_000) }), jobWith("k")), []);
  });

  it("is an error from where no process starts", () => {
    assert.deepEqual(idsOf(configMap({ k: "x".repeat(most + 1) }), jobWith("k")), ["DL304 error"]);
  });

  it("of a key that is not used as one does not matter", () => {
    assert.deepEqual(idsOf(configMap({ k: "x", big: "x".repeat(most + 1) }), jobWith("k")), []);
  });
});
