// The certificates of a data directory: made on the first start, kept, and made anew shortly before they run out or
// when the server is reached by another name. The authority's key never leaves the directory.

import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  X509Certificate,
} from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import { type CertificateAndKey, createAuthority, type IssueOptions, issue } from "./issue.ts";

/** Without its key nothing can be issued, but what was issued holds. */
interface Authority {
  readonly certificate: string;
  readonly key?: string;
}

export interface Credentials {
  readonly authority: Authority;
  readonly server: CertificateAndKey;
  readonly admin: CertificateAndKey;
  /** With which tokens of service accounts are signed. PEM. */
  readonly serviceAccount: { readonly privateKey: string; readonly publicKey: string };
}

export interface CredentialsOptions {
  readonly directory: string;
  /** Names and addresses by which clients reach the server. */
  readonly hosts: readonly string[];
  readonly nowMs: number;
}

const AUTHORITY_DAYS = 3650;
const LEAF_DAYS = 365;
/** Leaves are renewed when less than this is left, on a start. */
const RENEW_MS = 30 * 24 * 3600_000;

export async function loadCredentials(options: CredentialsOptions): Promise<Credentials> {
  const { directory, hosts, nowMs } = options;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const authority = await loadAuthority(directory, nowMs);
  const demands = { authority: authority.certificate, nowMs };
  const make = async (name: string, subject: Subject): Promise<CertificateAndKey> => {
    const signer = signerOf(directory, name, authority);
    return keep(
      directory,
      name,
      await issue({ authority: signer, nowMs, days: LEAF_DAYS, ...subject }),
    );
  };
  const server =
    usable(directory, "server", { ...demands, hosts }) ??
    (await make("server", { commonName: "driftless-server", hosts }));
  const admin =
    usable(directory, "admin", { ...demands, hosts: [] }) ??
    (await make("admin", { commonName: "admin", organizations: ["system:masters"] }));
  return { authority, server, admin, serviceAccount: signingKey(directory) };
}

type Subject = Pick<IssueOptions, "commonName" | "hosts" | "organizations">;

async function loadAuthority(directory: string, nowMs: number): Promise<Authority> {
  const [certificateFile, keyFile] = files(directory, "ca");
  if (existsSync(certificateFile)) {
    const certificate = readCertificate(certificateFile);
    return existsSync(keyFile) ? { certificate, key: readKey(keyFile) } : { certificate };
  }
  const made = await createAuthority({ commonName: "driftless", nowMs, days: AUTHORITY_DAYS });
  return keep(directory, "ca", made);
}

/** A new authority would be one that no client trusts: whoever loses the key has to decide it. */
function signerOf(
  directory: string,
  name: string,
  { certificate, key }: Authority,
): CertificateAndKey {
  const [certificateFile, keyFile] = files(directory, "ca");
  if (key !== undefined) return { certificate, key };
  throw new Error(
    `Cannot issue the certificate ${name}.crt: ${keyFile} is missing. Put it back; or remove ${certificateFile} for a new authority, which clients do not know yet`,
  );
}

function signingKey(directory: string): Credentials["serviceAccount"] {
  const file = join(directory, "service-account.key");
  if (!existsSync(file)) {
    const made = generateKeyPairSync("ec", { namedCurve: "P-256" });
    writePrivate(file, made.privateKey.export({ type: "pkcs8", format: "pem" }) as string);
  }
  const privateKey = readKey(file);
  const publicKey = createPublicKey(privateKey).export({ type: "spki", format: "pem" }) as string;
  return { privateKey, publicKey };
}

interface Demands {
  /** PEM of the certificate. */
  readonly authority: string;
  readonly nowMs: number;
  readonly hosts: readonly string[];
}

/** Undefined if it has to be made anew. */
function usable(directory: string, name: string, demands: Demands): CertificateAndKey | undefined {
  const [certificateFile, keyFile] = files(directory, name);
  if (!existsSync(certificateFile) || !existsSync(keyFile)) return undefined;
  const found = { certificate: readCertificate(certificateFile), key: readKey(keyFile) };
  const certificate = new X509Certificate(found.certificate);
  const isOurs = certificate.verify(new X509Certificate(demands.authority).publicKey);
  // A renewal that was cut short leaves a new key beside the old certificate.
  const isPair = certificate.checkPrivateKey(createPrivateKey(found.key));
  const lastsMs = certificate.validToDate.getTime() - demands.nowMs;
  const hasHosts = demands.hosts.every(
    (host) =>
      (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined,
  );
  return isOurs && isPair && lastsMs > RENEW_MS && hasHosts ? found : undefined;
}

function readCertificate(file: string): string {
  return readPem(file, "a certificate", (pem) => new X509Certificate(pem));
}

function readKey(file: string): string {
  return readPem(file, "a private key", createPrivateKey);
}

/** Throws if it is damaged, and says which file it is. */
function readPem(file: string, what: string, parse: (pem: string) => unknown): string {
  const pem = readFileSync(file, "utf8");
  try {
    parse(pem);
  } catch (err) {
    throw new Error(`Cannot read ${file}: it is not ${what} in PEM`, { cause: err });
  }
  return pem;
}

function keep(directory: string, name: string, made: CertificateAndKey): CertificateAndKey {
  const [certificateFile, keyFile] = files(directory, name);
  // The key first: a certificate whose key is missing counts as missing, and is made again.
  writePrivate(keyFile, made.key);
  writePrivate(certificateFile, made.certificate);
  return made;
}

function files(directory: string, name: string): readonly [string, string] {
  return [join(directory, `${name}.crt`), join(directory, `${name}.key`)];
}

/** Whole or not at all, and never readable by others. */
export function writePrivate(file: string, text: string): void {
  const temporary = `${file}.new`;
  writeFileSync(temporary, text, { mode: 0o600 });
  chmodSync(temporary, 0o600); // The mode above counts only for a file that did not exist.
  renameSync(temporary, file);
}
