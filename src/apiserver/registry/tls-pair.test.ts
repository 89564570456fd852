import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { before, describe, it } from "node:test";
import { type CertificateAndKey, createAuthority } from "../pki/issue.ts";
import { tlsPairProblem } from "./tls-pair.ts";

const pem = (type: string) => `-----BEGIN ${type}-----\nAAAA\n-----END ${type}-----\n`;

describe("tlsPairProblem", () => {
  let pair: CertificateAndKey;
  let other: CertificateAndKey;
  before(async () => {
    const options = { commonName: "test", nowMs: Date.UTC(2026, 0, 1), days: 1 };
    pair = await createAuthority(options);
    other = await createAuthority(options);
  });

  it("finds nothing wrong with a pair", () => {
    assert.equal(tlsPairProblem(pair.certificate, pair.key), undefined);
  });

  it("finds a key that is another's", () => {
    assert.equal(
      tlsPairProblem(pair.certificate, other.key),
      "tls: private key does not match public key",
    );
  });

  it("finds a key of another type", () => {
    const { privateKey } = generateKeyPairSync("ed25519");
    const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    assert.equal(
      tlsPairProblem(pair.certificate, key),
      "tls: private key type does not match public key type",
    );
  });

  it("finds parts that are missing, switched or something else", () => {
    const key = pem("RSA PRIVATE KEY");
    const certificate = pem("CERTIFICATE");
    const cases: readonly [string, string, string][] = [
      ["", key, "tls: failed to find any PEM data in certificate input"],
      [
        key,
        certificate,
        "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched",
      ],
      [
        pem("A") + pem("B"),
        key,
        'tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [A B]',
      ],
      [certificate, "", "tls: failed to find any PEM data in key input"],
      [
        certificate,
        certificate,
        "tls: found a certificate rather than a key in the PEM for the private key",
      ],
      [
        certificate,
        pem("A"),
        'tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [A]',
      ],
    ];
    for (const [one, two, problem] of cases) assert.equal(tlsPairProblem(one, two), problem);
  });

  it("says nothing about bytes that it cannot read", () => {
    assert.equal(tlsPairProblem(pem("CERTIFICATE"), pem("PRIVATE KEY")), undefined);
  });
});

it("tlsPairProblem takes a text of beginnings in its stride", () => {
  const text = "-----BEGIN A-----\n".repeat(60_000);
  assert.equal(tlsPairProblem(text, ""), "tls: failed to find any PEM data in certificate input");
});
