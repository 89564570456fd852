// Many watches, each on a connection of its own. Events are counted by their ends: a line of JSON has no bare
// newline in it.

import { performance } from "node:perf_hooks";
import type { TLSSocket } from "node:tls";
import { openSocket } from "./http-connection.ts";
import type { Target } from "./jobs.ts";
import { RequestBytes } from "./request-bytes.ts";

/** Handshakes under way at a time: a server that is asked for thousands at once refuses some. */
const OPENING = 32;

export interface WatchConnectionsOptions {
  readonly target: Target;
  readonly namespace: string;
  readonly names: readonly string[];
  /** Takes part in few full handshakes only. Not for measuring memory: such connections are smaller. */
  readonly resumesSessions: boolean;
  readonly onEvent: (watcher: number, atMs: number) => void;
}

export class WatchConnections {
  readonly #options: WatchConnectionsOptions;
  readonly #sockets: TLSSocket[] = [];
  #session: Buffer | undefined;
  #isClosing = false;

  constructor(options: WatchConnectionsOptions) {
    this.#options = options;
  }

  /** Resolves when the server has begun to answer every one. */
  async open(): Promise<void> {
    const { names } = this.#options;
    let next = 0;
    const opener = async (): Promise<void> => {
      while (next < names.length) await this.#openOne(next++);
    };
    await Promise.all(Array.from({ length: OPENING }, opener));
  }

  close(): void {
    this.#isClosing = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  async #openOne(i: number): Promise<void> {
    const { target, namespace, names, onEvent, resumesSessions } = this.#options;
    const begun = Promise.withResolvers<void>();
    let isBegun = false;
    const socket = await openSocket({
      target,
      session: resumesSessions ? this.#session : undefined,
      onData: (bytes) => {
        const atMs = performance.now();
        let from = 0;
        if (!isBegun) {
          from = bytes.indexOf("\r\n\r\n") + 4;
          if (bytes.toString("latin1", 9, 12) !== "200") begun.reject(refusal(bytes));
          isBegun = true;
          begun.resolve();
        }
        for (;;) {
          from = bytes.indexOf("}\n", from) + 2;
          if (from === 1) break;
          onEvent(i, atMs);
        }
      },
      onEnd: (err) => {
        begun.reject(err ?? new Error("The server closed a watch"));
        if (isBegun && !this.#isClosing) throw new Error("The server closed a watch");
      },
    });
    socket.once("session", (session) => {
      this.#session ??= session;
    });
    this.#sockets.push(socket);
    const name = names[i] ?? "";
    socket.write(
      new RequestBytes({ target, namespace, name, operation: "watch", bytes: 1024 }).bytes,
    );
    await begun.promise;
  }
}

function refusal(bytes: Buffer): Error {
  return new Error(`Cannot watch: ${bytes.toString("latin1", 0, 200)}`);
}
