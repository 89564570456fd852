// port-forward over SPDY: each connection is a pair of streams, one for data and one for what went wrong, that belong
// together by a request ID.

import { addAbortListener } from "node:events";
import type { Duplex } from "node:stream";
import { forwardConnection } from "../forward-connection.ts";
import { forwardFailure, type PortForwardOptions } from "../port-forward-options.ts";
import type { Substream } from "../substream.ts";
import { SpdyConnection, type StreamRequest } from "./spdy-connection.ts";

const streamCreationMs = 30_000;
/** They are numbers. One that a client makes long is kept as long as its stream. */
const maxRequestIdChars = 256;

type StreamType = "data" | "error";

interface Pair extends Partial<Record<StreamType, Substream>> {
  readonly limit: Disposable;
}

interface ForwardStream {
  readonly type: StreamType;
  readonly port: number;
  readonly requestId: string;
}

export interface SpdyPortForwardOptions extends PortForwardOptions {
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** Resolves when the client has left, or was told to when `signal` aborted, and all connections are closed. */
export async function spdyPortForward(
  options: SpdyPortForwardOptions,
  signal: AbortSignal,
): Promise<void> {
  const forwarder = new Forwarder(options);
  await forwarder.run(signal);
}

class Forwarder {
  readonly #options: SpdyPortForwardOptions;
  readonly #connection: SpdyConnection;
  /** Those that lack a stream. */
  readonly #pairs = new Map<string, Pair>();
  readonly #running = new Set<Promise<void>>();

  constructor(options: SpdyPortForwardOptions) {
    this.#options = options;
    this.#connection = new SpdyConnection({
      socket: options.socket,
      clock: options.clock,
      accept: (request) => this.#accept(request),
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    using _stop = addAbortListener(signal, () => this.#connection.close());
    this.#connection.start(this.#options.head);
    await this.#connection.closed;
    for (const { limit } of this.#pairs.values()) limit[Symbol.dispose]();
    await Promise.all(this.#running);
  }

  #accept(request: StreamRequest): ((stream: Substream) => void) | undefined {
    const wanted = parseRequest(request);
    if (typeof wanted === "string") {
      this.#options.logger.warn("stream of a port-forward refused", { reason: wanted });
      return undefined;
    }
    return (stream) => this.#add(wanted, stream);
  }

  #add({ type, port, requestId }: ForwardStream, stream: Substream): void {
    // Nobody reads what the client says on it.
    if (type === "error") stream.resume();
    const pair = this.#pairs.get(requestId) ?? this.#newPair(requestId);
    if (pair[type]) {
      const problem = `error processing stream for request ${requestId}: ${type} stream already assigned`;
      pair.error?.write(problem);
      stream.destroy();
      return;
    }
    pair[type] = stream;
    stream.once("close", () => this.#dropIfClosed(requestId, pair));
    if (pair.data && pair.error) {
      this.#pairs.delete(requestId);
      pair.limit[Symbol.dispose]();
      const running = this.#forward(port, pair.data, pair.error);
      this.#running.add(running);
      void running.finally(() => this.#running.delete(running));
    }
  }

  #newPair(requestId: string): Pair {
    const limit = this.#options.clock.schedule(streamCreationMs, () => {
      this.#pairs.delete(requestId);
      pair.error?.end(`(request=${requestId}) timed out waiting for streams`);
      pair.data?.destroy();
    });
    const pair: Pair = { limit };
    this.#pairs.set(requestId, pair);
    return pair;
  }

  /** The client may open and take back any number of them: none is kept. */
  #dropIfClosed(requestId: string, pair: Pair): void {
    const isOpen = [pair.data, pair.error].some((stream) => stream?.destroyed === false);
    if (isOpen || this.#pairs.get(requestId) !== pair) return;
    this.#pairs.delete(requestId);
    pair.limit[Symbol.dispose]();
  }

  /** Never rejects. */
  async #forward(port: number, data: Substream, error: Substream): Promise<void> {
    const { connect, clock, pod, logger } = this.#options;
    let target: Duplex;
    try {
      target = await connect(port);
    } catch (err) {
      logger.info("port-forward cannot connect", { port, err });
      error.end(forwardFailure(port, pod, err));
      data.destroy();
      return;
    }
    try {
      await forwardConnection({ stream: data, target, clock });
    } catch (err) {
      // Told by the reset of the stream alone: at a message kubectl gives up the whole session.
      logger.info("port-forward lost a connection", { port, err });
    }
    error.end();
  }
}

/** What the stream is for, or what is wrong with it. */
function parseRequest({ id, headers }: StreamRequest): ForwardStream | string {
  const port = headers.get("port") ?? "";
  const type = headers.get("streamtype") ?? "";
  const problem = portProblem(port);
  if (problem !== undefined) return problem;
  if (type === "") return '"streamType" header is required';
  if (type !== "data" && type !== "error") return `invalid stream type "${type}"`;
  // Old clients give none: they open the pair one after the other, the stream for errors first.
  const requestId = headers.get("requestid") ?? `${type === "error" ? id : id - 2}`;
  if (requestId.length > maxRequestIdChars) return "the request ID is too long";
  return { type, port: Number(port), requestId };
}

function portProblem(port: string): string | undefined {
  if (port === "") return '"port" header is required';
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    return `unable to parse "${port}" as a port`;
  return Number(port) < 1 ? `port "${port}" must be > 0` : undefined;
}
