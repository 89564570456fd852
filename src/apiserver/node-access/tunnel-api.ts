// How a node opens its tunnel:
//
//   GET /driftless/v1/nodes/NAME/tunnel   with its certificate, and Upgrade: driftless-tunnel
//
// A node opens its own and no other; of everybody else, those who may call the path, which only the rights of an admin contain.
// Whoever loses the right to it, or whose Node is deleted, loses the tunnel.

import { badRequest, methodNotAllowed } from "../../api/status-error.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import { TUNNEL_PROTOCOL } from "../../streams/tunnel.ts";
import type { RequestAudit } from "../audit/auditor.ts";
import type { RequestSeat } from "../flow/request-seat.ts";
import type { RequestContext } from "../handlers/context.ts";
import { recheckRights } from "../handlers/recheck-rights.ts";
import type { Upgrade } from "../http/upgrade.ts";
import { NODES } from "../join/node-certificates.ts";
import { refused } from "../join/refused.ts";
import { nodeNameOf } from "../node/node-identity.ts";
import type { UserInfo } from "../user.ts";
import type { Tunnels } from "./tunnels.ts";

/** For the built-in rights of nodes. */
export const NODE_PATHS = "/driftless/v1/nodes/*";

/** A name of a Node has nothing in it that would have to be escaped. */
const pattern = /^\/driftless\/v1\/nodes\/([a-z0-9.-]+)\/tunnel$/;

export interface TunnelApiOptions {
  readonly tunnels: Tunnels;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface TunnelExchange {
  readonly method: string;
  readonly path: string;
  readonly user: UserInfo;
  readonly upgrade: Upgrade | undefined;
  /** Of every answer. */
  readonly headers: Readonly<Record<string, string>>;
  readonly parts: RequestContext["parts"];
  readonly audit: RequestAudit;
  readonly seat: RequestSeat;
  readonly demandStill: () => Promise<void>;
}

export class TunnelApi {
  readonly #options: TunnelApiOptions;

  constructor(options: TunnelApiOptions) {
    this.#options = options;
  }

  isOwn(path: string): boolean {
    return pattern.test(path);
  }

  /** Settles when the tunnel is closed. Throws StatusError before there is one. */
  async serve(exchange: TunnelExchange): Promise<void> {
    const { tunnels, logger } = this.#options;
    const { method, path, user, upgrade, headers, audit, seat } = exchange;
    const [, nodeName = ""] = pattern.exec(path) ?? [];
    if (method !== "GET") throw methodNotAllowed();
    refuseOthers(user, nodeName);
    if (upgrade?.protocol !== TUNNEL_PROTOCOL) {
      throw badRequest(`the request must ask for an upgrade to ${TUNNEL_PROTOCOL}`);
    }
    const protocol = { connection: "Upgrade", upgrade: TUNNEL_PROTOCOL };
    const socket = await upgrade.accept({ ...headers, ...protocol });
    const tunnel = tunnels.add(nodeName, socket);
    audit.respond(101);
    seat.release();
    logger.info("node opened its tunnel", { node: nodeName });
    using _rights = recheckRights(exchange, () => tunnel.close());
    await tunnel.closed;
    logger.info("tunnel of a node is closed", { node: nodeName });
  }
}

function refuseOthers(user: UserInfo, nodeName: string): void {
  const node = nodeNameOf(user);
  const isNode = node !== undefined || user.groups.includes(NODES);
  if (!isNode || node === nodeName) return;
  throw refused(
    `user ${JSON.stringify(user.name)} cannot open the tunnel of the node ${JSON.stringify(nodeName)}: only that node can`,
  );
}
