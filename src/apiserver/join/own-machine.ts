// The machine that the server runs on, as a node. It needs no token: who can read the authority's key can sign what it likes. It is
// a node like every other one all the same: it has a Node object, a key of its own, and the rights of a node.

import { createPublicKey, X509Certificate } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import { DAY_MS } from "../pki/issue.ts";
import { keyHash } from "../pki/key-hash.ts";
import type { NodeCertificates } from "./node-certificates.ts";
import type { NodeMembers } from "./node-members.ts";

export interface OwnMachineOptions {
  readonly members: NodeMembers;
  readonly certificates: NodeCertificates;
  /** PEM of the authority's. */
  readonly authority: string;
  readonly clock: Clock;
}

export interface Enrolment {
  readonly nodeName: string;
  /** PEM, of the machine's private key. */
  readonly key: string;
  /** PEM, from an earlier start. */
  readonly held: string | undefined;
  /** This machine was that node before, and may have lost its key. */
  readonly mayReplace: boolean;
}

/** The agent renews long before; what is nearer to its end than this was not renewed, and is made anew. */
const MIN_LEFT_MS = DAY_MS;

export class OwnMachine {
  readonly #options: OwnMachineOptions;

  constructor(options: OwnMachineOptions) {
    this.#options = options;
  }

  /** PEM of its certificate: the one that it holds, if that still counts. Throws Forbidden if another machine is that node. */
  async enrol({ nodeName, key, held, mayReplace }: Enrolment): Promise<string> {
    const { members, certificates } = this.#options;
    const publicKey = new Uint8Array(
      createPublicKey(key).export({ type: "spki", format: "der" }) as Buffer,
    );
    const uid = await members.claim({ nodeName, key: keyHash(publicKey), mayReplace });
    if (held !== undefined && this.#counts(held, uid)) return held;
    return (await certificates.sign({ nodeName, uid, publicKey, hosts: [] })).certificate;
  }

  /** It was signed by this authority, for the Node that there is now, and has some time left. */
  #counts(pem: string, uid: string): boolean {
    const { authority, clock } = this.#options;
    const certificate = new X509Certificate(pem);
    return (
      certificate.verify(new X509Certificate(authority).publicKey) &&
      certificate.subject.split("\n").some((line) => line.endsWith(`=${uid}`)) &&
      certificate.validToDate.getTime() - clock.now() > MIN_LEFT_MS
    );
  }
}
