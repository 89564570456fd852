import { deepEqual, equal, notEqual, ok } from "node:assert/strict";
import { describe, it } from "node:test";
import { inspect } from "node:util";
import type { ConfigMap, Secret } from "../../api/types.ts";
import { ConfigObject, referenceKey } from "./config-object.ts";

const metadata = { name: "app", namespace: "default", uid: "u1", resourceVersion: "7" };
const configMap = (content: Partial<ConfigMap>): ConfigObject =>
  ConfigObject.fromConfigMap({ metadata, ...content });
const secret = (data: Record<string, string>): ConfigObject =>
  ConfigObject.fromSecret({ metadata, data } as Secret);
const base64 = (text: string): string => Buffer.from(text).toString("base64");

describe("ConfigObject", () => {
  it("has the bytes of data and of binaryData", () => {
    const object = configMap({ data: { a: "é" }, binaryData: { b: "/wA=" } });
    deepEqual(object.keys, ["a", "b"]);
    deepEqual([...(object.bytes("a") ?? [])], [0xc3, 0xa9]);
    deepEqual([...(object.bytes("b") ?? [])], [0xff, 0]);
    equal(object.bytes("c"), undefined);
    equal(object.totalBytes, 4);
  });

  it("has text for environments: of a ConfigMap without binaryData, of a Secret all", () => {
    const object = configMap({ data: { a: "text" }, binaryData: { b: base64("bytes") } });
    equal(object.text("a"), "text");
    equal(object.text("b"), undefined);
    deepEqual(object.textKeys, ["a"]);
    const hidden = secret({ a: base64("hidden") });
    equal(hidden.text("a"), "hidden");
    deepEqual(hidden.textKeys, ["a"]);
  });

  it("says who it is, and whether it can change", () => {
    const object = configMap({ immutable: true });
    equal(referenceKey(object), "ConfigMap/default/app");
    equal(object.isImmutable, true);
    equal(configMap({}).isImmutable, false);
    const { version, ...rest } = object.asVersion;
    deepEqual(rest, {
      kind: "ConfigMap",
      namespace: "default",
      name: "app",
      uid: "u1",
      resourceVersion: "7",
    });
    equal(version.length, 64);
  });

  it("has a version that is the content's: not the order's, the metadata's, or the encoding's", () => {
    const object = configMap({ data: { a: "1", b: "2" } });
    equal(object.version, configMap({ data: { b: "2", a: "1" }, immutable: true }).version);
    equal(object.version, configMap({ data: { a: "1" }, binaryData: { b: base64("2") } }).version);
    notEqual(object.version, configMap({ data: { a: "12", b: "" } }).version);
  });

  it("G9 has a version as a Secret that does not give its content away", () => {
    const content = { a: base64("1"), b: base64("2") };
    equal(secret(content).version, secret(content).version);
    notEqual(secret(content).version, configMap({ data: { a: "1", b: "2" } }).version);
  });

  it("is what it was when it is made from a revision", () => {
    const object = { apiVersion: "v1", name: "app", uid: "u1", resourceVersion: "7" };
    const revision = { metadata: { namespace: "default" }, number: 1, hash: "h" };
    const binaryData = { a: base64("1"), b: base64("2") };
    const ofMap = { ...revision, object: { ...object, kind: "ConfigMap" as const }, binaryData };
    const ofSecret = { ...ofMap, object: { ...object, kind: "Secret" as const } };
    deepEqual(
      ConfigObject.fromRevision(ofMap).asVersion,
      configMap({ data: { a: "1", b: "2" } }).asVersion,
    );
    equal(ConfigObject.fromRevision(ofSecret).version, secret(binaryData).version);
  });

  it("G9 prints neither keys nor values, however it is printed", () => {
    const object = secret({ "the-key": base64("the-value") });
    const prints = [
      inspect(object, { depth: 9, showHidden: true }),
      JSON.stringify({ object }),
      String(object),
      JSON.stringify(Object.entries(object)),
    ];
    for (const print of prints) ok(!/the-key|the-value|dGhl/.test(print), print);
    equal(String(object), "Secret default/app (1 keys, 9 bytes)");
  });
});
