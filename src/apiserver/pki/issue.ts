// Makes certificates: an authority of our own, and what it signs. The library is loaded only when something has to be
// made, which is on the first start and shortly before a certificate runs out.

import type { webcrypto } from "node:crypto";
import { isIP } from "node:net";

export interface CertificateAndKey {
  /** PEM */
  readonly certificate: string;
  /** PEM, PKCS #8 */
  readonly key: string;
}

export interface IssueOptions {
  readonly authority: CertificateAndKey;
  readonly commonName: string;
  /** O: the groups of a user. */
  readonly organizations?: readonly string[];
  /** Names and addresses of a server; a certificate without them is for a client. */
  readonly hosts?: readonly string[];
  readonly nowMs: number;
  readonly days: number;
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** Clocks of machines differ: a certificate is valid a little before it was made. */
const BACKDATE_MS = 5 * 60_000;
const DAY_MS = 24 * 3600_000;

type X509 = typeof import("@peculiar/x509");

async function load(): Promise<X509> {
  // The library finds out at load time that it cannot work without.
  await import("reflect-metadata");
  return import("@peculiar/x509");
}

export async function createAuthority(options: {
  readonly commonName: string;
  readonly nowMs: number;
  readonly days: number;
}): Promise<CertificateAndKey> {
  const x509 = await load();
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: [{ CN: [options.commonName] }],
    ...validity(options),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign |
          x509.KeyUsageFlags.cRLSign |
          x509.KeyUsageFlags.digitalSignature,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: certificate.toString("pem"), key: await exported(x509, keys.privateKey) };
}

export async function issue(options: IssueOptions): Promise<CertificateAndKey> {
  const x509 = await load();
  const { authority, commonName, organizations = [], hosts = [] } = options;
  const keys = await newKeys();
  const issuer = new x509.X509Certificate(authority.certificate);
  const usage =
    hosts.length > 0 ? x509.ExtendedKeyUsage.serverAuth : x509.ExtendedKeyUsage.clientAuth;
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: [{ CN: [commonName] }, ...organizations.map((name) => ({ O: [name] }))],
    issuer: issuer.subject,
    ...validity(options),
    publicKey: keys.publicKey,
    signingKey: await importedKey(x509, authority.key),
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([usage]),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
      ...(hosts.length > 0
        ? [
            new x509.SubjectAlternativeNameExtension(
              hosts.map((value) => ({ type: isIP(value) === 0 ? "dns" : "ip", value }) as const),
            ),
          ]
        : []),
    ],
  });
  return { certificate: certificate.toString("pem"), key: await exported(x509, keys.privateKey) };
}

function validity({ nowMs, days }: { readonly nowMs: number; readonly days: number }): {
  readonly notBefore: Date;
  readonly notAfter: Date;
} {
  return { notBefore: new Date(nowMs - BACKDATE_MS), notAfter: new Date(nowMs + days * DAY_MS) };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
}

/** 127 bits of chance: positive, and never the same twice. */
function serialNumber(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[0] = (bytes[0] ?? 0) & 0x7f;
  return Buffer.from(bytes).toString("hex");
}

async function exported(x509: X509, key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await crypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY");
}

async function importedKey(x509: X509, pem: string): Promise<webcrypto.CryptoKey> {
  const [der] = x509.PemConverter.decode(pem);
  if (der === undefined) throw new Error("Cannot sign: the authority's key file has no key in it");
  return crypto.subtle.importKey("pkcs8", der, algorithm, false, ["sign"]);
}
