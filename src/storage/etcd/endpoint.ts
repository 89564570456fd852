// One member of the cluster: a gRPC connection of its own, so that it is always known who was asked and
// whether anything was sent. Choosing among members is the client's work.

import {
  Client,
  type ClientDuplexStream,
  connectivityState,
  credentials,
  type Metadata,
  type ServiceError,
} from "@grpc/grpc-js";
import type { Clock } from "../../base/clock.ts";
import type { Rpc } from "./messages.ts";

export interface EtcdTls {
  /** PEM. Missing: the certificate authorities that Node trusts. */
  readonly ca?: Uint8Array;
  /** PEM; both or none. */
  readonly certificate?: Uint8Array;
  readonly key?: Uint8Array;
}

export interface UnaryOptions {
  readonly metadata: Metadata;
  readonly timeoutMs: number;
}

export type WatchCall<Answer> = ClientDuplexStream<Buffer, Answer>;

interface Address {
  readonly url: string;
  readonly target: string;
  readonly isSecure: boolean;
}

/** Reads "https://host:port", "http://host:port" or "host:port", which is https if there is a `tls`. */
export function parseEndpoint(url: string, tls: EtcdTls | undefined): Address {
  const match = /^(?:(https?):\/\/)?([^/\s]+:\d+)\/?$/.exec(url);
  if (match === null) {
    throw new Error(`Cannot use etcd endpoint "${url}": expected http(s)://host:port`);
  }
  const [, scheme = tls === undefined ? "http" : "https", target = ""] = match;
  if (scheme === "http" && tls !== undefined) {
    throw new Error(`Cannot use etcd endpoint "${url}": TLS is configured, but it is not https`);
  }
  return { url: `${scheme}://${target}`, target, isSecure: scheme === "https" };
}

// etcd refuses clients that ping more often than every 5 s.
const keepaliveMs = 7000;
const keepaliveTimeoutMs = 3000;
// The largest value is 3 MiB; the default of HTTP/2, 64 KiB, would take 48 round trips for it.
const flowControlWindowBytes = 4 * 2 ** 20;

const channelOptions = {
  // The sizes are the server's to limit.
  "grpc.max_receive_message_length": -1,
  "grpc.max_send_message_length": -1,
  "grpc.keepalive_time_ms": keepaliveMs,
  "grpc.keepalive_timeout_ms": keepaliveTimeoutMs,
  "grpc.initial_reconnect_backoff_ms": 100,
  "grpc.max_reconnect_backoff_ms": 2000,
  // A write is never sent twice behind our back.
  "grpc.enable_retries": 0,
  "grpc.enable_http_proxy": 0,
  "grpc.service_config_disable_resolution": 1,
  // Two stores in one process have two connections: one cannot break the other's.
  "grpc.use_local_subchannel_pool": 1,
  "grpc-node.flow_control_window": flowControlWindowBytes,
};

export class Endpoint {
  readonly url: string;
  readonly #client: Client;
  readonly #clock: Clock;
  /** Calls under way, to be ended by close(). */
  readonly #calls = new Set<{ cancel(): void }>();
  #isClosed = false;

  constructor(url: string, tls: EtcdTls | undefined, clock: Clock) {
    const address = parseEndpoint(url, tls);
    this.url = address.url;
    this.#clock = clock;
    this.#client = new Client(
      address.target,
      address.isSecure
        ? credentials.createSsl(pem(tls?.ca), pem(tls?.key), pem(tls?.certificate))
        : credentials.createInsecure(),
      channelOptions,
    );
  }

  /** Whether a call would be sent at once. */
  get isConnected(): boolean {
    return !this.#isClosed && this.#state(false) === connectivityState.READY;
  }

  /** Resolves when there is a connection, or it is known that there will be none for now. */
  async connect(timeoutMs: number): Promise<void> {
    const untilMs = this.#clock.now() + timeoutMs;
    while (!this.#isClosed && this.#clock.now() < untilMs) {
      const state = this.#state(true);
      if (state === connectivityState.READY) return;
      // At the deadline it calls back as well.
      await new Promise<void>((resolve) => {
        this.#client.getChannel().watchConnectivityState(state, untilMs, () => resolve());
      });
      if (!this.#isClosed && this.#state(true) === connectivityState.TRANSIENT_FAILURE) return;
    }
  }

  /** Sends one request once. Rejects with gRPC's ServiceError. */
  unary<Answer>(rpc: Rpc<Answer>, request: Buffer, options: UnaryOptions): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const deadline = this.#clock.now() + options.timeoutMs;
      const call = this.#client.makeUnaryRequest(
        rpc.path,
        identity,
        rpc.decode,
        request,
        options.metadata,
        { deadline },
        (err: ServiceError | null, answer?: Answer) => {
          this.#calls.delete(call);
          if (err === null) {
            resolve(answer as Answer);
          } else {
            reject(err);
          }
        },
      );
      this.#calls.add(call);
    });
  }

  /** Opens a stream in both directions. Whoever opens it cancels it. */
  stream<Answer>(rpc: Rpc<Answer>, metadata: Metadata): WatchCall<Answer> {
    const call = this.#client.makeBidiStreamRequest(rpc.path, identity, rpc.decode, metadata);
    this.#calls.add(call);
    call.once("close", () => this.#calls.delete(call));
    return call;
  }

  /** Ends all calls. */
  close(): void {
    this.#isClosed = true;
    for (const call of this.#calls) {
      call.cancel();
    }
    this.#client.close();
  }

  #state(shouldConnect: boolean): connectivityState {
    return this.#client.getChannel().getConnectivityState(shouldConnect);
  }
}

function identity(request: Buffer): Buffer {
  return request;
}

function pem(bytes: Uint8Array | undefined): Buffer | null {
  return bytes === undefined ? null : Buffer.from(bytes);
}
