// A connection to a log keeper: requests go out, each settles with its answer. It may become one to a container that is attached to.

import { connect, type Socket } from "node:net";
import type { Clock } from "../../base/clock.ts";
import { encodeFrame, type FrameKind, frameDecoder } from "./attach-frames.ts";
import { type KeeperFiles, socketAddress } from "./keeper-files.ts";
import {
  encodeMessage,
  type KeeperAnswer,
  type KeeperRequest,
  messageDecoder,
} from "./keeper-protocol.ts";

/** Longer than the keeper waits for the last words of a container. */
const TIMEOUT_MS = 30_000;

export class KeeperConnection {
  /** Settles when the connection is lost or closed; all requests that were under way are rejected by then. */
  readonly closed: Promise<void>;
  readonly #socket: Socket;
  readonly #waiting = new Map<number, PromiseWithResolvers<KeeperAnswer>>();
  #seq = 0;
  #isClosed = false;
  readonly #clock: Clock;
  #onFrame: ((kind: FrameKind, bytes: Buffer) => void) | undefined;

  /** Rejects with the system's error if nobody listens. */
  static async open(files: KeeperFiles, clock: Clock): Promise<KeeperConnection> {
    using address = socketAddress(files);
    const socket = connect(address.path);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    socket.once("connect", resolve).once("error", reject);
    await promise;
    socket.off("error", reject);
    return new KeeperConnection(socket, clock);
  }

  private constructor(socket: Socket, clock: Clock) {
    this.#socket = socket;
    this.#clock = clock;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    const decode = messageDecoder({
      onMessage: (message) => this.#onAnswer(message as KeeperAnswer),
      onFrames: frameDecoder((kind, bytes) => this.#onFrame?.(kind, bytes)),
    });
    socket.on("data", (bytes: Buffer) => {
      try {
        decode(bytes);
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

  /** Rejects if the keeper refuses, is lost, or does not answer in time. */
  async ask(request: KeeperRequest): Promise<KeeperAnswer> {
    if (this.#isClosed) throw new Error("The connection to the log keeper was lost");
    const seq = ++this.#seq;
    const waiting = Promise.withResolvers<KeeperAnswer>();
    this.#waiting.set(seq, waiting);
    this.#socket.write(encodeMessage({ seq, ...request }));
    using _timeout = this.#clock.schedule(TIMEOUT_MS, () => {
      this.#waiting.delete(seq);
      waiting.reject(
        new Error(
          `The log keeper does not answer: "${request.op}" was asked ${TIMEOUT_MS / 1000} s ago`,
        ),
      );
    });
    const answer = await waiting.promise;
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer;
  }

  /** From the answer on the connection is for frames only. */
  async attach(
    request: Extract<KeeperRequest, { op: "attach" }>,
    onFrame: (kind: FrameKind, bytes: Buffer) => void,
  ): Promise<KeeperAnswer> {
    this.#onFrame = onFrame;
    return this.ask(request);
  }

  /** `done` is called when the keeper has room for more, or is gone. */
  send(kind: FrameKind, bytes: Uint8Array, done: () => void): void {
    if (this.#socket.writable) this.#socket.write(encodeFrame(kind, bytes), () => done());
    else done();
  }

  close(): void {
    this.#socket.destroy();
  }

  #onAnswer(answer: KeeperAnswer): "frames" | undefined {
    this.#waiting.get(answer.seq)?.resolve(answer);
    this.#waiting.delete(answer.seq);
    return this.#onFrame !== undefined && answer.error === undefined ? "frames" : undefined;
  }
}
