// What a node's certificate says, and what has to be true of one that a server hands out.

import { createPrivateKey, X509Certificate } from "node:crypto";
import { isJsonObject, type JsonValue } from "../../api/json.ts";

const NODE_USER = "system:node:";

/** Undefined if the certificate is not a node's. */
export function nodeOfCertificate(pem: string): string | undefined {
  const { subject } = new X509Certificate(pem);
  return new RegExp(`^CN=${NODE_USER}(.+)$`, "m").exec(subject)?.[1];
}

export interface Lifetime {
  readonly startMs: number;
  readonly endMs: number;
}

export function lifetimeOf(pem: string): Lifetime {
  const { validFromDate, validToDate } = new X509Certificate(pem);
  return { startMs: validFromDate.getTime(), endMs: validToDate.getTime() };
}

/** The certificate in what a server answered. Throws if it is not for this key and node. */
export function signedCertificate(
  answer: JsonValue,
  asked: { readonly key: string; readonly nodeName: string },
): string {
  const pem = isJsonObject(answer) ? answer["certificate"] : undefined;
  if (typeof pem === "string" && isFor(pem, asked)) return pem;
  throw new Error(
    `Cannot use what the server answered: it is not a certificate of the node ${JSON.stringify(asked.nodeName)} for the key of this machine`,
  );
}

function isFor(
  pem: string,
  { key, nodeName }: { readonly key: string; readonly nodeName: string },
): boolean {
  try {
    const isOurKey = new X509Certificate(pem).checkPrivateKey(createPrivateKey(key));
    return isOurKey && nodeOfCertificate(pem) === nodeName;
  } catch {
    return false; // Not a certificate at all.
  }
}
