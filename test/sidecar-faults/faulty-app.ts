// An app that is told by HTTP, and reads what is live when it is. It can be slow, broken, or away.

import { once } from "node:events";
import { readlinkSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { compareUtf8, versionOf } from "../../src/base/content-version.ts";
import { liveTexts, type OutputKind, type Texts } from "./life.ts";

export type AppFault = "away" | "broken" | "slow" | "too slow";

export const APP_FAULTS: readonly AppFault[] = ["away", "broken", "slow", "too slow"];
/** Whoever tells it waits no longer than this. */
export const APP_TIMEOUT_MS = 500;
const DELAYS_MS: Readonly<Partial<Record<AppFault, number>>> = { slow: 150, "too slow": 1000 };

export class FaultyApp implements AsyncDisposable {
  readonly #output: string;
  readonly #kind: OutputKind;
  #server: Server | undefined;
  #port = 0;
  #fault: AppFault | undefined;
  /** Content versions that it has loaded and said so. */
  readonly loaded: Set<string> = new Set<string>();
  /** What it runs with. */
  current: Texts | undefined;
  told = 0;

  private constructor(output: string, kind: OutputKind) {
    this.#output = output;
    this.#kind = kind;
  }

  static async start(output: string, kind: OutputKind): Promise<FaultyApp> {
    const app = new FaultyApp(output, kind);
    await app.#listen();
    return app;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/-/reload`;
  }

  async setFault(fault: AppFault | undefined): Promise<void> {
    this.#fault = fault;
    if (fault === "away") await this.#close();
    else if (this.#server === undefined) await this.#listen();
  }

  /** By itself, as it does when it starts. */
  begin(): void {
    this.loaded.add(this.#load());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }

  #load(): string {
    this.current = this.#read();
    return contentVersionOf(this.current);
  }

  async #listen(): Promise<void> {
    const server = createServer((_, response) => void this.#answer(response));
    this.#server = server;
    server.listen(this.#port, "127.0.0.1");
    await once(server, "listening");
    this.#port = (server.address() as AddressInfo).port;
  }

  async #close(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  }

  /** Reads first and answers late: what changes in between it does not know. */
  async #answer(response: ServerResponse): Promise<void> {
    this.told++;
    const fault = this.#fault;
    if (fault === "broken") {
      response.writeHead(500).end();
      return;
    }
    const version = this.#load();
    const delayMs = fault && DELAYS_MS[fault];
    if (delayMs !== undefined) await sleep(delayMs);
    this.loaded.add(version);
    response.writeHead(200).end();
  }

  /** Of a volume one version. */
  #read(): Texts {
    for (;;) {
      const target = linkOf(this.#output);
      try {
        const texts = liveTexts(this.#output, this.#kind);
        if (linkOf(this.#output) === target) return texts;
      } catch (err) {
        // Something went while it was read.
        if ((err as NodeJS.ErrnoException).code !== "ENOENT") throw err;
      }
    }
  }
}

function linkOf(directory: string): string | undefined {
  try {
    return readlinkSync(join(directory, "..data"));
  } catch {
    return undefined;
  }
}

export function contentVersionOf(texts: Texts): string {
  const files = Object.entries(texts)
    .toSorted(([a], [b]) => compareUtf8(a, b))
    .map(([path, text]) => ({ path, data: Buffer.from(text) }));
  return versionOf(files);
}
