// How a machine becomes a node and stays one:
//
//   POST /driftless/v1/join    with a join token       { nodeName, csr, hosts? } → { certificate, authority, notAfter }
//   POST /driftless/v1/renew   with its certificate    the same, for its own name and while its Node object is there
//
// The order in a join: everything that can be refused is looked at first; then the token becomes this machine's, then
// the node; the certificate comes last. A machine that hears no answer asks again: to join with the same key, to renew
// with any.

import { isJsonObject, type JsonValue } from "../../api/json.ts";
import { badRequest, methodNotAllowed } from "../../api/status-error.ts";
import { nameIsDnsSubdomain } from "../../api/validation/names.ts";
import { type Answer, jsonAnswer } from "../http/answer.ts";
import { type CertificateRequest, readCertificateRequest } from "../pki/certificate-request.ts";
import type { KeyHash } from "../pki/key-hash.ts";
import type { UserInfo } from "../user.ts";
import { BOOTSTRAPPERS, type JoinTokens } from "./join-tokens.ts";
import { NODE_USER_PREFIX, NODES, type NodeCertificates } from "./node-certificates.ts";
import { refuseHosts } from "./node-hosts.ts";
import type { NodeMembers } from "./node-members.ts";
import { refused } from "./refused.ts";

export const JOIN_PATH = "/driftless/v1/join";
export const RENEW_PATH = "/driftless/v1/renew";

export interface JoinApiOptions {
  readonly tokens: JoinTokens;
  readonly members: NodeMembers;
  readonly certificates: NodeCertificates;
  /** By which the API server is reached: no node may have them. */
  readonly serverHosts: readonly string[];
}

export interface JoinExchange {
  readonly method: string;
  readonly path: string;
  readonly user: UserInfo;
  /** Of the client certificate that was shown, if any. */
  readonly peerKey: KeyHash | undefined;
  /** The whole body. */
  readonly body: () => Promise<Buffer>;
}

interface Asked {
  readonly nodeName: string;
  readonly request: CertificateRequest;
  readonly hosts: readonly string[];
}

export class JoinApi {
  readonly #options: JoinApiOptions;

  constructor(options: JoinApiOptions) {
    this.#options = options;
  }

  /** Undefined if the path is none of its own. Throws StatusError. */
  async answer(exchange: JoinExchange): Promise<Answer | undefined> {
    const { path, method } = exchange;
    if (path !== JOIN_PATH && path !== RENEW_PATH) return undefined;
    if (method !== "POST") throw methodNotAllowed();
    return path === JOIN_PATH ? this.#join(exchange) : this.#renew(exchange);
  }

  async #join({ user, body }: JoinExchange): Promise<Answer> {
    const { tokens, members, certificates } = this.#options;
    if (!user.groups.includes(BOOTSTRAPPERS)) {
      throw refused(
        'only a machine with a join token can join: make one with "driftless token create"',
      );
    }
    const token = await tokens.tokenOf(user.name);
    const { nodeName, request, hosts } = await this.#asked(await body());
    const claim = { nodeName, key: request.keyHash, mayReplace: token.nodeName === nodeName };
    await members.refuseTaken(claim);
    await tokens.bind(token.id, { key: request.keyHash, nodeName });
    const uid = await members.claim(claim);
    const { publicKey } = request;
    return jsonAnswer(200, await certificates.sign({ nodeName, uid, publicKey, hosts }));
  }

  async #renew({ user, peerKey, body }: JoinExchange): Promise<Answer> {
    const { members, certificates } = this.#options;
    const { nodeName, request, hosts } = await this.#asked(await body());
    if (!user.groups.includes(NODES) || user.name !== NODE_USER_PREFIX + nodeName) {
      throw refused(
        `user ${JSON.stringify(user.name)} cannot renew the certificate of the node ${JSON.stringify(nodeName)}: only that node can`,
      );
    }
    const { uid = "" } = user;
    await members.renew({ nodeName, uid, oldKey: peerKey, newKey: request.keyHash });
    const { publicKey } = request;
    return jsonAnswer(200, await certificates.sign({ nodeName, uid, publicKey, hosts }));
  }

  async #asked(body: Buffer): Promise<Asked> {
    const { serverHosts, members } = this.#options;
    const { nodeName, csr, hosts } = decoded(body);
    const request = await readCertificateRequest(csr);
    refuseOtherSubject(nodeName, request);
    await refuseHosts(hosts, {
      nodeName,
      serverHosts,
      ownerOf: (address, except) => members.ownerOf(address, except),
    });
    return { nodeName, request, hosts };
  }
}

function decoded(body: Buffer): {
  readonly nodeName: string;
  readonly csr: string;
  readonly hosts: readonly string[];
} {
  const value = parsed(body);
  if (!isJsonObject(value)) throw badRequest("the body must be a JSON object");
  const { nodeName, csr, hosts = [] } = value;
  if (typeof nodeName !== "string" || nodeName === "") throw badRequest("nodeName: must be given");
  const [problem] = nameIsDnsSubdomain(nodeName, false);
  if (problem !== undefined) throw badRequest(`nodeName: ${problem}`);
  if (typeof csr !== "string") throw badRequest("csr: must be given");
  if (!Array.isArray(hosts) || !hosts.every((host) => typeof host === "string")) {
    throw badRequest("hosts: must be a list of names and addresses");
  }
  return { nodeName, csr, hosts: [...new Set(hosts)] };
}

function parsed(body: Buffer): JsonValue {
  try {
    return JSON.parse(body.toString("utf8")) as JsonValue;
  } catch {
    throw badRequest("the body must be JSON");
  }
}

/** What it does not say is fine: the certificate's subject is ours to write. */
function refuseOtherSubject(
  nodeName: string,
  { commonName, organizations }: CertificateRequest,
): void {
  const names = ["", nodeName, NODE_USER_PREFIX + nodeName];
  if (names.includes(commonName) && organizations.every((name) => name === NODES)) return;
  throw badRequest(
    `csr: its subject must be empty, or CN=${NODE_USER_PREFIX}${nodeName} and O=${NODES}`,
  );
}
