import { deepEqual, doesNotMatch, equal, rejects } from "node:assert/strict";
import { Readable } from "node:stream";
import { describe, it } from "node:test";
import type { ApiObject } from "../api/object.ts";
import { keyDifferences, keyPatch } from "./config-keys.ts";
import { readKeyChanges } from "./key-changes.ts";
import { keyDiffText } from "./key-diff.ts";

const object: ApiObject = {
  metadata: { name: "a" },
  data: { text: "hello", long: "one\ntwo\nthree\n" },
  binaryData: { bin: Buffer.from([0xff]).toString("base64") },
};

async function changed(kind: "ConfigMap" | "Secret", ...words: readonly string[]) {
  const changes = await readKeyChanges(words, Readable.from([Buffer.from([0xfe])]));
  const differences = keyDifferences(object, kind, changes);
  return {
    patch: keyPatch(object, kind, differences),
    text: keyDiffText(differences, kind === "Secret"),
  };
}

describe("Changes of keys", () => {
  it("set, add and remove", async () => {
    const { patch, text } = await changed("ConfigMap", "text=moin", "new=a=b", "long-");
    deepEqual(patch, { data: { text: "moin", new: "a=b", long: null } });
    equal(
      text,
      '  ~ text: "hello" -> "moin"\n  + new: "a=b"\n  - long:\n      - one\n      - two\n      - three\n',
    );
  });

  it("leave out what is as it should be", async () => {
    deepEqual(await changed("ConfigMap", "text=hello", "none-"), { patch: {}, text: "" });
  });

  it("move a key to the field that can hold it", async () => {
    deepEqual((await changed("ConfigMap", "bin=text", "text=@-")).patch, {
      data: { bin: "text", text: null },
      binaryData: { bin: null, text: "/g==" },
    });
    deepEqual((await changed("ConfigMap", "bin-")).patch, { binaryData: { bin: null } });
  });

  it("show lines that differ, and nothing else of a long text", async () => {
    equal(
      (await changed("ConfigMap", "long=one\n2\nthree\n")).text,
      "  ~ long:\n      - two\n      + 2\n",
    );
  });

  it("show no value of a Secret", async () => {
    const { patch, text } = await changed("Secret", "password=hunter2");
    deepEqual(patch, { data: { password: "aHVudGVyMg==" } });
    equal(text, "  + password: 7 bytes\n");
    doesNotMatch(text, /hunter2|aHVudGVyMg/);
  });

  it("may be texts that begin with an at sign", async () => {
    deepEqual((await changed("ConfigMap", "text=@@home")).patch, { data: { text: "@home" } });
  });

  for (const words of [
    ["a"],
    ["=b"],
    ["-"],
    ["a=1", "a=2"],
    ["a=@-", "b=@-"],
    ["a=@/no/such/file"],
  ]) {
    it(`are not ${words.join(" ")}`, async () => {
      await rejects(readKeyChanges(words, Readable.from([])), { name: "CliError" });
    });
  }
});
