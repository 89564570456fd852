// Who a client certificate says that they are. Node has judged it during the handshake; what is left to see is that
// its time is not over yet, because connections last longer than some certificates.

import { createHash, type X509Certificate } from "node:crypto";
import type { TLSSocket } from "node:tls";
import type { HttpRequest } from "../http/answer.ts";
import type { UserInfo } from "../user.ts";

export interface ClientCertificate {
  /** Undefined: our authority did not sign it, it is for another purpose, its time has not come or is over. */
  readonly user: UserInfo | undefined;
}

interface Read extends ClientCertificate {
  readonly untilMs: number;
}

/** Where Kubernetes looks for the uid of a certificate's user. */
const UID_ATTRIBUTE = "1.3.6.1.4.1.57683.2";

/** By connection: a certificate is read once, not once per request. Null if none was shown. */
const known = new WeakMap<object, Read | null>();

/** Undefined if none was shown, or one without a name, which is the same. */
export function clientCertificate(
  request: HttpRequest,
  nowMs: number,
): ClientCertificate | undefined {
  // With HTTP/2 each request has a socket object of its own; the session is what stays.
  const { stream } = request as { readonly stream?: { readonly session?: object } };
  const connection = stream?.session ?? request.socket;
  let read = known.get(connection);
  if (read === undefined) {
    read = readCertificate(request.socket as TLSSocket) ?? null;
    known.set(connection, read);
  }
  if (read === null) return undefined;
  return { user: nowMs <= read.untilMs ? read.user : undefined };
}

/** `authorized` is false without a certificate too: it alone does not tell a bad one from none. */
function readCertificate(socket: TLSSocket): Read | undefined {
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return undefined;
  const untilMs = certificate.validToDate.getTime();
  if (!socket.authorized) return { user: undefined, untilMs };
  const subject = subjectOf(certificate);
  const name = subject("CN").at(-1) ?? "";
  if (name === "") return undefined;
  const [uid, ...more] = subject(UID_ATTRIBUTE);
  if (more.length > 0) return { user: undefined, untilMs };
  const fingerprint = createHash("sha256").update(certificate.raw).digest("hex");
  const user: UserInfo = {
    name,
    ...(uid !== undefined && { uid }),
    groups: subject("O"),
    extra: { "authentication.kubernetes.io/credential-id": [`X509SHA256=${fingerprint}`] },
  };
  return { user, untilMs };
}

/** The printed form of a subject escapes what it likes; the old form has the values as they are. */
function subjectOf(certificate: X509Certificate): (attribute: string) => readonly string[] {
  const { subject } = certificate.toLegacyObject() as {
    readonly subject?: Readonly<Record<string, string | readonly string[] | undefined>>;
  };
  return (attribute) => [subject?.[attribute] ?? []].flat();
}
