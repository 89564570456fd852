// A Secret with the token of a service account: what has to be done about it.

import { semanticEqual } from "../../api/validation/semantic-equal.ts";
import type { SecretObject, ServiceAccountObject } from "./account-objects.ts";

export const TOKEN_SECRET = "kubernetes.io/service-account-token";
const ACCOUNT_NAME = "kubernetes.io/service-account.name";
const ACCOUNT_UID = "kubernetes.io/service-account.uid";
/** The share of its life after which a token is replaced. */
const RENEW_AFTER = 0.8;

/** For which account it is. */
export function accountNameOf({ metadata }: SecretObject): string {
  return metadata.annotations?.[ACCOUNT_NAME] ?? "";
}

/** The account that it is for is that one, not an earlier one of its name. */
export function isFor(secret: SecretObject, account: ServiceAccountObject): boolean {
  const uid = secret.metadata.annotations?.[ACCOUNT_UID] ?? "";
  return uid === "" || uid === account.metadata.uid;
}

/** When its token has to be replaced, in milliseconds since the epoch; 0 if there is none that can be read. */
export function renewalMs({ data }: SecretObject): number {
  try {
    const text = Buffer.from(data?.["token"] ?? "", "base64").toString();
    const claims = Buffer.from(text.split(".")[1] ?? "", "base64url").toString();
    const { iat, exp } = JSON.parse(claims) as { readonly iat?: unknown; readonly exp?: unknown };
    if (typeof iat !== "number") return 0;
    // One that never ends was put there by somebody else, and is good.
    if (typeof exp !== "number") return Number.POSITIVE_INFINITY;
    return 1000 * (iat + RENEW_AFTER * (exp - iat));
  } catch {
    return 0; // It is no token, or there is none yet.
  }
}

/** The Secret as it should be; undefined if it is. `token`: a new one. */
export function completed(
  secret: SecretObject,
  of: {
    readonly account: ServiceAccountObject;
    readonly rootCertificates: string;
    readonly token: string | undefined;
  },
): SecretObject | undefined {
  const { account, rootCertificates, token } = of;
  const { namespace = "", annotations } = secret.metadata;
  const data = {
    ...secret.data,
    ...(rootCertificates !== "" && { "ca.crt": base64(rootCertificates) }),
    namespace: base64(namespace),
    ...(token !== undefined && { token: base64(token) }),
  };
  const wanted = { ...annotations, [ACCOUNT_UID]: account.metadata.uid ?? "" };
  if (semanticEqual(data, secret.data) && semanticEqual(wanted, annotations)) return undefined;
  return { ...secret, metadata: { ...secret.metadata, annotations: wanted }, data };
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
