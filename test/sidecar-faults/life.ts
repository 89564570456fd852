// A whole sidecar inside this process, of its real parts, on a directory that outlives it: output, state, and the app beside it, which reads the output whenever it is
// told to. Only the source says what a test lets it say, and the clock can be a fake one.

import { once } from "node:events";
import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Clock } from "../../src/base/clock.ts";
import { createMetrics } from "../../src/base/metrics.ts";
import { CaptureLogger } from "../../src/base/testing/capture-logger.ts";
import { seededRandom } from "../../src/base/testing/seeded-random.ts";
import { currentProcess } from "../../src/files/process-identity.ts";
import type { Compose } from "../../src/sidecar/compose-model.ts";
import { type SidecarParts, sidecarParts } from "../../src/sidecar/sidecar-parts.ts";
import { FakeSource } from "../../src/sidecar/testing/fake-source.ts";

export type OutputKind = "files" | "volume";
export type Texts = Readonly<Record<string, string>>;

/** Not the usual one: nobody else takes a port of it meanwhile. */
const HOST = "127.83.68.70";
/** With a clock that is stepped, what is real takes no time. The same for all lives of an app: who was told is remembered with how. */
const NEVER_MS = 3_600_000;
const self = currentProcess();

/** What a reader finds in an output: path and text of each file. Of a volume through `..data`. */
export function liveTexts(output: string, kind: OutputKind): Texts {
  const root = kind === "volume" ? join(output, "..data") : output;
  const texts: [string, string][] = [];
  const visit = (directory: string, prefix: string): void => {
    for (const name of readdirSync(directory).toSorted()) {
      if (name.startsWith("..")) continue;
      const path = join(directory, name);
      if (statSync(path).isDirectory()) visit(path, `${prefix}${name}/`);
      // Not with an encoding: then Node aborts when it cannot close the file.
      else texts.push([`${prefix}${name}`, readFileSync(path).toString()]);
    }
  };
  try {
    visit(root, "");
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code !== "ENOENT") throw err;
  }
  return Object.fromEntries(texts);
}

/** An app that is told by HTTP, and then reads the output. What it has read is in the directory, too, as if its process lived in there. */
export class LifeApp implements AsyncDisposable {
  readonly #server: Server;
  readonly kind: OutputKind;
  /** The directory of the life at hand. */
  root = "";
  isDown = false;
  /** How often it was told. */
  told = 0;

  constructor(kind: OutputKind) {
    this.kind = kind;
    this.#server = createServer((_, response) => {
      this.told++;
      const isLoaded = !this.isDown && this.#load();
      response.writeHead(isLoaded ? 204 : 503, { connection: "close" }).end();
    });
  }

  async listen(port = 0): Promise<void> {
    this.#server.listen(port, HOST);
    await once(this.#server, "listening");
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** False: some call has failed. */
  #load(): boolean {
    try {
      const text = JSON.stringify(liveTexts(join(this.root, "live"), this.kind));
      writeFileSync(join(this.root, "app.new"), text);
      renameSync(join(this.root, "app.new"), join(this.root, "app"));
      return true;
    } catch {
      return false;
    }
  }
}

/** What the app has read last; undefined if it was never told. */
export function loadedTexts(root: string): Texts | undefined {
  try {
    return JSON.parse(readFileSync(join(root, "app"), "utf8")) as Texts;
  } catch {
    return undefined;
  }
}

export interface LifeOptions {
  readonly root: string;
  readonly kind: OutputKind;
  readonly port: number;
  readonly onStart: boolean;
  readonly ackDirectory?: string;
  readonly gateTimeoutMs?: number;
  readonly clock: Clock;
}

export class Life implements AsyncDisposable {
  readonly source: FakeSource = new FakeSource("one");
  readonly #parts: SidecarParts;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(options: LifeOptions) {
    this.#parts = sidecarParts({
      ...{ spec: specOf(options), sources: [this.source], variables: {}, self, isBeforeApp: false },
      ...{
        stateDirectory: join(options.root, "state"),
        ackDirectory: options.ackDirectory,
        events: undefined,
      },
      ...{ metrics: createMetrics(), logger: new CaptureLogger() },
      ...{ clock: options.clock, random: seededRandom(1) },
    });
    this.#running = this.#parts.sidecar.run(this.#stop.signal);
  }

  /** The version that the app was told of with success. */
  get applied(): string | undefined {
    return this.#parts.reporter.applied;
  }

  get problems(): ReadonlyMap<string, string> {
    return this.#parts.reporter.problems;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await this.#parts[Symbol.asyncDispose]();
  }
}

function specOf({ root, kind, port, onStart, gateTimeoutMs = NEVER_MS }: LifeOptions): Compose {
  const path = join(root, "live");
  return {
    sources: new Map([["one", { type: "environment", names: [] }]]),
    files: [
      {
        path: "./",
        make: { type: "copy", from: "one/**", rename: undefined },
        ...{ decode: [], mode: undefined, owner: undefined },
      },
    ],
    output: kind === "volume" ? { type: kind, path } : { type: kind, path, removesOthers: true },
    gate: { schemas: [], command: ["true"], timeoutMs: gateTimeoutMs, failsReadiness: false },
    reload: {
      actions: [
        {
          ...{ type: "http", method: "POST", url: `http://${HOST}:${port}/reload` },
          ...{ headers: new Map(), auth: undefined, body: undefined, expectedStatus: undefined },
          ...{ timeoutMs: NEVER_MS, skipsTlsVerify: false },
        },
      ],
      ...{ minWaitMs: 1, maxWaitMs: 1, onStart },
    },
  };
}
