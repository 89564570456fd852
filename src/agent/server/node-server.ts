// The part of the agent that others ask: over the tunnel that it keeps to its API server, and on a port if it was told to listen.

import { X509Certificate } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { Random } from "../../base/random.ts";
import type { Part } from "../../base/run-group.ts";
import type { ApiClient } from "../../client/api-client.ts";
import { Credentials } from "../../client/credentials.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { NodeIdentity } from "../join/node-identity.ts";
import { ClientReviews } from "./client-reviews.ts";
import { NodeApi } from "./node-api.ts";
import { type PortCredentials, PortServer } from "./port-server.ts";
import type { ServedPods } from "./served-pods.ts";
import { TunnelKeeper } from "./tunnel-keeper.ts";

export interface NodeServerOptions {
  readonly nodeName: string;
  readonly identity: NodeIdentity;
  readonly client: Pick<ApiClient, "request">;
  /** Undefined: no port is opened. */
  readonly listen: { readonly host: string; readonly port: number } | undefined;
  readonly pods: ServedPods;
  readonly runtime: Pick<Runtime, "list" | "onExit" | "exec" | "attach">;
  readonly metrics: Pick<Metrics, "text" | "contentType">;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

export class NodeServer {
  readonly parts: readonly Part[];
  readonly #port: PortServer | undefined;
  #listening = 0;

  constructor(options: NodeServerOptions) {
    const { nodeName, identity, client, listen, clock, random, logger } = options;
    const { connection } = identity;
    const api = new NodeApi(options);
    const { isInsecure, serverName, server } = connection;
    const credentials = credentialsOf(options);
    const tunnel = new TunnelKeeper({
      ...{ nodeName, server, api, clock, random, logger },
      identity: async (signal) => ({
        ...(await credentials.identity(signal)),
        isInsecure,
        ...(serverName !== undefined && { serverName }),
      }),
    });
    this.#port =
      listen &&
      new PortServer({
        ...{ ...listen, api, logger },
        credentials: () => portCredentials(identity),
        reviews: new ClientReviews({ nodeName, client, clock }),
        onListening: (port) => {
          this.#listening = port;
        },
      });
    const port = this.#port;
    this.parts = [
      { name: "tunnel", run: (signal) => tunnel.run(signal) },
      ...(port === undefined
        ? []
        : [{ name: "port", run: (signal: AbortSignal) => port.run(signal) }]),
    ];
  }

  /** On which it listens; 0 if it does not. */
  get port(): number {
    return this.#listening;
  }

  /** The certificate of the node has been renewed. */
  renew(): void {
    this.#port?.renew();
  }
}

function credentialsOf({ identity, clock }: NodeServerOptions): Credentials {
  const { connection } = identity;
  const { authority, certificate, key, token, exec } = { ...connection, ...connection.followed };
  const sources = {
    ...(authority !== undefined && { authority }),
    ...(certificate !== undefined && { certificate }),
    ...(key !== undefined && { key }),
    ...(token !== undefined && { token }),
    ...(exec !== undefined && { exec }),
  };
  return new Credentials({ sources, clock });
}

/** Undefined as long as the certificate is one for a client only. */
function portCredentials({ files, connection }: NodeIdentity): PortCredentials | undefined {
  const held = files?.identity();
  const { authority } = connection;
  if (held === undefined || authority === undefined || !isForServer(held.certificate)) {
    return undefined;
  }
  return { ...held, authority };
}

const SERVER_AUTH = "1.3.6.1.5.5.7.3.1";

function isForServer(certificate: string): boolean {
  // The types call it a list of strings, and it may be missing.
  const usages = new X509Certificate(certificate).keyUsage as readonly string[] | undefined;
  return usages?.includes(SERVER_AUTH) === true;
}
