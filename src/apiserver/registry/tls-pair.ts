// Whether a certificate and a key belong together. A Secret of type kubernetes.io/tls is stored anyway; what is wrong
// with it is a warning, in the words of Go's crypto/tls.

import { createPrivateKey, X509Certificate } from "node:crypto";

/** Undefined if the pair is fine, or broken in a way that only its bytes tell. */
export function tlsPairProblem(certificate: string, key: string): string | undefined {
  const inCertificate = blocksIn(certificate);
  const certificateBlock = inCertificate.find(({ type }) => type === "CERTIFICATE");
  if (certificateBlock === undefined) return noCertificate(inCertificate.map(({ type }) => type));
  const inKey = blocksIn(key);
  const keyBlock = inKey.find(({ type }) => isKeyType(type));
  if (keyBlock === undefined) return noKey(inKey.map(({ type }) => type));
  return mismatch(certificateBlock.pem, keyBlock.pem);
}

interface PemBlock {
  readonly type: string;
  readonly pem: string;
}

/** In one pass: a search for the end of each beginning would take forever on a text of beginnings. */
function blocksIn(text: string): PemBlock[] {
  const found: PemBlock[] = [];
  let open: { readonly type: string; readonly at: number } | undefined;
  for (const { 0: line, 1: edge, 2: type = "", index } of text.matchAll(boundary)) {
    if (edge === "BEGIN") open ??= { type, at: index };
    else if (open?.type === type) {
      found.push({ type, pem: text.slice(open.at, index + line.length) });
      open = undefined;
    }
  }
  return found;
}

const boundary = /^-----(BEGIN|END) ([^\n-]{1,64})-----\r?$/gm;

function isKeyType(type: string): boolean {
  return type === "PRIVATE KEY" || type.endsWith(" PRIVATE KEY");
}

function noCertificate(types: readonly string[]): string {
  const [first, ...more] = types;
  if (first === undefined) return "tls: failed to find any PEM data in certificate input";
  if (more.length === 0 && first.endsWith("PRIVATE KEY")) {
    return "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched";
  }
  return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${types.join(" ")}]`;
}

function noKey(types: readonly string[]): string {
  const [first, ...more] = types;
  if (first === undefined) return "tls: failed to find any PEM data in key input";
  if (more.length === 0 && first === "CERTIFICATE") {
    return "tls: found a certificate rather than a key in the PEM for the private key";
  }
  return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [${types.join(" ")}]`;
}

function mismatch(certificate: string, key: string): string | undefined {
  try {
    const parsed = new X509Certificate(certificate);
    const secret = createPrivateKey(key);
    if (parsed.checkPrivateKey(secret)) return undefined;
    return parsed.publicKey.asymmetricKeyType === secret.asymmetricKeyType
      ? "tls: private key does not match public key"
      : "tls: private key type does not match public key type";
  } catch {
    // The platform cannot read them. What it says about that is not what clients know, and may repeat a secret.
    return undefined;
  }
}
