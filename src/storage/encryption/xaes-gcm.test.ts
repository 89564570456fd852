import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Secret } from "../../base/secret.ts";
import { XaesGcm } from "./xaes-gcm.ts";

const nonce = Buffer.from("ABCDEFGHIJKLMNOPQRSTUVWX");
const plaintext = Buffer.from("XAES-256-GCM");

describe("XaesGcm", () => {
  // One key for each branch of the doubling.
  const vectors = [
    { key: 1, bound: "", sealed: "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271" },
    {
      key: 3,
      bound: "c2sp.org/XAES-256-GCM",
      sealed: "986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d",
    },
  ];
  for (const { key, bound, sealed } of vectors) {
    it(`agrees with the published vector for the key of ${key}s`, () => {
      const cipher = new XaesGcm(new Secret(Buffer.alloc(32, key)));
      const message = { nonce, bound: Buffer.from(bound) };

      const [ciphertext, tag] = cipher.seal(plaintext, message);

      assert.equal(Buffer.concat([ciphertext, tag]).toString("hex"), sealed);
      assert.deepEqual(cipher.open(ciphertext, tag, message), plaintext);
    });
  }

  it("refuses keys, nonces and tags of another length", () => {
    const cipher = new XaesGcm(new Secret(Buffer.alloc(32, 1)));
    const message = { nonce, bound: Buffer.alloc(0) };
    const [ciphertext, tag] = cipher.seal(plaintext, message);
    assert.throws(() => new XaesGcm(new Secret(Buffer.alloc(16))));
    assert.throws(() => cipher.seal(plaintext, { ...message, nonce: nonce.subarray(12) }));
    assert.throws(() => cipher.open(ciphertext, tag.subarray(0, 4), message));
  });
});
