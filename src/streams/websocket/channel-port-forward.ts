// port-forward over channels of WebSocket: one connection to each of the ports that the request names, with two channels,
// for data and for what went wrong. The first message on each is the number of the port.

import { addAbortListener } from "node:events";
import { forwardConnection } from "../forward-connection.ts";
import { forwardFailure, type PortForwardOptions } from "../port-forward-options.ts";
import { flushed, type Substream } from "../substream.ts";
import { type Upgrade, UpgradeError } from "../upgrade.ts";
import { ChannelSocket } from "./channel-socket.ts";
import { openWebSocket } from "./open-websocket.ts";

export const channelSubprotocols: readonly string[] = [
  "v4.channel.k8s.io",
  "v4.base64.channel.k8s.io",
  "",
];

// A channel is a byte, and the last one is taken.
const maxPorts = 127;

export interface ChannelPortForwardOptions extends PortForwardOptions {
  readonly upgrade: Upgrade;
  readonly subprotocol: string;
}

/** Resolves when all connections are closed. Throws an UpgradeError before anything is written. */
export async function channelPortForward(
  options: ChannelPortForwardOptions,
  signal: AbortSignal,
): Promise<void> {
  const { upgrade, subprotocol, clock, ports = [] } = options;
  if (ports.length === 0) {
    throw new UpgradeError(400, 'query parameter "port" is required');
  }
  if (ports.length > maxPorts) {
    throw new UpgradeError(400, `${ports.length} ports are too many: at most ${maxPorts}`);
  }
  const ws = await openWebSocket(upgrade, subprotocol);
  using connection = new ChannelSocket({
    ws,
    socket: upgrade.socket,
    clock,
    channels: ports.length * 2,
    isBase64: subprotocol.includes("base64"),
    canClose: false,
  });
  connection.start();
  using _stop = addAbortListener(signal, () => void connection.close());
  await Promise.all(
    ports.map((port, index) => {
      const [data, error] = [connection.channel(index * 2), connection.channel(index * 2 + 1)];
      const number = Buffer.alloc(2);
      number.writeUInt16LE(port);
      data.write(number);
      error.write(number);
      error.resume();
      return forward({ port, data, error, ...options });
    }),
  );
  await connection.close();
}

interface Forward extends PortForwardOptions {
  readonly port: number;
  readonly data: Substream;
  readonly error: Substream;
}

/** Never rejects. */
async function forward({ port, data, error, ...options }: Forward): Promise<void> {
  try {
    const target = await options.connect(port);
    await forwardConnection({ stream: data, target, clock: options.clock });
  } catch (err) {
    // Destroyed with the connection, if the client has left.
    if (error.destroyed) return;
    options.logger.info("port-forward failed", { port, err });
    error.write(forwardFailure(port, options.pod, err));
    await flushed(error);
  }
}
