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

/** What a certificate is to say, besides whose key it is. */
interface Subject {
  readonly commonName: string;
  /** O: the groups of a user. */
  readonly organizations?: readonly string[];
  /** Of the object that the user stands for. */
  readonly uid?: string;
  /** Names and addresses of a server. */
  readonly hosts?: readonly string[];
}

export interface IssueOptions extends Subject {
  readonly authority: CertificateAndKey;
  readonly nowMs: number;
  /** Less if the authority ends before. */
  readonly lifeMs: number;
}

export interface SignOptions extends IssueOptions {
  /** DER, SPKI: of whoever holds the private half. */
  readonly publicKey: Uint8Array<ArrayBuffer>;
  readonly usages: readonly Usage[];
}

type Usage = "clientAuth" | "serverAuth";

/** Nothing can be issued, and nothing that was issued holds, until somebody decides for a new authority. */
export class AuthorityExpiredError extends Error {
  override readonly name = "AuthorityExpiredError";

  constructor(commonName: string, endedMs: number) {
    super(
      `Cannot issue a certificate for ${JSON.stringify(commonName)}: the certificate authority ended on ${new Date(endedMs).toISOString()}. For a new one stop the server, remove pki/ca.crt and pki/ca.key from its data directory, and start it; then give every user a new kubeconfig, and let every node join again`,
    );
  }
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** Clocks of machines differ: a certificate is valid a little before it was made. */
const BACKDATE_MS = 5 * 60_000;
export const DAY_MS: number = 24 * 3600_000;

/** Where Kubernetes looks for the uid of a certificate's user. */
const UID_ATTRIBUTE = "1.3.6.1.4.1.57683.2";

export type X509 = typeof import("@peculiar/x509");

/** Loads the library, which knows what Node does not: making certificates and reading requests for them. */
export async function loadX509(): Promise<X509> {
  // The library finds out at load time that it cannot work without.
  await import("reflect-metadata");
  return import("@peculiar/x509");
}

export async function createAuthority(options: {
  readonly commonName: string;
  readonly nowMs: number;
  readonly days: number;
}): Promise<CertificateAndKey> {
  const x509 = await loadX509();
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: [{ CN: [options.commonName] }],
    notBefore: new Date(options.nowMs - BACKDATE_MS),
    notAfter: new Date(options.nowMs + options.days * DAY_MS),
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

/** For a key of its own. With hosts it is for a server, without for a client. */
export async function issue(options: IssueOptions): Promise<CertificateAndKey> {
  const x509 = await loadX509();
  const keys = await newKeys();
  const publicKey = new Uint8Array(await crypto.subtle.exportKey("spki", keys.publicKey));
  const isServer = (options.hosts ?? []).length > 0;
  const usages: readonly Usage[] = [isServer ? "serverAuth" : "clientAuth"];
  const certificate = await sign({ ...options, publicKey, usages });
  return { certificate, key: await exported(x509, keys.privateKey) };
}

/** PEM of a certificate for somebody else's key. Throws AuthorityExpiredError. */
export async function sign(options: SignOptions): Promise<string> {
  const x509 = await loadX509();
  const { authority, commonName, organizations = [], uid = "", hosts = [], nowMs } = options;
  const issuer = new x509.X509Certificate(authority.certificate);
  const endMs = issuer.notAfter.getTime();
  if (nowMs >= endMs) throw new AuthorityExpiredError(commonName, endMs);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    // As values: the library takes a bare text that begins with "#" for encoded bytes.
    subject: new x509.Name([
      { CN: [{ utf8String: commonName }] },
      ...organizations.map((name) => ({ O: [{ utf8String: name }] })),
      ...(uid === "" ? [] : [{ [UID_ATTRIBUTE]: [{ utf8String: uid }] }]),
    ]),
    issuer: issuer.subject,
    notBefore: new Date(nowMs - BACKDATE_MS),
    notAfter: new Date(Math.min(nowMs + options.lifeMs, endMs)),
    publicKey: new x509.PublicKey(options.publicKey),
    signingKey: await importedKey(x509, authority.key),
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension(
        options.usages.map((usage) => x509.ExtendedKeyUsage[usage]),
      ),
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
  return certificate.toString("pem");
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
