// A node's tunnel: one connection that the node has made, over which connections go the other way. On it the roles are reversed:
// whoever was connected to is an HTTP/2 client, and each CONNECT is a connection to the node, a pipe of bytes with windows of its
// own. So no port has to be open on a node, and a slow session holds up no other.
//
//   server ── Tunnel.over(socket).dial() ──► CONNECT ──► serveTunnel(socket, { onConnection }) ── node

import { addAbortListener, once } from "node:events";
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type Http2Session,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { Duplex } from "node:stream";
import { deadline } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import { destroyWhenCutOff } from "../base/destroy-when-cut-off.ts";
import { keepAlive } from "./tunnel-pings.ts";

/** In the Upgrade header of the request that makes a connection a tunnel. */
export const TUNNEL_PROTOCOL = "driftless-tunnel";

/** For the node to take a connection. */
const DIAL_MS = 10_000;
/** What may be under way in one pipe, and in all: over a slow line more would only wait, on a fast one less is slower. */
const PIPE_WINDOW_BYTES = 512 * 1024;
const TUNNEL_WINDOW_BYTES = 8 * 1024 * 1024;
/** Pipes at once. A node has fewer sessions than that. */
const MAX_PIPES = 1000;

const settings = { initialWindowSize: PIPE_WINDOW_BYTES, enablePush: false } as const;

/** The tunnel is closed, or the node does not take the connection. */
export class TunnelError extends Error {
  override readonly name = "TunnelError";
}

/** The end that makes connections. */
export class Tunnel {
  readonly #session: ClientHttp2Session;
  readonly #clock: Clock;
  /** Settles when it is closed, whatever the reason was. */
  readonly closed: Promise<void>;

  private constructor(session: ClientHttp2Session, clock: Clock) {
    this.#session = session;
    this.#clock = clock;
    this.closed = closedOf(session);
  }

  /** From now on the socket is the tunnel's. Nothing may be being written on it: HTTP/2 takes it over below its buffers. */
  static over(socket: Duplex, { clock }: { readonly clock: Clock }): Tunnel {
    const session = connect("http://node", { createConnection: () => socket, settings });
    prepare(session, { socket, clock });
    return new Tunnel(session, clock);
  }

  get isOpen(): boolean {
    return !this.#session.closed && !this.#session.destroyed;
  }

  /** A connection to the node. Throws TunnelError. */
  async dial(): Promise<Duplex> {
    if (!this.isOpen) throw new TunnelError("the tunnel is closed");
    const stream = this.#session.request({ ":method": "CONNECT", ":authority": "node" });
    using limit = deadline({ clock: this.#clock, timeoutMs: DIAL_MS });
    try {
      const [headers] = (await once(stream, "response", { signal: limit.signal })) as [Answered];
      if (headers[":status"] === constants.HTTP_STATUS_OK) return pipeOf(stream);
      throw new Error(`it says ${headers[":status"]}`);
    } catch (cause) {
      stream.on("error", () => undefined); // It has been told.
      stream.close(constants.NGHTTP2_CANCEL);
      throw new TunnelError("the node takes no connection through its tunnel", { cause });
    }
  }

  /** Cuts it, and all connections through it. */
  close(): void {
    this.#session.destroy();
  }
}

type Answered = { readonly ":status"?: number };

export interface ServeTunnelOptions {
  readonly clock: Clock;
  /** Each connection that comes through it. */
  readonly onConnection: (connection: Duplex) => void;
}

/** The end that takes connections. Settles when the tunnel is closed; `signal` cuts it. */
export async function serveTunnel(
  socket: Duplex,
  { clock, onConnection }: ServeTunnelOptions,
  signal: AbortSignal,
): Promise<void> {
  const session: ServerHttp2Session = performServerHandshake(socket, {
    settings: { ...settings, maxConcurrentStreams: MAX_PIPES, enableConnectProtocol: false },
  });
  prepare(session, { socket, clock });
  session.on("stream", (stream: ServerHttp2Stream, headers) => {
    if (headers[":method"] !== "CONNECT") {
      stream.respond({ ":status": constants.HTTP_STATUS_METHOD_NOT_ALLOWED }, { endStream: true });
      return;
    }
    stream.respond({ ":status": constants.HTTP_STATUS_OK });
    onConnection(pipeOf(stream));
  });
  using _stop = addAbortListener(signal, () => session.destroy());
  if (signal.aborted) session.destroy();
  await closedOf(session);
}

function prepare(
  session: Http2Session,
  { socket, clock }: { readonly socket: Duplex; readonly clock: Clock },
): void {
  // Why it ended is of no use to anybody: whoever has a pipe sees that end.
  session.on("error", () => undefined);
  session.once("remoteSettings", () => {
    if (!session.destroyed) session.setLocalWindowSize(TUNNEL_WINDOW_BYTES);
  });
  keepAlive(session, clock);
  destroyWhenCutOff(socket, clock);
}

function closedOf(session: Http2Session): Promise<void> {
  return new Promise((resolve) => {
    if (session.destroyed) resolve();
    else session.once("close", resolve);
  });
}

/** Whoever uses it listens for errors itself; whoever has left already does not want to hear of them. */
function pipeOf(stream: ClientHttp2Stream | ServerHttp2Stream): Duplex {
  stream.on("error", () => undefined);
  return stream;
}
