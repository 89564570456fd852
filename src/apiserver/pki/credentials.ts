// The certificates of a data directory: made on the first start, kept, and made anew shortly before they run out or
// when the server is reached by another name. The authority's key never leaves the directory.

import { createPublicKey, generateKeyPairSync, X509Certificate } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import { type CertificateAndKey, createAuthority, issue } from "./issue.ts";

export interface Credentials {
  readonly authority: CertificateAndKey;
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
  const authority =
    read(directory, "ca") ??
    keep(
      directory,
      "ca",
      await createAuthority({ commonName: "driftless", nowMs, days: AUTHORITY_DAYS }),
    );
  const leaf = { authority, nowMs, days: LEAF_DAYS };
  const server =
    usable(directory, "server", { authority, nowMs, hosts }) ??
    keep(directory, "server", await issue({ ...leaf, commonName: "driftless-server", hosts }));
  const admin =
    usable(directory, "admin", { authority, nowMs, hosts: [] }) ??
    keep(
      directory,
      "admin",
      await issue({ ...leaf, commonName: "admin", organizations: ["system:masters"] }),
    );
  return { authority, server, admin, serviceAccount: signingKey(directory) };
}

function signingKey(directory: string): Credentials["serviceAccount"] {
  const file = join(directory, "service-account.key");
  if (!existsSync(file)) {
    const made = generateKeyPairSync("ec", { namedCurve: "P-256" });
    writePrivate(file, made.privateKey.export({ type: "pkcs8", format: "pem" }) as string);
  }
  const privateKey = readFileSync(file, "utf8");
  const publicKey = createPublicKey(privateKey).export({ type: "spki", format: "pem" }) as string;
  return { privateKey, publicKey };
}

interface Demands {
  readonly authority: CertificateAndKey;
  readonly nowMs: number;
  readonly hosts: readonly string[];
}

/** Undefined if it has to be made anew. */
function usable(directory: string, name: string, demands: Demands): CertificateAndKey | undefined {
  const found = read(directory, name);
  if (found === undefined) return undefined;
  const certificate = new X509Certificate(found.certificate);
  const isOurs = certificate.verify(new X509Certificate(demands.authority.certificate).publicKey);
  const lastsMs = certificate.validToDate.getTime() - demands.nowMs;
  const hasHosts = demands.hosts.every(
    (host) =>
      (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined,
  );
  return isOurs && lastsMs > RENEW_MS && hasHosts ? found : undefined;
}

function read(directory: string, name: string): CertificateAndKey | undefined {
  const [certificateFile, keyFile] = files(directory, name);
  if (!existsSync(certificateFile) || !existsSync(keyFile)) return undefined;
  return {
    certificate: readFileSync(certificateFile, "utf8"),
    key: readFileSync(keyFile, "utf8"),
  };
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
