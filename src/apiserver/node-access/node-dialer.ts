// Connections to nodes: through the tunnel that a node has opened to this server, or else to the port on which it listens if it
// was told to. There the server shows a certificate of its own, and takes no other peer than the node itself.

import { once } from "node:events";
import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import { connect, type PeerCertificate, type TLSSocket } from "node:tls";
import type { ApiObject } from "../../api/object.ts";
import { notFound, serviceUnavailable } from "../../api/status-error.ts";
import type { Node } from "../../api/types.ts";
import { deadline } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { describe } from "../../base/errors.ts";
import type { KindCache } from "../cache/kind-cache.ts";
import { NODE_USER_PREFIX } from "../join/node-certificates.ts";
import type { Credentials } from "../pki/credentials.ts";
import type { Tunnels } from "./tunnels.ts";

export interface NodeDialerOptions {
  readonly nodes: KindCache;
  readonly tunnels: Pick<Tunnels, "get">;
  readonly credentials: Credentials;
  readonly clock: Clock;
}

/** For TCP and TLS. */
const CONNECT_MS = 10_000;
/** By which a node is reached, the best first: as the original prefers them. */
const addressTypes = ["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"];

export class NodeDialer {
  readonly #options: NodeDialerOptions;
  #credentials: Credentials;
  readonly #open = new Set<Duplex>();
  #isEnding = false;

  constructor(options: NodeDialerOptions) {
    this.#options = options;
    this.#credentials = options.credentials;
  }

  /** For connections from now on. */
  renew(credentials: Credentials): void {
    this.#credentials = credentials;
  }

  /** Throws NotFound if there is no such node, and ServiceUnavailable, with what is missing. */
  async dial(nodeName: string): Promise<Duplex> {
    if (this.#isEnding) throw serviceUnavailable("the server is shutting down");
    const connection = await this.#connect(nodeName);
    this.#open.add(connection);
    connection.on("error", () => undefined); // Whoever uses it sees it close.
    connection.once("close", () => this.#open.delete(connection));
    return connection;
  }

  /** Cuts all connections to nodes: everything that goes on through them ends. */
  endAll(): void {
    this.#isEnding = true;
    for (const connection of this.#open) connection.destroy();
  }

  async #connect(nodeName: string): Promise<Duplex> {
    const { tunnels, nodes } = this.#options;
    const tunnel = tunnels.get(nodeName);
    if (tunnel === undefined && nodes.get(nodeName) === undefined) {
      throw notFound({ group: "", resource: "nodes", kind: "Node" }, nodeName);
    }
    try {
      return tunnel === undefined ? await this.#connectPort(nodeName) : await tunnel.dial();
    } catch (err) {
      throw serviceUnavailable(`node ${JSON.stringify(nodeName)}: ${describe(err)}`, err);
    }
  }

  async #connectPort(nodeName: string): Promise<TLSSocket> {
    const place = this.#placeOf(nodeName);
    if (place === undefined) throw new Error(NOT_CONNECTED);
    const { authority, nodeClient } = this.#credentials;
    if (nodeClient === undefined) {
      throw new Error(
        "it has no tunnel to this server, and this server has no certificate for its port: put pki/ca.key back, and start it again",
      );
    }
    const socket = connect({
      ...place,
      ca: authority.certificate,
      cert: nodeClient.certificate,
      key: nodeClient.key,
      minVersion: "TLSv1.2",
      ALPNProtocols: ["http/1.1"],
      checkServerIdentity: (_, certificate) => otherNode(nodeName, certificate),
    });
    using limit = deadline({ clock: this.#options.clock, timeoutMs: CONNECT_MS });
    try {
      await once(socket, "secureConnect", { signal: limit.signal });
      return socket;
    } catch (cause) {
      socket.on("error", () => undefined).destroy();
      throw new Error(
        `it has no tunnel to this server, and cannot be reached on ${place.host}:${place.port}`,
        { cause },
      );
    }
  }

  #placeOf(nodeName: string): { readonly host: string; readonly port: number } | undefined {
    const node = this.#options.nodes.get(nodeName)?.object as (ApiObject & Node) | undefined;
    const port = node?.status.daemonEndpoints?.kubeletEndpoint?.Port ?? 0;
    if (node === undefined || port === 0) return undefined;
    const addresses = (node.status.addresses ?? []).filter(
      // A name is only as good as whoever resolves it; nodes of ours tell addresses.
      ({ address }) => isIP(address) !== 0,
    );
    const host = addressTypes
      .map((type) => addresses.find((one) => one.type === type)?.address)
      .find((address) => address !== undefined);
    return host === undefined ? undefined : { host, port };
  }
}

const NOT_CONNECTED =
  "it has no tunnel to this server, and listens on no port. Look whether its agent runs and reaches this server; if it has joined another server of this cluster, start its agent with --listen";

/** The name in the certificate is the node's, wherever it is: no other node can take its place on an address. */
function otherNode(nodeName: string, { subject }: PeerCertificate): Error | undefined {
  // The types do not know that there may be several.
  const names = [subject?.CN as string | readonly string[] | undefined].flat();
  if (names.length === 1 && names[0] === NODE_USER_PREFIX + nodeName) return undefined;
  return new Error(`the certificate that is shown there is of ${JSON.stringify(names[0])}`);
}
