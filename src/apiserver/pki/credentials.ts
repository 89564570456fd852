// The certificates of a data directory: made on the first start, kept, and made anew shortly before they run out or
// when the server is reached by another name. The authority's key never leaves the directory.
//
// The authority itself lasts ten years and is not renewed: every client and node has a copy of its certificate, and
// would have to be given the new one. In its last year the server warns, and nothing that it issues outlives it. When
// it is over, nobody trusts anything that it signed, and nothing more is issued; see AuthorityExpiredError.

import { createPrivateKey, X509Certificate } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import {
  type CertificateAndKey,
  createAuthority,
  DAY_MS,
  type IssueOptions,
  issue,
} from "./issue.ts";
import { readCertificate, readKey, writePrivate } from "./private-file.ts";
import { loadSigningKeys, type SigningKeys } from "./signing-keys.ts";

/** Without its key nothing can be issued, but what was issued holds. */
export interface Authority {
  readonly certificate: string;
  readonly key?: string;
}

export interface Credentials {
  readonly authority: Authority;
  readonly server: CertificateAndKey;
  readonly admin: CertificateAndKey;
  /** As whom the server asks nodes on their ports. Undefined: there is none, and no key to make one with. */
  readonly nodeClient: CertificateAndKey | undefined;
  /** As whom controllers ask the server. Undefined likewise. */
  readonly controllers: CertificateAndKey | undefined;
  readonly serviceAccount: SigningKeys;
}

export interface CredentialsOptions {
  readonly directory: string;
  /** Names and addresses by which clients reach the server. */
  readonly hosts: readonly string[];
  readonly nowMs: number;
}

/** The user that the server is to its nodes. It may ask them, and nothing else. */
export const API_SERVER_USER = "system:driftless:apiserver";

/** The user that `driftless controllers` is when one process runs all of them. */
export const CONTROLLERS_USER = "system:driftless:controllers";

const AUTHORITY_DAYS = 3650;
const LEAF_MS = 365 * DAY_MS;
/** A leaf is renewed when less than this is left, or less than a third of its life if that is shorter. */
const RENEW_MS = 30 * DAY_MS;

/** Renews what is due, too: whoever calls it again later gets what is good then. */
export async function loadCredentials(options: CredentialsOptions): Promise<Credentials> {
  const { directory, hosts, nowMs } = options;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const authority = await loadAuthority(directory, nowMs);
  const demands = { authority: authority.certificate, nowMs };
  const make = async (name: string, subject: Subject): Promise<CertificateAndKey> => {
    const signer = signerOf(directory, `${name}.crt`, authority);
    return keep(
      directory,
      name,
      await issue({ authority: signer, nowMs, lifeMs: LEAF_MS, ...subject }),
    );
  };
  const server =
    usable(directory, "server", { ...demands, hosts }) ??
    (await make("server", { commonName: "driftless-server", hosts }));
  const admin =
    usable(directory, "admin", { ...demands, hosts: [] }) ??
    (await make("admin", { commonName: "admin", organizations: ["system:masters"] }));
  /** Servers of before had none: without a key they start all the same. */
  const makeIfPossible = async (
    name: string,
    commonName: string,
  ): Promise<CertificateAndKey | undefined> =>
    usable(directory, name, { ...demands, hosts: [] }) ??
    (authority.key === undefined ? undefined : await make(name, { commonName }));
  const nodeClient = await makeIfPossible("node-client", API_SERVER_USER);
  const controllers = await makeIfPossible("controllers", CONTROLLERS_USER);
  const serviceAccount = loadSigningKeys(directory);
  return { authority, server, admin, nodeClient, controllers, serviceAccount };
}

/** The authority of a data directory, for signing. Throws if there is none, or no key of it that can be read. */
export function loadSigner(directory: string, what: string): CertificateAndKey {
  const [certificateFile, keyFile] = files(directory, "ca");
  const certificate = readCertificate(certificateFile);
  return signerOf(directory, what, {
    certificate,
    ...(existsSync(keyFile) && { key: readKey(keyFile) }),
  });
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
  what: string,
  { certificate, key }: Authority,
): CertificateAndKey {
  const [certificateFile, keyFile] = files(directory, "ca");
  if (key !== undefined) return { certificate, key };
  throw new Error(
    `Cannot issue the certificate ${what}: ${keyFile} is missing. Put it back; or remove ${certificateFile} for a new authority, which clients do not know yet`,
  );
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
  const hasHosts = demands.hosts.every(
    (host) =>
      (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined,
  );
  return isOurs && isPair && hasHosts && !isDue(certificate, demands.nowMs) ? found : undefined;
}

function isDue({ validFromDate, validToDate }: X509Certificate, nowMs: number): boolean {
  const lifeMs = validToDate.getTime() - validFromDate.getTime();
  return validToDate.getTime() - nowMs <= Math.min(RENEW_MS, lifeMs / 3);
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
