// port-forward, for every client: SPDY/3.1, SPDY inside WebSocket as kubectl since 1.30, and channels of WebSocket as the
// libraries.

import { createWebSocketStream } from "ws";
import type { PortForwardOptions } from "./port-forward-options.ts";
import { spdyPortForward } from "./spdy/spdy-port-forward.ts";
import { switchToSpdy } from "./spdy/switch-to-spdy.ts";
import { negotiateSubprotocol, negotiateVersion, type Upgrade, upgradeKind } from "./upgrade.ts";
import { channelPortForward, channelSubprotocols } from "./websocket/channel-port-forward.ts";
import { openWebSocket } from "./websocket/open-websocket.ts";

const version = "portforward.k8s.io";
const tunnelled = `SPDY/3.1+${version}`;

/**
 * Forwards until the client leaves or `signal` aborts, and resolves when all connections are closed. Rejects with an
 * UpgradeError if nothing was written and the caller has to answer.
 */
export async function acceptPortForward(
  upgrade: Upgrade,
  options: PortForwardOptions,
  signal: AbortSignal,
): Promise<void> {
  const { request, socket, head } = upgrade;
  if (upgradeKind(request) === "spdy") {
    negotiateVersion(request, [version]);
    switchToSpdy(socket, version);
    await spdyPortForward({ socket, head, ...options }, signal);
    return;
  }
  const subprotocol = negotiateSubprotocol(request, [tunnelled, ...channelSubprotocols]);
  if (subprotocol === tunnelled) {
    const tunnel = createWebSocketStream(await openWebSocket(upgrade, tunnelled));
    await spdyPortForward({ socket: tunnel, head: Buffer.alloc(0), ...options }, signal);
    return;
  }
  await channelPortForward({ upgrade, subprotocol, ...options }, signal);
}
