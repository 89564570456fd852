// Who may ask this node on its port: whoever the API server says may, for nodes/proxy of this node, or nodes/metrics where it is
// about those, as with the kubelet. Answers are kept for a moment,
// so that a client that asks often costs the server little, and rights that are taken away are gone soon.

import type { TLSSocket } from "node:tls";
import { isJsonObject } from "../../api/json.ts";
import type { Clock } from "../../base/clock.ts";
import type { ApiClient } from "../../client/api-client.ts";
import { RequestError } from "./request-error.ts";

export interface ClientReviewsOptions {
  readonly nodeName: string;
  readonly client: Pick<ApiClient, "request">;
  readonly clock: Clock;
}

const KEPT_MS = 10_000;
/** More than that are never kept: a certificate for each would have to be signed. */
const MAX_KEPT = 1000;
const PATH = "/apis/authorization.k8s.io/v1/subjectaccessreviews";

interface Review {
  readonly allowed: Promise<boolean>;
  readonly untilMs: number;
}

export class ClientReviews {
  readonly #options: ClientReviewsOptions;
  readonly #kept = new Map<string, Review>();

  constructor(options: ClientReviewsOptions) {
    this.#options = options;
  }

  /** Throws RequestError unless the peer, whose certificate TLS has checked, may. */
  async demand(
    socket: TLSSocket,
    { method, path }: { readonly method: string; readonly path: string },
  ): Promise<void> {
    const user = userOf(socket);
    if (user === undefined) throw new RequestError(401, "Unauthorized");
    const verb = method === "GET" || method === "HEAD" ? "get" : "create";
    const subresource = /^\/metrics(?=\?|$)/.test(path) ? "metrics" : "proxy";
    if (await this.#allowed(user, { verb, subresource })) return;
    const { nodeName } = this.#options;
    throw new RequestError(
      403,
      `Forbidden (user=${user.name}, verb=${verb}, resource=nodes, subresource(s)=[${subresource}]) on node ${nodeName}`,
    );
  }

  #allowed(user: ClientUser, right: Right): Promise<boolean> {
    const { clock } = this.#options;
    const key = JSON.stringify([user, right]);
    const nowMs = clock.monotonicMs();
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.untilMs > nowMs) return kept.allowed;
    const allowed = this.#ask(user, right);
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
    this.#kept.set(key, { allowed, untilMs: nowMs + KEPT_MS });
    // What could not be found out is not remembered.
    allowed.catch(() => this.#kept.delete(key));
    return allowed;
  }

  async #ask({ name, groups }: ClientUser, right: Right): Promise<boolean> {
    const { client, nodeName } = this.#options;
    const body = {
      kind: "SubjectAccessReview",
      apiVersion: "authorization.k8s.io/v1",
      spec: {
        user: name,
        groups: [...groups, "system:authenticated"],
        resourceAttributes: { ...right, resource: "nodes", name: nodeName },
      },
    };
    const answer = await client.request({ method: "POST", path: PATH, body });
    const status = isJsonObject(answer) ? answer["status"] : undefined;
    return isJsonObject(status) && status["allowed"] === true;
  }
}

interface Right {
  readonly verb: string;
  readonly subresource: "metrics" | "proxy";
}

interface ClientUser {
  readonly name: string;
  readonly groups: readonly string[];
}

function userOf(socket: TLSSocket): ClientUser | undefined {
  if (!socket.authorized) return undefined;
  // The types do not know that there may be several of each.
  const subject = socket.getPeerCertificate()?.subject as Subject | undefined;
  const [name, ...more] = [subject?.CN ?? []].flat();
  if (name === undefined || name === "" || more.length > 0) return undefined;
  return { name, groups: [subject?.O ?? []].flat() };
}

interface Subject {
  readonly CN?: string | readonly string[];
  readonly O?: string | readonly string[];
}
