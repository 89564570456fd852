// A request to change the protocol of its connection, as Node's HTTP server hands it out, and how it is refused.

import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** What the client sent behind its request already. */
  readonly head: Buffer;
}

/**
 * Whether a request before it, on the same connection, is still being answered: the client did not wait. Then nothing can be written between the two, and
 * the connection has to end.
 */
export function isAnswering(socket: Duplex): boolean {
  const { _httpMessage: answer } = socket as { readonly _httpMessage?: object | null };
  return answer !== undefined && answer !== null;
}

/** Nothing was written to the connection: the caller answers with `status`, `headers` and `message`. */
export class UpgradeError extends Error {
  override readonly name = "UpgradeError";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

export type UpgradeKind = "websocket" | "spdy";

/** What the client wants to speak. Throws an UpgradeError if it is nothing that is spoken here. */
export function upgradeKind({ headers }: IncomingMessage): UpgradeKind {
  const wanted = (headers.upgrade ?? "").toLowerCase();
  if ((headers.connection ?? "").toLowerCase().includes("upgrade")) {
    if (wanted === "websocket") return "websocket";
    if (wanted.includes("spdy/3.1")) return "spdy";
  }
  throw new UpgradeError(400, "Upgrade request required");
}

const versionHeader = "X-Stream-Protocol-Version";

/** The first protocol of the client's that is among `accepted`, for SPDY. Throws an UpgradeError if there is none. */
export function negotiateVersion(request: IncomingMessage, accepted: readonly string[]): string {
  const offers = request.headersDistinct[versionHeader.toLowerCase()];
  if (!offers) {
    const count = Object.keys(request.headersDistinct).length;
    throw new UpgradeError(
      400,
      `unable to upgrade: header ${versionHeader} does not exist in request with ${count} headers`,
    );
  }
  const offered = listed(offers);
  if (offered.length === 0) {
    throw new UpgradeError(
      400,
      `unable to upgrade: header ${versionHeader} contains [${offers.join(" ")}], but no valid protocols`,
    );
  }
  const chosen = offered.find((one) => accepted.includes(one));
  if (chosen === undefined) {
    throw new UpgradeError(
      403,
      `unable to upgrade: unable to negotiate protocol: client supports [${offered.join(" ")}], ` +
        `server accepts [${accepted.join(" ")}]`,
      { "X-Accepted-Stream-Protocol-Versions": accepted.join(", ") },
    );
  }
  return chosen;
}

/**
 * The first protocol of the client's that is among `accepted`, for WebSocket; a client that names none means "".
 * Throws an UpgradeError if there is none.
 */
export function negotiateSubprotocol(
  request: IncomingMessage,
  accepted: readonly string[],
): string {
  const offered = listed(request.headersDistinct["sec-websocket-protocol"] ?? []);
  const chosen = (offered.length === 0 ? [""] : offered).find((one) => accepted.includes(one));
  if (chosen === undefined) {
    throw new UpgradeError(
      403,
      `requested protocol(s) are not supported: [${offered.join(" ")}]; supports [${accepted.join(" ")}]`,
    );
  }
  return chosen;
}

function listed(values: readonly string[]): string[] {
  return values
    .flatMap((value) => value.split(","))
    .map((value) => value.trim())
    .filter((value) => value !== "");
}
