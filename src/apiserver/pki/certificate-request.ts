// A request for a certificate (PKCS #10), as far as it is believed: whose key it is, that they hold the private half,
// and what they call themselves. Extensions are not looked at; what a certificate says is decided by who signs it.

import { createPublicKey, type KeyObject } from "node:crypto";
import { badRequest } from "../../api/status-error.ts";
import { loadX509, type X509 } from "./issue.ts";
import { type KeyHash, keyHash } from "./key-hash.ts";

export interface CertificateRequest {
  /** DER, SPKI */
  readonly publicKey: Uint8Array<ArrayBuffer>;
  readonly keyHash: KeyHash;
  /** CN. "" if it says none. */
  readonly commonName: string;
  readonly organizations: readonly string[];
}

/** A request with an RSA key of 16,384 bits has 6 KiB. */
const MAX_CHARACTERS = 16 * 1024;

/** Throws BadRequest. */
export async function readCertificateRequest(pem: string): Promise<CertificateRequest> {
  const x509 = await loadX509();
  const request = parsed(x509, pem);
  const publicKey = new Uint8Array(request.publicKey.rawData);
  refuseWeak(publicKey);
  if (!(await isSigned(request))) {
    throw badRequest("csr: its signature is wrong: sign it with the key that it is for");
  }
  return {
    publicKey,
    keyHash: keyHash(publicKey),
    commonName: request.subjectName.getField("CN")[0] ?? "",
    organizations: request.subjectName.getField("O"),
  };
}

type Pkcs10 = InstanceType<X509["Pkcs10CertificateRequest"]>;

function parsed(x509: X509, pem: string): Pkcs10 {
  const isPem = /^\s*-----BEGIN (?:NEW )?CERTIFICATE REQUEST-----/.test(pem);
  if (!isPem || pem.length > MAX_CHARACTERS) throw notRequest();
  try {
    return new x509.Pkcs10CertificateRequest(pem);
  } catch (err) {
    throw notRequest(err);
  }
}

function notRequest(cause?: unknown): Error {
  const error = badRequest("csr: must be a certificate request (PKCS #10) in PEM");
  error.cause = cause;
  return error;
}

function refuseWeak(der: Uint8Array<ArrayBuffer>): void {
  let key: KeyObject;
  try {
    key = createPublicKey({ key: Buffer.from(der), format: "der", type: "spki" });
  } catch (err) {
    throw notRequest(err);
  }
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  const isP256 = type === "ec" && details?.namedCurve === "prime256v1";
  const isLongRsa = type === "rsa" && (details?.modulusLength ?? 0) >= 2048;
  if (isP256 || isLongRsa) return;
  throw badRequest("csr: its key must be ECDSA on P-256, or RSA with at least 2048 bits");
}

async function isSigned(request: Pkcs10): Promise<boolean> {
  try {
    return await request.verify();
  } catch {
    return false; // An algorithm that nobody here knows proves nothing.
  }
}
