// Signs the certificates of nodes: for the user system:node:NAME in system:nodes and, if it asks for hosts, for the port
// on which the node itself is asked. One certificate for both, so that there is one to renew.

import { X509Certificate } from "node:crypto";
import { internalError } from "../../api/status-error.ts";
import type { Clock } from "../../base/clock.ts";
import type { Authority } from "../pki/credentials.ts";
import { AuthorityExpiredError, DAY_MS, sign } from "../pki/issue.ts";

export const NODES = "system:nodes";
export const NODE_USER_PREFIX = "system:node:";

/** A machine that is off for a vacation comes back by itself; one that was removed is out after this at the latest. */
const LIFE_MS = 90 * DAY_MS;

export interface NodeCertificatesOptions {
  readonly authority: Authority;
  readonly clock: Clock;
}

export interface NodeIdentity {
  readonly nodeName: string;
  /** Of its Node object. */
  readonly uid: string;
  /** DER, SPKI */
  readonly publicKey: Uint8Array<ArrayBuffer>;
  /** Checked before. */
  readonly hosts: readonly string[];
}

/** What a machine is sent. */
export interface NodeCertificate {
  /** PEM */
  readonly certificate: string;
  /** PEM */
  readonly authority: string;
  readonly notAfter: string;
}

export class NodeCertificates {
  readonly #options: NodeCertificatesOptions;

  constructor(options: NodeCertificatesOptions) {
    this.#options = options;
  }

  /** Throws InternalError, with what to do, if the authority is over or its key is not here. */
  async sign({ nodeName, uid, publicKey, hosts }: NodeIdentity): Promise<NodeCertificate> {
    const { authority, clock } = this.#options;
    const { certificate: issuer, key } = authority;
    if (key === undefined) {
      throw internalError("the key of the certificate authority is missing: put pki/ca.key back");
    }
    const certificate = await this.#signed({
      authority: { certificate: issuer, key },
      commonName: NODE_USER_PREFIX + nodeName,
      organizations: [NODES],
      uid,
      hosts,
      publicKey,
      usages: hosts.length > 0 ? ["clientAuth", "serverAuth"] : ["clientAuth"],
      nowMs: clock.now(),
      lifeMs: LIFE_MS,
    });
    const notAfter = new X509Certificate(certificate).validToDate.toISOString();
    return { certificate, authority: issuer, notAfter };
  }

  async #signed(options: Parameters<typeof sign>[0]): Promise<string> {
    try {
      return await sign(options);
    } catch (err) {
      if (err instanceof AuthorityExpiredError) throw internalError(err.message, err);
      throw err;
    }
  }
}
