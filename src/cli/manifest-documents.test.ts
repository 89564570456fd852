import { deepEqual, equal, throws } from "node:assert/strict";
import { describe, it } from "node:test";
import { manifestsOf } from "./manifest-documents.ts";

const names = (text: string): unknown =>
  manifestsOf(text, "f.yaml").map(({ object }) => object.metadata.name);

const configMap = (name: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;

describe("The objects of a text", () => {
  it("are its documents, without the empty ones", () => {
    deepEqual(
      names(`---\n# a comment\n---\n${configMap("a")}---  # next\n${configMap("b")}---\n`),
      ["a", "b"],
    );
  });

  it("may have dashes at the beginning of lines in a text of theirs", () => {
    const [one, ...rest] = manifestsOf(
      `${configMap("a")}data:\n  k: |\n    x\n    --- y\n    z\n`,
      "f",
    );
    deepEqual(rest, []);
    deepEqual(one?.object["data"], { k: "x\n--- y\nz\n" });
  });

  it("may be JSON, one behind the other", () => {
    const json = (name: string): string =>
      JSON.stringify(
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { a: '}"{\n' } },
        null,
        1,
      );
    deepEqual(names(json("a")), ["a"]);
    deepEqual(names(`${json("a")}${json("b")}\n\n${json("c")}\n`), ["a", "b", "c"]);
  });

  it("may be in lists, and in lists of a kind", () => {
    const items = [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } }];
    const inner = { apiVersion: "v1", kind: "List", items };
    deepEqual(names(JSON.stringify({ apiVersion: "v1", kind: "List", items: [...items, inner] })), [
      "a",
      "a",
    ]);
    const bare = { apiVersion: "v1", kind: "ConfigMapList", items: [{ metadata: { name: "b" } }] };
    const [one] = manifestsOf(JSON.stringify(bare), "f");
    equal(one?.object.kind, "ConfigMap");
  });

  it("are refused with the line in the whole text", () => {
    throws(
      () => names(`${configMap("a")}---\napiVersion: v1\nkind: [`),
      /error parsing f.yaml: yaml: line [567]/,
    );
    throws(() => names(`${configMap("a")}---\na: 1\na: 2\n`), /line 6: key "a" already set in map/);
  });

  it("are refused if they do not say what they are", () => {
    throws(() => names("a: 1"), /Object 'Kind' is missing/);
    throws(() => names("kind: ConfigMap"), /Object 'apiVersion' is missing/);
    throws(() => names("- a"), /an object is expected/);
  });
});
