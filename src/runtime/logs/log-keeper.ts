// The agent's side of container logs. What containers write goes through FIFOs to a process of its own, the log keeper, so that neither a restart
// of the agent nor its death costs a line. A keeper that dies is replaced: the new one opens the FIFOs that are still there and goes on;
// what nobody has read waits in the pipe, as long as the container (or anyone) has the FIFO open for reading and writing.
//
// The order for a container: make both FIFOs; follow(); start it with O_RDWR ends of the FIFOs; when it has ended, finished(); remove the
// FIFOs. After a restart of the agent: follow() again for each container whose FIFOs are there, then finished() for those that have ended.

import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { KeeperConnection } from "./keeper-connection.ts";
import { keeperFiles } from "./keeper-files.ts";
import type { ContainerOutput, KeeperRequest } from "./keeper-protocol.ts";
import { connectKeeper } from "./keeper-start.ts";

export interface LogKeeper {
  /** Settles when both FIFOs are open for reading, so that the container may start. Rejects if it cannot be followed. Idempotent. */
  follow(of: ContainerOutput): Promise<void>;
  /**
   * The container has ended: settles when everything that it wrote is in the log. Who else has the FIFOs open for writing is waited for, but
   * not longer than 10 s. Does nothing for a container that is not followed.
   */
  finished(id: string): Promise<void>;
  /** Connects when there is something to follow, and again whenever the keeper is lost. The keeper stays when this ends. */
  run(signal: AbortSignal): Promise<void>;
}

export interface ProcessLogKeeperOptions {
  /** The data directory. */
  readonly root: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Pending {
  readonly request: KeeperRequest;
  readonly settled: PromiseWithResolvers<void>;
}

const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 5000;

export class ProcessLogKeeper implements LogKeeper {
  readonly #options: ProcessLogKeeperOptions;
  /** What a new keeper is told first. */
  readonly #followed = new Map<string, ContainerOutput>();
  /** Not answered yet; asked again of the next keeper if this one dies. */
  readonly #pending = new Set<Pending>();
  #connection: KeeperConnection | undefined;
  #wanted: PromiseWithResolvers<void> = Promise.withResolvers();
  #ended: Error | undefined;

  constructor(options: ProcessLogKeeperOptions) {
    this.#options = options;
  }

  async follow(of: ContainerOutput): Promise<void> {
    await this.#ask({ op: "follow", of });
    this.#followed.set(of.id, of);
  }

  async finished(id: string): Promise<void> {
    await this.#ask({ op: "finished", id });
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
    for (const of of this.#followed.values()) {
      connection.ask({ op: "follow", of }).catch((err: unknown) => {
        if (!connection.isClosed)
          logger.warn("cannot go on with a log", { containerId: of.id, err });
      });
    }
    this.#connection = connection;
    for (const pending of this.#pending) this.#send(pending, connection);
    await connection.closed;
    this.#connection = undefined;
    signal.removeEventListener("abort", onAbort);
  }

  #ask(request: KeeperRequest): Promise<void> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    const pending: Pending = { request, settled: Promise.withResolvers() };
    this.#pending.add(pending);
    if (this.#connection !== undefined) this.#send(pending, this.#connection);
    this.#wanted.resolve();
    return pending.settled.promise;
  }

  #send(pending: Pending, connection: KeeperConnection): void {
    connection.ask(pending.request).then(
      () => {
        this.#pending.delete(pending);
        pending.settled.resolve();
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
    for (const { settled } of this.#pending) settled.reject(reason);
    this.#pending.clear();
  }
}
