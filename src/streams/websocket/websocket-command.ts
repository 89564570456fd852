// exec and attach over WebSocket: a channel each for input, output, errors, the status and sizes.

import type { Clock } from "../../base/clock.ts";
import type { CommandStreamName, CommandTransport } from "../command-session.ts";
import type { CommandRequest } from "../command-streams.ts";
import type { Substream } from "../substream.ts";
import { negotiateSubprotocol, type Upgrade } from "../upgrade.ts";
import { ChannelSocket } from "./channel-socket.ts";
import { openWebSocket } from "./open-websocket.ts";

const subprotocols = [
  "v5.channel.k8s.io",
  "v4.channel.k8s.io",
  "v4.base64.channel.k8s.io",
  "v3.channel.k8s.io",
  "v2.channel.k8s.io",
  "channel.k8s.io",
  "base64.channel.k8s.io",
  "",
] as const;

/** In the order of their numbers. */
const channels: readonly CommandStreamName[] = ["stdin", "stdout", "stderr", "error", "resize"];

export interface WebSocketCommandOptions {
  readonly wanted: CommandRequest;
  readonly clock: Clock;
}

/** Throws an UpgradeError before anything is written. */
export async function webSocketCommand(
  upgrade: Upgrade,
  { wanted, clock }: WebSocketCommandOptions,
): Promise<CommandTransport> {
  const subprotocol = negotiateSubprotocol(upgrade.request, subprotocols);
  const ws = await openWebSocket(upgrade, subprotocol);
  const connection = new ChannelSocket({
    ws,
    socket: upgrade.socket,
    clock,
    channels: channels.length,
    isBase64: subprotocol.includes("base64"),
    canClose: subprotocol === "v5.channel.k8s.io",
  });
  const streams = new Map<CommandStreamName, Substream>(
    channels.map((name, index) => [name, connection.channel(index)]),
  );
  connection.start();
  connection.announce(lowestWritable(wanted));
  return {
    streams,
    format: /^v[45]\./.test(subprotocol) ? "json" : "text",
    signal: connection.signal,
    close: () => connection.close(),
    cut: () => connection[Symbol.dispose](),
  };
}

function lowestWritable(wanted: CommandRequest): number {
  if (wanted.hasStdout) return 1;
  return wanted.hasStderr && !wanted.hasTty ? 2 : 3;
}
