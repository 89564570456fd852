// The key of the client certificate on the connection that a request came by.

import type { TLSSocket } from "node:tls";
import type { HttpRequest } from "../http/answer.ts";
import { certificateKeyHash, type KeyHash } from "../pki/key-hash.ts";

/** Undefined without a certificate, or with one that our authority did not sign. */
export function peerKey(request: HttpRequest): KeyHash | undefined {
  const socket = request.socket as TLSSocket;
  const certificate = socket.authorized ? socket.getPeerX509Certificate() : undefined;
  return certificate && certificateKeyHash(certificate.raw);
}
