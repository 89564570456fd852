// The agent's side of container logs. What containers write goes through FIFOs to a process of its own, the log keeper, so that neither a restart
// of the agent nor its death costs a line. A keeper that dies is replaced: the new one opens the FIFOs that are still there and goes on;
// what nobody has read waits in the pipe, as long as the container (or anyone) has the FIFO open for reading and writing.
//
// The order for a container: make both FIFOs; follow(); start it with O_RDWR ends of the FIFOs; when it has ended, finished(); remove the
// FIFOs. After a restart of the agent: follow() again for each container whose FIFOs are there, then finished() for those that have ended.

import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import { identify } from "../../mounts/process-calls.ts";
import type { ForeignDescriptor } from "../../mounts/take-descriptor.ts";
import type { Attachment } from "../runtime.ts";
import { HeldEnds } from "./held-ends.ts";
import { KeeperAttachment } from "./keeper-attachment.ts";
import { KeeperConnection } from "./keeper-connection.ts";
import { keeperFiles } from "./keeper-files.ts";
import type { ContainerOutput, KeeperAnswer, KeeperRequest } from "./keeper-protocol.ts";
import { connectKeeper } from "./keeper-start.ts";

export interface LogKeeper {
  /** Settles when both FIFOs are open for reading, so that the container may start. Rejects if it cannot be followed. Idempotent. */
  follow(of: ContainerOutput): Promise<void>;
  /**
   * The container has a terminal, whose other end is there: settles when the keeper and the agent have it. Without `from`, for a container of
   * before, it is the keeper's. Rejects if nobody has it any more.
   */
  takeTerminal(id: string, from?: ForeignDescriptor): Promise<void>;
  /** To a container that is followed. Rejects if it is not, or the keeper cannot be reached. */
  attach(id: string, options: AttachOptions): Promise<Attachment>;
  /**
   * The container has ended: settles when everything that it wrote is in the log. Who else has the FIFOs open for writing is waited for, but
   * not longer than 10 s. Does nothing for a container that is not followed.
   */
  finished(id: string): Promise<void>;
  /** Connects when there is something to follow, and again whenever the keeper is lost. The keeper stays when this ends. */
  run(signal: AbortSignal): Promise<void>;
}

export interface AttachOptions {
  readonly hasTty: boolean;
  readonly hasStdin: boolean;
}

export interface ProcessLogKeeperOptions {
  /** The data directory. */
  readonly root: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Followed {
  readonly of: ContainerOutput;
  readonly held: HeldEnds;
}

interface Pending {
  readonly request: KeeperRequest;
  readonly settled: PromiseWithResolvers<KeeperAnswer>;
}

const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 5000;

export class ProcessLogKeeper implements LogKeeper {
  readonly #options: ProcessLogKeeperOptions;
  /** What a new keeper is told first. */
  readonly #followed = new Map<string, Followed>();
  /** Not answered yet; asked again of the next keeper if this one dies. */
  readonly #pending = new Set<Pending>();
  /** Those that go on. */
  readonly #attachments = new Set<Attachment>();
  #connection: KeeperConnection | undefined;
  #wanted: PromiseWithResolvers<void> = Promise.withResolvers();
  #ended: Error | undefined;

  constructor(options: ProcessLogKeeperOptions) {
    this.#options = options;
  }

  async follow(of: ContainerOutput): Promise<void> {
    await this.#ask({ op: "follow", of });
    const held = this.#followed.get(of.id)?.held ?? new HeldEnds();
    this.#followed.set(of.id, { of, held });
    if (of.stdin) held.holdStdin(of.stdin);
  }

  async takeTerminal(id: string, from?: ForeignDescriptor): Promise<void> {
    const { held } = this.#get(id);
    // First: a keeper that dies right after it had it takes nothing away.
    if (from) held.holdTerminal(from);
    const { pid, fd } = await this.#ask({ op: "terminal", id, from });
    const keeper = pid === undefined ? undefined : identify(pid);
    if (!from && keeper && fd !== undefined) held.holdTerminal({ process: keeper, fd });
  }

  async attach(id: string, { hasTty, hasStdin }: AttachOptions): Promise<Attachment> {
    const { of, held } = this.#get(id);
    const { root, clock } = this.#options;
    const attachment = await KeeperAttachment.begin({
      hasTty,
      connect: async (onFrame) => {
        if (!this.#followed.has(id)) return undefined;
        // Answered by the keeper that is there now, be it a new one.
        await this.#ask({ op: "follow", of });
        const connection = await KeeperConnection.open(keeperFiles(root), clock);
        try {
          const answer = await connection.attach({ op: "attach", id, hasStdin }, onFrame);
          return { connection, hasStdin: answer.hasStdin === true };
        } catch (err) {
          connection.close();
          throw err;
        }
      },
      resize: ({ columns, rows }) => {
        this.#ask({ op: "resize", id, columns, rows }).catch((err: unknown) =>
          this.#options.logger.debug("cannot resize a terminal", { containerId: id, err }),
        );
      },
      onInputEnd: () => {
        if (of.stdin?.isOnce === true) held.releaseStdin();
      },
      onEnd: (one) => this.#attachments.delete(one),
    });
    if (!attachment.hasEnded) this.#attachments.add(attachment);
    return attachment;
  }

  async finished(id: string): Promise<void> {
    await this.#ask({ op: "finished", id });
    this.#followed.get(id)?.held[Symbol.dispose]();
    this.#followed.delete(id);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger, root } = this.#options;
    const files = keeperFiles(root);
    let retryMs = FIRST_RETRY_MS;
    const onAbort = (): void => this.#wanted.resolve();
    signal.addEventListener("abort", onAbort, { once: true });
    while (!signal.aborted) {
      await this.#wanted.promise;
      if (signal.aborted) break;
      try {
        const connection = await connectKeeper({ files, clock, signal });
        retryMs = FIRST_RETRY_MS;
        await this.#use(connection, signal);
        if (!signal.aborted) logger.warn("the log keeper is gone");
      } catch (err) {
        if (signal.aborted) break;
        logger.error("the log keeper cannot be reached", { err });
        this.#refuse(err);
        await clock.sleep(retryMs, signal).catch(() => undefined);
        retryMs = Math.min(2 * retryMs, LAST_RETRY_MS);
      }
      this.#wanted = Promise.withResolvers();
      if (this.#followed.size + this.#pending.size > 0 || signal.aborted) this.#wanted.resolve();
    }
    signal.removeEventListener("abort", onAbort);
    this.#end(new Error("The log keeper is no longer used: the agent is ending"));
  }

  /** Until the connection is lost. */
  async #use(connection: KeeperConnection, signal: AbortSignal): Promise<void> {
    const { logger } = this.#options;
    const onAbort = (): void => connection.close();
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    for (const followed of this.#followed.values()) {
      this.#resume(followed, connection).catch((err: unknown) => {
        if (connection.isClosed) return;
        logger.warn("cannot go on with a log", { containerId: followed.of.id, err });
      });
    }
    this.#connection = connection;
    for (const pending of this.#pending) this.#send(pending, connection);
    await connection.closed;
    this.#connection = undefined;
    signal.removeEventListener("abort", onAbort);
  }

  async #resume({ of, held }: Followed, connection: KeeperConnection): Promise<void> {
    const { terminal } = held;
    // Sent together, and done in this order, before all that is asked later.
    const answers = [connection.ask({ op: "follow", of })];
    if (terminal) answers.push(connection.ask({ op: "terminal", id: of.id, from: terminal }));
    await Promise.all(answers);
  }

  #get(id: string): Followed {
    const followed = this.#followed.get(id);
    if (followed === undefined) throw new Error(`Container ${id} is not followed`);
    return followed;
  }

  #ask(request: KeeperRequest): Promise<KeeperAnswer> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    const pending: Pending = { request, settled: Promise.withResolvers() };
    this.#pending.add(pending);
    if (this.#connection !== undefined) this.#send(pending, this.#connection);
    this.#wanted.resolve();
    return pending.settled.promise;
  }

  #send(pending: Pending, connection: KeeperConnection): void {
    connection.ask(pending.request).then(
      (answer) => {
        this.#pending.delete(pending);
        pending.settled.resolve(answer);
      },
      (err: unknown) => {
        // Asked again of the next one.
        if (connection.isClosed) return;
        this.#pending.delete(pending);
        pending.settled.reject(err);
      },
    );
  }

  /** A container that cannot have a log is not started; one that has ended waits for its log. */
  #refuse(reason: unknown): void {
    for (const pending of this.#pending) {
      if (pending.request.op === "finished") continue;
      this.#pending.delete(pending);
      pending.settled.reject(
        new Error("Cannot follow a container's output: the log keeper cannot be reached", {
          cause: reason,
        }),
      );
    }
  }

  #end(reason: Error): void {
    this.#ended = reason;
    for (const attachment of this.#attachments) attachment[Symbol.dispose]();
    for (const { held } of this.#followed.values()) held[Symbol.dispose]();
    for (const { settled } of this.#pending) settled.reject(reason);
    this.#pending.clear();
  }
}
