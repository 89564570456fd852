// What a machine keeps of being a node, below its data directory:
//
//   node/joining.key     only until it has joined: whoever asks again has to ask with the same key
//   node/identity.pem    key and certificate in one file, so that there is never one without the other
//   node/authority.crt   whom it believes to be the server
//   node/kubeconfig      where the server is, and the two above; kubectl can use it. It is there when all of it is
//
// The order of every change below lets a crash between any two steps leave either what was or a machine that joins again.

import { createPrivateKey, X509Certificate } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isErrno } from "../../base/errors.ts";
import { removeDurably, writeDurably } from "./durable-file.ts";

/** PEM, both. */
export interface KeyAndCertificate {
  readonly key: string;
  readonly certificate: string;
}

export interface NodeFilesOptions {
  /** The agent's. */
  readonly dataDir: string;
}

export class NodeFiles {
  readonly directory: string;

  constructor({ dataDir }: NodeFilesOptions) {
    this.directory = join(dataDir, "node");
  }

  get kubeconfig(): string {
    return join(this.directory, "kubeconfig");
  }

  get #identity(): string {
    return join(this.directory, "identity.pem");
  }

  get #joiningKey(): string {
    return join(this.directory, "joining.key");
  }

  /** Whether it has joined. */
  get isMember(): boolean {
    return textOf(this.kubeconfig) !== undefined;
  }

  /** Undefined if there is none. Throws if it is damaged. */
  identity(): KeyAndCertificate | undefined {
    const text = textOf(this.#identity);
    if (text === undefined) return undefined;
    const key = block(text, "PRIVATE KEY");
    const certificate = block(text, "CERTIFICATE");
    if (key === undefined || certificate === undefined || !belong({ key, certificate })) {
      throw new Error(
        `Cannot use ${this.#identity}: it is not a key and its certificate. Remove it, and join again with a new token`,
      );
    }
    return { key, certificate };
  }

  /** With which it joins: the one that it asked with before, if any. */
  async joiningKey(make: () => Promise<string>): Promise<string> {
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    // A machine that joins again is known to the server by the key that it has.
    const held = textOf(this.#joiningKey) ?? this.identity()?.key;
    if (held !== undefined && isKey(held)) return held;
    const key = await make();
    writeDurably(this.#joiningKey, key);
    return key;
  }

  /** It has joined. */
  becomeMember(membership: KeyAndCertificate & MemberOf): void {
    removeDurably(this.kubeconfig); // (1) Else an old server could be taken with a new authority.
    writeDurably(join(this.directory, "authority.crt"), membership.authority); // (2)
    this.renew(membership); // (3)
    this.moveTo(membership.server); // (4) From here on it is a member.
    removeDurably(this.#joiningKey); // (5)
  }

  /** Its certificate is another one now. Do not use the new one before this returns: the server forgets the old key then. */
  renew({ key, certificate }: KeyAndCertificate): void {
    writeDurably(this.#identity, `${certificate.trim()}\n${key.trim()}\n`);
  }

  /** The same server has another address. */
  moveTo(server: string): void {
    writeDurably(this.kubeconfig, kubeconfigOf(server));
  }
}

export interface MemberOf {
  readonly server: string;
  /** PEM */
  readonly authority: string;
}

/** JSON, which is YAML. */
function kubeconfigOf(server: string): string {
  const user = { "client-certificate": "identity.pem", "client-key": "identity.pem" };
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      { name: "driftless", cluster: { server, "certificate-authority": "authority.crt" } },
    ],
    users: [{ name: "node", user }],
    contexts: [{ name: "driftless", context: { cluster: "driftless", user: "node" } }],
    "current-context": "driftless",
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (err) {
    if (isErrno(err, "ENOENT")) return undefined;
    throw err;
  }
}

function block(text: string, label: string): string | undefined {
  const found = new RegExp(`-----BEGIN ${label}-----[^-]+-----END ${label}-----\n?`).exec(text);
  return found?.[0];
}

function isKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).type === "private";
  } catch {
    return false; // Nobody can have joined with it.
  }
}

function belong({ key, certificate }: KeyAndCertificate): boolean {
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false; // One of them cannot be read.
  }
}
