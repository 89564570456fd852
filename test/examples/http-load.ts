// Load as clients make it who repeat nothing: each request that does not get a whole answer with 200 is a failure. Three kinds:
// - fresh: a connection for each request;
// - slow: a request that begins, pauses in the middle of its header, and ends later: it is under way while the server reloads;
// - kept: one connection for many requests. HTTP lets a server close a connection that is idle, and a request may cross with that on its way: nobody has seen it, and whoever keeps
//   connections has to send it again, on another one (RFC 9112, section 9.3.1). That is done and counted, as `crossed`; it is a failure in all other cases.

import { Agent, type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "../up/driftless-up.ts";

export interface HttpLoadOptions {
  readonly port: number;
  /** How many clients of each kind. */
  readonly fresh: number;
  readonly slow: number;
  readonly kept: number;
}

/** Between requests, and in the middle of slow ones. */
const PAUSE_MS = 4;
const SLOW_MS = 300;

export class HttpLoad {
  readonly #options: HttpLoadOptions;
  /** Requests that were answered, by kind. */
  readonly answered: Record<"fresh" | "slow" | "kept", number> = { fresh: 0, slow: 0, kept: 0 };
  /** All bodies that were ever seen. */
  readonly seen: Set<string> = new Set();
  readonly failures: string[] = [];
  crossed = 0;

  constructor(options: HttpLoadOptions) {
    this.#options = options;
  }

  /** Until the server listens. What it answers then counts as seen. */
  async untilServed(): Promise<void> {
    await eventually("the server", async () => this.seen.add(await this.#get(undefined)));
  }

  async run(signal: AbortSignal): Promise<void> {
    const { fresh, slow, kept } = this.#options;
    await Promise.all([
      ...times(fresh, () => this.#loop("fresh", signal, () => this.#get(undefined))),
      ...times(slow, () => this.#loop("slow", signal, () => this.#getSlowly())),
      ...times(kept, () => this.#keep(signal)),
    ]);
  }

  async #keep(signal: AbortSignal): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    await this.#loop("kept", signal, () => this.#get(agent));
    agent.destroy();
  }

  async #loop(
    kind: keyof HttpLoad["answered"],
    signal: AbortSignal,
    once: () => Promise<string>,
  ): Promise<void> {
    while (!signal.aborted) {
      try {
        this.seen.add(await once());
        this.answered[kind]++;
      } catch (err) {
        this.failures.push(`${kind}: ${(err as Error).message}`);
      }
      await sleep(PAUSE_MS);
    }
  }

  async #get(agent: Agent | undefined): Promise<string> {
    const options = { host: "127.0.0.1", port: this.#options.port, agent: agent ?? false };
    const sent = request(options);
    const answer = Promise.withResolvers<IncomingMessage>();
    sent.on("response", answer.resolve).on("error", answer.reject).end();
    let response: IncomingMessage;
    try {
      response = await answer.promise;
    } catch (err) {
      if (!sent.reusedSocket) throw err;
      this.crossed++;
      return this.#get(undefined);
    }
    // A body that is cut rejects.
    const body = await text(response);
    if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${body}`);
    return body;
  }

  async #getSlowly(): Promise<string> {
    const socket = connect(this.#options.port, "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\nHost: example.com\r\n");
    await sleep(SLOW_MS);
    socket.write("Connection: close\r\n\r\n");
    const [head = "", body = ""] = (await text(socket)).split("\r\n\r\n");
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1]);
    if (!head.startsWith("HTTP/1.1 200 ") || body.length !== length) {
      throw new Error(`not a whole answer: ${head}\n\n${body}`);
    }
    return body;
  }
}

function times<T>(count: number, make: () => T): readonly T[] {
  return Array.from({ length: count }, make);
}
