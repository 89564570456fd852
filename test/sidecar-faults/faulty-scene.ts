// Everything that a sidecar has around it in the campaign, real, and such that it can be broken: sources, gate, disk, apps, and the sidecars themselves, which are killed.

import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TempDir, tempDir } from "../../src/base/testing/temp-dir.ts";
import type { AtomicWriter } from "../../src/files/atomic-writer.ts";
import { payloadOf, testWriter } from "../../src/files/testing/test-writer.ts";
import { TcpProxy } from "../etcd/tcp-proxy.ts";
import { DriftlessServer } from "../support/driftless-server.ts";
import { fillDisk } from "../support/fill-disk.ts";
import { type MountedTmpfs, tmpfs } from "../support/tmpfs.ts";
import { AckCheck } from "./ack-check.ts";
import { APP_TIMEOUT_MS, contentVersionOf, FaultyApp } from "./faulty-app.ts";
import {
  confOf,
  documentOf,
  type Fault,
  LIVE_FILES,
  partOf,
  type SourceName,
} from "./faulty-set.ts";
import { FaultyUrl } from "./faulty-url.ts";
import { liveTexts, type OutputKind, type Texts } from "./life.ts";
import type { Observed } from "./observer.ts";
import { Program, until } from "./program.ts";

export type GateMode = "hangs" | "judges" | "missing" | "refuses";

const MAPS = "/api/v1/namespaces/default/configmaps";
/** "bad" is what it refuses, and it can be told to be worse. */
const GATE = `#!/bin/sh
case "$(cat "$0.mode")" in
  hangs) sleep 600;;
  refuses) exit 1;;
esac
! grep -rq bad "$1"
`;
const OBSERVER = join(import.meta.dirname, "observer.ts");

/** One sidecar, with an app and a place for its acknowledgements. */
export class Beside {
  readonly kind: OutputKind;
  readonly app: FaultyApp;
  readonly acks: AckCheck;
  readonly live: string;
  readonly #start: () => Program;
  #program: Program;

  constructor(of: {
    readonly kind: OutputKind;
    readonly app: FaultyApp;
    readonly live: string;
    readonly ackDirectory: string;
    readonly start: () => Program;
  }) {
    this.kind = of.kind;
    this.app = of.app;
    this.live = of.live;
    this.acks = new AckCheck(of.ackDirectory, of.live, of.app);
    this.#start = of.start;
    this.#program = of.start();
  }

  get hasFailed(): boolean {
    return this.#program.hasFailed;
  }

  get log(): string {
    return this.#program.log;
  }

  async kill(): Promise<void> {
    await this.#program.kill();
  }

  startAnew(): void {
    this.#program = this.#start();
  }

  texts(): Texts {
    return liveTexts(this.live, this.kind);
  }

  /** What is live is of the app, which has said so, and is acknowledged. */
  isApplied(): boolean {
    const version = contentVersionOf(this.texts());
    const { current } = this.app;
    if (current === undefined || contentVersionOf(current) !== version) return false;
    return this.app.loaded.has(version) && this.acks.newest === version;
  }
}

export class FaultyScene implements AsyncDisposable {
  readonly #resources = new AsyncDisposableStack();
  readonly #dir: TempDir;
  readonly #disk: MountedTmpfs;
  readonly #server: DriftlessServer;
  readonly line: TcpProxy;
  readonly url: FaultyUrl;
  readonly #volume: AtomicWriter;
  readonly sidecars: Beside[] = [];
  #isObjectThere = false;
  #full: Disposable | undefined;
  #observer: Program | undefined;

  private constructor(parts: {
    readonly resources: AsyncDisposableStack;
    readonly dir: TempDir;
    readonly disk: MountedTmpfs;
    readonly server: DriftlessServer;
    readonly line: TcpProxy;
    readonly url: FaultyUrl;
  }) {
    this.#resources = parts.resources;
    this.#dir = parts.dir;
    this.#disk = parts.disk;
    this.#server = parts.server;
    this.line = parts.line;
    this.url = parts.url;
    mkdirSync(this.#dir.join("vol"));
    this.#volume = testWriter(this.#dir.join("vol"), { keepPreviousMs: 1000 });
  }

  /** A reason if there can be none here. */
  static async make(): Promise<FaultyScene | { readonly reason: string }> {
    await using resources = new AsyncDisposableStack();
    const dir = resources.use(tempDir());
    const disk = resources.use(tmpfs("size=1m"));
    if ("reason" in disk) return disk;
    const server = resources.use(await DriftlessServer.start({ flags: ["--store", "memory"] }));
    const line = resources.use(await TcpProxy.start(server.url));
    const url = resources.use(await FaultyUrl.start());
    return new FaultyScene({ resources: resources.move(), dir, disk, server, line, url });
  }

  /** The sources must say something good by now. */
  async start(): Promise<void> {
    writeFileSync(this.#dir.join("gate"), GATE, { mode: 0o755 });
    this.setGate("judges");
    const config = readFileSync(this.#server.kubeconfig, "utf8");
    const way = this.line.url.replace("http:", "https:");
    writeFileSync(this.#dir.join("kubeconfig"), config.replace(this.#server.url, way));
    for (const kind of ["volume", "files"] as const) await this.#startSidecar(kind);
    const observed: Observed[] = [];
    for (const sidecar of this.sidecars) {
      const { kind, live, app } = sidecar;
      await until("the first version is live", () => {
        if (sidecar.hasFailed) throw new Error(`it has ended: ${sidecar.log}`);
        // All of it: plain files come one after the other.
        return Object.keys(sidecar.texts()).length === LIVE_FILES.length;
      });
      app.begin();
      observed.push({ name: kind, kind, directory: live });
    }
    const observer = this.#resources.use(Program.node([OBSERVER, JSON.stringify(observed)]));
    await until(
      "the observer looks",
      () => observer.output !== "",
      () => observer.log,
    );
    this.#observer = observer;
  }

  /** What the observer has to say; its last line says how much it has seen. */
  async observed(): Promise<readonly string[]> {
    const text = await this.#observer?.finish();
    return (text ?? "").trim().split("\n").slice(1);
  }

  /** Of one source, in all that it has. */
  async setSource(source: SourceName, number: number, fault?: Fault): Promise<void> {
    const files = {
      [`${source}.conf`]: confOf(source, number),
      "part.yaml": partOf(source, number, fault),
    };
    if (source === "url") this.url.text = documentOf(number, fault);
    else if (source === "vol") this.#volume.write(payloadOf(files));
    else await this.#setObject(files);
  }

  async deleteObject(): Promise<void> {
    await this.#server.fetch("DELETE", `${MAPS}/obj`);
    this.#isObjectThere = false;
  }

  setGate(mode: GateMode): void {
    const path = this.#dir.join("gate");
    const away = `${path}.away`;
    try {
      renameSync(mode === "missing" ? path : away, mode === "missing" ? away : path);
    } catch {
      // It is there, or away, already.
    }
    writeFileSync(`${path}.mode.new`, mode);
    renameSync(`${path}.mode.new`, `${path}.mode`);
  }

  /** All but so many bytes; undefined: it is free again. */
  fill(leavesBytes: number | undefined): void {
    this.#full?.[Symbol.dispose]();
    this.#full = leavesBytes === undefined ? undefined : fillDisk(this.#disk.path, leavesBytes);
  }

  /** What is on the disk, for whoever wants to know what fills it. */
  onDisk(): readonly string[] {
    return readdirSync(this.#disk.path, { recursive: true, encoding: "utf8" });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const sidecar of this.sidecars) await sidecar.kill();
    await this.#resources[Symbol.asyncDispose]();
  }

  async #setObject(data: Record<string, string>): Promise<void> {
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "obj" }, data };
    const { status, text } = this.#isObjectThere
      ? await this.#server.fetch("PUT", `${MAPS}/obj`, object)
      : await this.#server.fetch("POST", MAPS, object);
    if (status !== 200 && status !== 201) throw new Error(`the object cannot be written: ${text}`);
    this.#isObjectThere = true;
  }

  async #startSidecar(kind: OutputKind): Promise<void> {
    const live = join(this.#disk.path, kind);
    const app = this.#resources.use(await FaultyApp.start(live, kind));
    const compose = this.#dir.join(`${kind}.yaml`);
    const ackDirectory = this.#dir.join(`${kind}-acks`);
    mkdirSync(ackDirectory);
    writeFileSync(compose, JSON.stringify(this.#composeOf(kind, { live, url: app.url })));
    const args = ["sidecar", "-f", compose, "--kubeconfig", this.#dir.join("kubeconfig")];
    const env = { DRIFTLESS_ACK: ackDirectory, HOME: this.#dir.path };
    const start = (): Program => Program.driftless(args, env);
    this.sidecars.push(new Beside({ kind, app, live, ackDirectory, start }));
  }

  #composeOf(kind: OutputKind, of: { readonly live: string; readonly url: string }): object {
    return {
      sources: {
        vol: this.#dir.join("vol"),
        obj: { configMap: "obj" },
        url: { url: this.url.url, as: "url.yaml", interval: "1s", timeout: "400ms" },
      },
      files: [
        { path: "merged.yaml", merge: ["vol/part.yaml", "obj/part.yaml", "url"] },
        ...["vol/vol.conf", "obj/obj.conf", "url/url.yaml"],
      ],
      output: { [kind]: of.live },
      gate: { command: [this.#dir.join("gate"), "{dir}"], timeout: "700ms" },
      reload: {
        // One of them has to remember what it has told before it was killed.
        ...{ onStart: kind === "volume", minWait: "20ms", maxWait: "200ms", retryMax: "500ms" },
        actions: [{ http: of.url, timeout: `${APP_TIMEOUT_MS}ms` }],
      },
    };
  }
}
