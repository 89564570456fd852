import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { base64OfText } from "../defaults/base64-text.ts";
import type { JsonObject } from "../json.ts";
import type { Secret } from "../types.ts";
import { validateSecret, validateSecretUpdate } from "./secret.ts";
import { decoded, told } from "./testing/judged.ts";

function secret(value: JsonObject): Secret {
  const metadata = { name: "s", namespace: "golden", resourceVersion: "1" };
  return decoded("v1", "Secret", { metadata, ...value });
}

function docker(text: string): JsonObject {
  return {
    type: "kubernetes.io/dockerconfigjson",
    data: { ".dockerconfigjson": base64OfText(text) },
  };
}

describe("Secret", () => {
  const json = 'data[.dockerconfigjson]: Invalid value: "<secret contents redacted>":';
  const cases: Readonly<Record<string, readonly [JsonObject, readonly string[]]>> = {
    "of no type may have anything": [{ data: { a: "AA==" } }, []],
    "has keys that can be names of files": [
      { data: { "a/b": "AA==" } },
      [
        "data[a/b]: Invalid value: \"a/b\": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
      ],
    ],
    "has no more than a mebibyte": [
      { data: { a: "A".repeat(1_398_104), b: "AA==" } },
      ["data: Too long: may not be more than 1048576 bytes"],
    ],
    "of a service account says of which": [
      { type: "kubernetes.io/service-account-token" },
      ["metadata.annotations[kubernetes.io/service-account.name]: Required value"],
    ],
    "for a registry has the old file": [
      { type: "kubernetes.io/dockercfg" },
      ["data[.dockercfg]: Required value"],
    ],
    "for a registry has the file": [
      { type: "kubernetes.io/dockerconfigjson", data: { other: "AA==" } },
      ["data[.dockerconfigjson]: Required value"],
    ],
    "for a registry may have any object": [docker('{"auths":{}}'), []],
    "for a registry is JSON": [
      docker("hunter2"),
      [`${json} invalid character 'h' looking for beginning of value`],
    ],
    "for a registry is not cut off": [docker('{"a":'), [`${json} unexpected end of JSON input`]],
    "for a registry is an object": [
      docker("[1]"),
      [`${json} json: cannot unmarshal array into Go value of type map[string]interface {}`],
    ],
    "for basic authentication has one of the two": [
      { type: "kubernetes.io/basic-auth", data: { password: "" } },
      [],
    ],
    "for basic authentication names both if it has none": [
      { type: "kubernetes.io/basic-auth" },
      ["data[username]: Required value", "data[password]: Required value"],
    ],
    "for SSH has a key with something in it": [
      { type: "kubernetes.io/ssh-auth", data: { "ssh-privatekey": "" } },
      ["data[ssh-privatekey]: Required value"],
    ],
    "for TLS has both halves": [
      { type: "kubernetes.io/tls" },
      ["data[tls.crt]: Required value", "data[tls.key]: Required value"],
    ],
    "for TLS may have empty halves": [
      { type: "kubernetes.io/tls", data: { "tls.crt": "", "tls.key": "" } },
      [],
    ],
  };
  for (const [name, [value, errors]] of Object.entries(cases)) {
    it(name, () => {
      assert.deepEqual(told(validateSecret(secret(value))), errors);
    });
  }

  it("keeps its type", () => {
    const errors = validateSecretUpdate(secret({ type: "other" }), secret({ type: "Opaque" }));
    assert.deepEqual(told(errors), ['type: Invalid value: "other": field is immutable']);
  });

  it("keeps its data once it is immutable", () => {
    const errors = validateSecretUpdate(
      secret({ immutable: true, data: { a: "Yg==" } }),
      secret({ immutable: true, data: { a: "YQ==" } }),
    );
    assert.deepEqual(told(errors), ["data: Forbidden: field is immutable when `immutable` is set"]);
  });
});
