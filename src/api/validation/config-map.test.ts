import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../json.ts";
import type { ConfigMap } from "../types.ts";
import { validateConfigMap, validateConfigMapUpdate } from "./config-map.ts";
import { decoded, told } from "./testing/judged.ts";

const mebibyte = 1_048_576;
const key =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

function configMap(value: JsonObject): ConfigMap {
  const metadata = { name: "v", namespace: "golden", resourceVersion: "1" };
  return decoded("v1", "ConfigMap", { metadata, ...value });
}

describe("ConfigMap", () => {
  const cases: Readonly<Record<string, readonly [JsonObject, readonly string[]]>> = {
    "may be empty": [{}, []],
    "may have any text and bytes": [{ data: { a: "\u0000ü" }, binaryData: { b: "AAEC" } }, []],
    "has keys that can be names of files": [
      { data: { "a/b": "x" }, binaryData: { "": "AA==", "..data": "AA==" } },
      [
        `data[a/b]: Invalid value: "a/b": ${key}`,
        `binaryData[]: Invalid value: "": ${key}`,
        "binaryData[..data]: Invalid value: \"..data\": must not start with '..'",
      ],
    ],
    "has each key once": [
      { data: { k: "x" }, binaryData: { k: "AAA=" } },
      ['data[k]: Invalid value: "k": duplicate of key present in binaryData'],
    ],
    "may have a key that objects of the language have": [
      { data: { constructor: "x" }, binaryData: { other: "AA==" } },
      [],
    ],
    "may have a mebibyte": [{ data: { k: "x".repeat(mebibyte) } }, []],
    "has no more than a mebibyte": [
      { data: { k: "x".repeat(mebibyte + 1) } },
      ["[]: Too long: may not be more than 1048576 bytes"],
    ],
    "is counted in bytes, texts and bytes together": [
      { data: { k: "ü".repeat(mebibyte / 2) }, binaryData: { b: "AA==" } },
      ["[]: Too long: may not be more than 1048576 bytes"],
    ],
    "may have a mebibyte of longer characters": [{ data: { k: "ü".repeat(mebibyte / 2) } }, []],
  };
  for (const [name, [value, errors]] of Object.entries(cases)) {
    it(name, () => {
      assert.deepEqual(told(validateConfigMap(configMap(value))), errors);
    });
  }
});

describe("Immutable ConfigMap", () => {
  const old = { immutable: true, data: { a: "1" } };
  const frozen = (name: string) =>
    `${name}: Forbidden: field is immutable when \`immutable\` is set`;
  const cases: Readonly<Record<string, readonly [JsonObject, readonly string[]]>> = {
    "keeps its data": [{ immutable: true, data: { a: "2" } }, [frozen("data")]],
    "stays immutable": [{ data: { a: "1" } }, [frozen("immutable")]],
    "keeps everything at once": [
      { immutable: false, data: { a: "2" }, binaryData: { b: "AA==" } },
      [frozen("immutable"), frozen("data"), frozen("binaryData")],
    ],
    "may get labels": [
      {
        ...old,
        metadata: { name: "v", namespace: "golden", resourceVersion: "1", labels: { x: "1" } },
      },
      [],
    ],
  };
  for (const [name, [value, errors]] of Object.entries(cases)) {
    it(name, () => {
      assert.deepEqual(told(validateConfigMapUpdate(configMap(value), configMap(old))), errors);
    });
  }

  it("is what a ConfigMap may become together with its last change", () => {
    const next = configMap({ immutable: true, data: { a: "frozen" } });
    assert.deepEqual(validateConfigMapUpdate(next, configMap({ data: { a: "1" } })), []);
  });
});
