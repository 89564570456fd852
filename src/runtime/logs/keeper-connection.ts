// A connection to a log keeper: requests go out, each settles with its answer.

import { connect, type Socket } from "node:net";
import { type KeeperFiles, socketAddress } from "./keeper-files.ts";
import {
  encodeMessage,
  type KeeperAnswer,
  type KeeperRequest,
  messageDecoder,
} from "./keeper-protocol.ts";

export class KeeperConnection {
  /** Settles when the connection is lost or closed; all requests that were under way are rejected by then. */
  readonly closed: Promise<void>;
  readonly #socket: Socket;
  readonly #waiting = new Map<number, PromiseWithResolvers<KeeperAnswer>>();
  #seq = 0;
  #isClosed = false;

  /** Rejects with the system's error if nobody listens. */
  static async open(files: KeeperFiles): Promise<KeeperConnection> {
    using address = socketAddress(files);
    const socket = connect(address.path);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    socket.once("connect", resolve).once("error", reject);
    await promise;
    socket.off("error", reject);
    return new KeeperConnection(socket);
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    const decode = messageDecoder((message) => this.#onAnswer(message as KeeperAnswer));
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => {
      try {
        decode(text);
      } catch {
        // Whoever that is, it is no keeper.
        socket.destroy();
      }
    });
    // `close` follows, and is all that there is to know.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      this.#isClosed = true;
      for (const { reject } of this.#waiting.values()) {
        reject(new Error("The connection to the log keeper was lost"));
      }
      this.#waiting.clear();
      resolve();
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  async ask(request: KeeperRequest): Promise<KeeperAnswer> {
    if (this.#isClosed) throw new Error("The connection to the log keeper was lost");
    const seq = ++this.#seq;
    const waiting = Promise.withResolvers<KeeperAnswer>();
    this.#waiting.set(seq, waiting);
    this.#socket.write(encodeMessage({ seq, ...request }));
    const answer = await waiting.promise;
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer;
  }

  close(): void {
    this.#socket.destroy();
  }

  #onAnswer(answer: KeeperAnswer): void {
    this.#waiting.get(answer.seq)?.resolve(answer);
    this.#waiting.delete(answer.seq);
  }
}
