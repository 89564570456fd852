import { deepEqual, equal, throws } from "node:assert/strict";
import { describe, it } from "node:test";
import { format, inspect } from "node:util";
import { CachedObject, encodeForStore, ObjectHead } from "./cached-object.ts";

const kind = { group: "", version: "v1", kind: "ConfigMap" };
const head = new ObjectHead(kind);

function cached(revision = 7n): CachedObject {
  const value = encodeForStore(kind, {
    metadata: { name: "a", namespace: "n", resourceVersion: "3" },
    data: { k: "é" },
  });
  return CachedObject.fromStored({ key: "n/a", value, revision, head });
}

describe("CachedObject", () => {
  it("has the revision of its write, whatever the writer sent", () => {
    equal(cached(7n).object.metadata.resourceVersion, "7");
  });

  it("is sent as the bytes that were stored, with kind and apiVersion first", () => {
    equal(
      cached(7n).bytes.toString(),
      '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"7","name":"a","namespace":"n"},"data":{"k":"é"}}',
    );
  });

  it("has no kind in a list", () => {
    const item = JSON.parse(Buffer.concat([...cached().item()]).toString()) as object;
    deepEqual(Object.keys(item), ["metadata", "data"]);
  });

  it("keeps its content at another revision", () => {
    const moved = cached(99n).at(100n);
    deepEqual(moved.object, { ...cached(100n).object });
    equal(moved.revision, 100n);
  });

  it("knows whether a write would change it", () => {
    const same = encodeForStore(kind, {
      metadata: { name: "a", namespace: "n" },
      data: { k: "é" },
    });
    const other = encodeForStore(kind, {
      metadata: { name: "a", namespace: "n" },
      data: { k: "e" },
    });
    equal(cached().hasContent(same), true);
    equal(cached().hasContent(other), false);
    equal(cached().at(1234n).hasContent(same), true);
  });

  it("refuses bytes of another kind", () => {
    const value = encodeForStore({ ...kind, kind: "Secret" }, { metadata: { name: "a" } });
    throws(
      () => CachedObject.fromStored({ key: "n/a", value, revision: 1n, head }),
      /Cannot read a stored object: it begins with/,
    );
  });

  it("shows nothing of its content when it is printed", () => {
    const secretHead = new ObjectHead({ group: "", version: "v1", kind: "Secret" });
    const stored =
      '{"kind":"Secret","apiVersion":"v1","metadata":{"name":"s"},"data":{"k":"c2VjcmV0"}}';
    const value = Buffer.from(stored);
    const object = CachedObject.fromStored({
      key: "a/s",
      value,
      revision: 7n,
      head: secretHead,
    });
    const forms = [
      inspect({ object }),
      JSON.stringify({ object }),
      object.toString(),
      format("%o", object),
    ];
    for (const form of forms) {
      equal(form.includes("a/s at 7"), true, form);
      equal(/c2VjcmV0|63 32/.test(form), false, form);
    }
  });
});
