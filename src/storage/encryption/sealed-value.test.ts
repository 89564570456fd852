import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inspect } from "node:util";
import fc from "fast-check";
import { EncryptionKey } from "./encryption-key.ts";
import { seal, sealedBy, UnreadableValueError, unseal } from "./sealed-value.ts";

const key = EncryptionKey.generate();
const bytes = fc.uint8Array({ maxLength: 300 });
const place = fc.string({ unit: "grapheme", maxLength: 40 });

describe("a sealed value", () => {
  it("opens to what was sealed, with the key and at the place that it was sealed for", () => {
    fc.assert(
      fc.property(place, bytes, (at, value) => {
        const sealed = seal(key, at, value);
        assert.equal(sealedBy(at, sealed), key.id);
        assert.deepEqual(Buffer.from(unseal(key, at, sealed)), Buffer.from(value));
      }),
    );
  });

  it("is refused after any of its bits was flipped", () => {
    fc.assert(
      fc.property(bytes, fc.nat(), (value, bit) => {
        const sealed = seal(key, "a", value);
        const at = bit % (8 * sealed.length);
        sealed[at >> 3] = (sealed[at >> 3] ?? 0) ^ (1 << (at & 7));
        assert.throws(() => opened("a", sealed), UnreadableValueError);
      }),
      { numRuns: 2000 },
    );
  });

  it("is refused at another place than its own", () => {
    fc.assert(
      fc.property(place, place, bytes, (from, to, value) => {
        fc.pre(from !== to);
        assert.throws(() => opened(to, seal(key, from, value)), UnreadableValueError);
      }),
    );
  });

  it("is refused when its end or its beginning is missing", () => {
    const sealed = seal(key, "a", Buffer.from("value"));
    for (let length = 0; length < sealed.length; length++) {
      assert.throws(() => opened("a", sealed.subarray(0, length)), UnreadableValueError);
      const rest = sealed.subarray(length + 1);
      // By chance it begins as an object does; then it is for JSON to refuse it.
      if (rest[0] === "{".charCodeAt(0))
        assert.throws(() => JSON.parse(rest.toString()), SyntaxError);
      else assert.throws(() => opened("a", rest), UnreadableValueError);
    }
  });

  it("is refused when another key claims to have sealed it", () => {
    const other = EncryptionKey.generate();
    const sealed = seal(other, "a", Buffer.from("value"));
    seal(key, "a", Buffer.alloc(0)).copy(sealed, 5, 5, 13);
    assert.equal(sealedBy("a", sealed), key.id);
    assert.throws(() => unseal(key, "a", sealed), UnreadableValueError);
  });

  it("never looks the same twice", () => {
    const values = Array.from({ length: 100 }, () => seal(key, "a", Buffer.from("v")));
    assert.equal(new Set(values.map((value) => value.toString("hex"))).size, 100);
  });

  it("of a later version is refused by naming both", () => {
    const sealed = seal(key, "a", Buffer.from("value"));
    sealed[4] = 2;
    assert.throws(() => sealedBy("a", sealed), /version 2, and this program knows 1/);
  });
});

describe("EncryptionKey", () => {
  it("reads the line that it writes, and shows its bytes in no other way", () => {
    const line = key.toLine();
    const [, encoded = ""] = line.split(" ");
    assert.equal(EncryptionKey.fromLine(line).toLine(), line);
    const shown = [inspect(key, { depth: 9, showHidden: true }), JSON.stringify(key)];
    const bytesShown = [encoded, Buffer.from(encoded, "base64").toString("hex")];
    for (const text of shown) {
      for (const secret of bytesShown) assert.equal(text.includes(secret), false, text);
    }
  });

  it("refuses a line with one wrong character, wherever it is, without repeating the line", () => {
    const line = key.toLine();
    for (let at = 0; at < line.length; at++) {
      const wrong = line[at] === "a" ? "b" : "a";
      const damaged = line.slice(0, at) + wrong + line.slice(at + 1);
      assert.throws(
        () => EncryptionKey.fromLine(damaged),
        (err: Error) => !err.message.includes(line.slice(20, 30)),
        `character ${at}`,
      );
    }
  });
});

/** As if this key had every id: a changed id must not open anything either. */
function opened(at: string, value: Uint8Array): Uint8Array {
  assert.notEqual(sealedBy(at, value), "none");
  return unseal(key, at, value);
}
