import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import { sortBytewise, versionOf } from "../src/version.js";

function version(files: Readonly<Record<string, string | Uint8Array>>): string {
  return versionOf(new Map(Object.entries(files).map(([key, text]) => [key, Buffer.from(text)])));
}

describe("versionOf", () => {
  it("is the SHA-256 of header, path and content of each file in the order of their bytes", () => {
    const expected = createHash("sha256")
      .update("1 2\na42" + "5 3\nb/\u00fc\u0021x\u00fc")
      .digest("hex");
    assert.equal(version({ "b/ü!": "xü", a: "42" }), expected);
  });

  it("keeps to the vectors that every implementation shares", () => {
    const vectors: [Readonly<Record<string, string | Uint8Array>>, string][] = [
      [{}, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
      [
        { "app.yaml": "port: 80\n" },
        "c626c592790e331ba8498a70665e77b3a5c812e4177fcd85ff3e9d1f978bac17",
      ],
      [{ b: "2", a: "1" }, "c5dd8e25df01f4990355655cb7f85923a457b0dcdeebc6c42579595705af683a"],
      [
        { "sub/key": "", sub: "x" },
        "6d3f1622f576e6132001aeaa68bb0cb799eb32445a4a0a4eb098cb1956a0794b",
      ],
      [
        { "\u{1f600}": "grin", "\uff5e": "wave", ü: "ä" },
        "d9fa09efbce0897f8fa5a7f1d8f50d44edf535273724df2b4aa672eefe97cca3",
      ],
      [
        { raw: new Uint8Array([0, 255, 10]) },
        "6799e33921e5beefdcd07d8f99a2c8ee8955d7d7ec0b0d203e04554a8b41626e",
      ],
    ];
    for (const [files, expected] of vectors) assert.equal(version(files), expected);
  });

  it("tells sets apart whose concatenation is the same", () => {
    const sets = [{ ab: "c" }, { a: "bc" }, { a: "b", c: "" }, { a: "", b: "c" }, { "a\n1": "b" }];
    assert.equal(new Set(sets.map((set) => version(set))).size, sets.length);
  });
});

describe("sortBytewise", () => {
  it("orders by UTF-8 bytes where UTF-16 units would say otherwise", () => {
    assert.deepEqual(sortBytewise(["\u{1f600}", "\uff5e", "a", "Z", "a/b", "a-b"]), [
      "Z",
      "a",
      "a-b",
      "a/b",
      "\uff5e",
      "\u{1f600}",
    ]);
  });
});
