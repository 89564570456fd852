import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ManifestError, readManifestFile } from "./manifest-file.ts";

function refusal(text: string): string {
  try {
    readManifestFile("a.yaml", text);
  } catch (err) {
    assert.ok(err instanceof ManifestError);
    return err.message;
  }
  return assert.fail("it was read");
}

function names(text: string): readonly string[] {
  return readManifestFile("a.yaml", text).subjects.map(
    ({ kind, namespace, name }) => `${kind} ${namespace}/${name}`,
  );
}

describe("readManifestFile", () => {
  it("finds objects in several documents, in Lists and in Lists of one kind", () => {
    const text = `
apiVersion: v1
kind: ConfigMap
metadata: {name: a, namespace: x}
---
# nothing
---
apiVersion: v1
kind: ConfigMapList
items:
  - metadata: {name: b}
  - metadata: {name: c}
---
apiVersion: v1
kind: List
items:
  - {apiVersion: v1, kind: Secret, metadata: {name: d}}
  - {apiVersion: v1, kind: Service, metadata: {name: e}}
`;
    assert.deepEqual(names(text), ["ConfigMap x/a", "ConfigMap /b", "ConfigMap /c", "Secret /d"]);
  });

  it("reads JSON, with tabs too", () => {
    const text =
      '{\n\t"apiVersion": "v1",\n\t"kind": "ConfigMap",\n\t"metadata": {\n\t\t"name": "a"\n\t}\n}\n';
    assert.deepEqual(names(text), ["ConfigMap /a"]);
  });

  it("takes pods of kinds that it does not know, where they are in the usual place", () => {
    const text = `
apiVersion: argoproj.io/v1alpha1
kind: Rollout
metadata: {name: a}
spec: {template: {spec: {containers: [{name: b}]}}}
---
apiVersion: example.com/v1
kind: Other
metadata: {name: c}
spec: {template: {text: no pods}}
`;
    assert.deepEqual(names(text), ["Rollout /a"]);
  });

  it("names the line of what is no YAML, without showing what is there", () => {
    const message = refusal("kind: Secret\nstringData:\n  a: 'hunter2\n");
    assert.match(message, /^a\.yaml:\d+:\d+: \S/);
    assert.doesNotMatch(message, /hunter2/);
  });

  it("refuses aliases that stand for more than there is memory", () => {
    const lines = Array.from({ length: 30 }, (_, i) => `  k${i}: &a${i} [*a${i - 1}, *a${i - 1}]`);
    const text = `apiVersion: v1\nkind: ConfigMap\ndata:\n  k: &a-1 [x, x]\n${lines.join("\n")}\n`;
    assert.match(refusal(text), /too many values/);
  });

  it("refuses an anchor within itself", () => {
    assert.match(
      refusal("apiVersion: v1\nkind: ConfigMap\ndata: &a\n  b: *a\n"),
      /contains itself/,
    );
  });
});
