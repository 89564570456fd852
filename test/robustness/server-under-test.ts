// A server that is stopped and killed, and started again in the same place on the same port.

import { type TempDir, tempDir } from "../../src/base/testing/temp-dir.ts";
import { DriftlessServer, readCredentials } from "../support/driftless-server.ts";
import type { TransportOptions } from "./transport.ts";

export interface ServerUnderTestOptions {
  readonly flags: readonly string[];
  /** Kept by the caller. Default: a directory that goes with the server. */
  readonly dataDir?: string;
}

export class ServerUnderTest implements AsyncDisposable {
  readonly #options: ServerUnderTestOptions;
  readonly #dir: TempDir;
  #server: DriftlessServer;
  #isChanging = false;
  #earlierLogs = "";

  private constructor(options: ServerUnderTestOptions, dir: TempDir, server: DriftlessServer) {
    this.#options = options;
    this.#dir = dir;
    this.#server = server;
  }

  static async start(options: ServerUnderTestOptions): Promise<ServerUnderTest> {
    const dir = tempDir();
    const { flags, dataDir = dir.path } = options;
    try {
      const server = await DriftlessServer.start({ dataDir, flags });
      return new ServerUnderTest(options, dir, server);
    } catch (err) {
      dir[Symbol.dispose]();
      throw err;
    }
  }

  get current(): DriftlessServer {
    return this.#server;
  }

  /** Of all its lives, the end of it. */
  get log(): string {
    return (this.#earlierLogs + this.#server.log).slice(-10_000);
  }

  get address(): TransportOptions {
    return { url: this.#server.url, credentials: readCredentials(this.#server.kubeconfig) };
  }

  /** True if it ended by itself. */
  get hasDied(): boolean {
    const { exitCode, signalCode } = this.#server.process;
    return !this.#isChanging && (exitCode !== null || signalCode !== null);
  }

  async restart(how: "stop" | "kill"): Promise<void> {
    const { flags, dataDir = this.#dir.path } = this.#options;
    const { port } = this.#server;
    this.#isChanging = true;
    this.#earlierLogs = this.log;
    await (how === "kill" ? this.#server.kill() : this.#server.stop());
    this.#server = await DriftlessServer.start({ dataDir, flags, port });
    this.#isChanging = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
    this.#dir[Symbol.dispose]();
  }
}
