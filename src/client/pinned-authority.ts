// Trust without a file: whoever was told the hash of a server's authority can fetch the authority from the server itself.
// Nothing but the certificates is asked for on that connection; the secrets go over the next one, which is verified.

import { createHash, type X509Certificate } from "node:crypto";
import { once } from "node:events";
import { isIP } from "node:net";
import { connect } from "node:tls";
import { deadline } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";

export interface PinnedAuthorityOptions {
  /** https://host:port */
  readonly server: string;
  /** "sha256:" and the hash of the authority's public key (SPKI), in hexadecimal. */
  readonly caHash: string;
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/** PEM. Throws if the server shows no authority with this hash, or is not vouched for by it. */
export async function fetchAuthority(options: PinnedAuthorityOptions): Promise<string> {
  const { server, caHash } = options;
  const chain = await shownChain(options);
  const authority = chain.find((one) => hashOf(one) === caHash.toLowerCase());
  const [leaf] = chain;
  if (authority === undefined || leaf === undefined) {
    throw new Error(
      `Cannot trust ${server}: it shows no authority with the hash ${caHash}. Compare with the line that "driftless token create" printed; somebody may be in between`,
    );
  }
  // A copy of the right authority proves nothing: the server's own certificate must be signed by it.
  if (!leaf.verify(authority.publicKey)) {
    throw new Error(
      `Cannot trust ${server}: its certificate is not signed by the authority that it shows`,
    );
  }
  return authority.toString();
}

async function shownChain({
  server,
  clock,
  timeoutMs,
}: PinnedAuthorityOptions): Promise<readonly X509Certificate[]> {
  const { hostname, port } = new URL(server);
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  using limit = deadline({ clock, timeoutMs });
  const socket = connect({
    host,
    port: port === "" ? 443 : Number(port),
    rejectUnauthorized: false, // What it shows is judged by its hash.
    ...(isIP(host) === 0 && { servername: host }),
  });
  try {
    await once(socket, "secureConnect", { signal: limit.signal });
    const chain: X509Certificate[] = [];
    let next = socket.getPeerX509Certificate();
    while (next !== undefined && chain.length < 10) {
      chain.push(next);
      next = next.issuerCertificate;
    }
    return chain;
  } catch (err) {
    throw new Error(`Cannot reach the API server at ${server}`, { cause: err });
  } finally {
    socket.destroy();
  }
}

function hashOf({ publicKey }: X509Certificate): string {
  const der = publicKey.export({ type: "spki", format: "der" });
  return `sha256:${createHash("sha256").update(der).digest("hex")}`;
}
