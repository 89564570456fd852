// From a change in the API to an app that knows: file live, and app told, by an HTTP request or by a signal. The yardstick is the least that an app can do by itself, in the
// same process, of the same changes: see direct-watch.ts. Times are from sending the PUT: whoever watches may hear of it before the writer has its answer.

import { watch, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { DriftlessServer } from "../../test/support/driftless-server.ts";
import { percentile, report } from "../report.ts";
import { Beside, Place } from "./beside.ts";
import { contentOf, fileOf, makeConfigMaps, putConfigMap } from "./config-maps.ts";
import { DirectWatch } from "./direct-watch.ts";
import type { ShippedProgram } from "./shipped-program.ts";

export interface LatencyOptions {
  readonly program: ShippedProgram;
  readonly server: DriftlessServer;
  readonly changes: number;
}

interface Way {
  readonly what: string;
  readonly tell: "http" | "signal";
  readonly sources: number;
  /** Undefined: as it is if nobody says anything. */
  readonly minWait: string | undefined;
  readonly aim: number | undefined;
}

/** Composing, syncing files and a second process; the watch alone is but an event. */
const AIM = 8;
const WAYS: readonly Way[] = [
  { what: "1 source, HTTP", tell: "http", sources: 1, minWait: undefined, aim: AIM },
  { what: "1 source, no wait, HTTP", tell: "http", sources: 1, minWait: "0s", aim: AIM },
  { what: "1 source, no wait, signal", tell: "signal", sources: 1, minWait: "0s", aim: AIM },
  { what: "2 sources, HTTP", tell: "http", sources: 2, minWait: undefined, aim: undefined },
];
/** Longer than what a sidecar waits for more: each change is the first after a quiet time. */
const PAUSE_MS = 150;
const SPREAD_MS = 50;

interface Heard {
  readonly acknowledgedMs: number;
  readonly directMs: number;
  readonly liveMs: number;
  readonly toldMs: number;
}

export async function benchLatency(options: LatencyOptions): Promise<void> {
  for (const [index, way] of WAYS.entries()) {
    console.error(`  ${way.what} …`);
    tell(way, await measured(options, way, `latency-${index}`));
  }
}

async function measured(
  { program, server, changes }: LatencyOptions,
  way: Way,
  prefix: string,
): Promise<readonly Heard[]> {
  using place = new Place();
  const names = Array.from({ length: way.sources }, (_, i) => `${prefix}-${i}`);
  const [name = ""] = names;
  const file = fileOf(name);
  await makeConfigMaps(server, names);
  await using app = await App.start(place, file);
  const { kubeconfig } = server;
  const argv = place.compose({
    sources: Object.fromEntries(names.map((one) => [one, { configMap: one }])),
    output: place.join("out"),
    reload: { actions: [app.action(way.tell)], ...(way.minWait && { minWait: way.minWait }) },
  });
  await using _direct = new DirectWatch(kubeconfig, {
    ...{ name, file, onFile: (content) => app.hear("direct", content) },
  });
  await using sidecar = new Beside({ program, argv, kubeconfig });
  await sidecar.until("the app is told", () => app.knows(contentOf("first")));
  using _live = app.watch(place.join("out"));
  const all: Heard[] = [];
  for (let i = 0; i < changes; i++) {
    await sleep(PAUSE_MS + Math.random() * SPREAD_MS);
    all.push(await changed(server, { app, name, value: `value ${i}` }));
  }
  return all;
}

async function changed(
  server: DriftlessServer,
  { app, name, value }: { readonly app: App; readonly name: string; readonly value: string },
): Promise<Heard> {
  const heard = app.expect(contentOf(value));
  const beganMs = performance.now();
  await putConfigMap(server, name, value);
  const acknowledgedMs = performance.now() - beganMs;
  const { direct, live, told } = await heard;
  return {
    acknowledgedMs,
    ...{ directMs: direct - beganMs, liveMs: live - beganMs, toldMs: told - beganMs },
  };
}

type How = "direct" | "live" | "told";

/** Who is told: this process. */
class App implements AsyncDisposable {
  readonly #place: Place;
  readonly #file: string;
  readonly #server = createServer((_, answer) => {
    this.#told();
    answer.end();
  });
  readonly #onSignal = (): void => this.#told();
  #content = "";
  #waiting = new Map<How, (atMs: number) => void>();
  #known: string | undefined;

  private constructor(place: Place, file: string) {
    this.#place = place;
    this.#file = file;
  }

  static async start(place: Place, file: string): Promise<App> {
    const app = new App(place, file);
    writeFileSync(place.join("pid"), String(process.pid));
    process.on("SIGUSR2", app.#onSignal);
    await new Promise<void>((resolve) => app.#server.listen(0, "127.0.0.1", resolve));
    return app;
  }

  action(how: Way["tell"]): object {
    const { port } = this.#server.address() as AddressInfo;
    return how === "http"
      ? { http: `http://127.0.0.1:${port}/-/reload` }
      : { signal: "USR2", pidFile: this.#place.join("pid") };
  }

  watch(output: string): Disposable {
    const watcher = watch(output, (_, name) => {
      if (name === "..data") this.hear("live", this.#place.read("out", this.#file) ?? "");
    });
    return { [Symbol.dispose]: () => watcher.close() };
  }

  /** Ask before it is changed. When each way has led to this content, by performance.now(). */
  async expect(content: string): Promise<Readonly<Record<How, number>>> {
    this.#content = content;
    const [direct, live, told] = await Promise.all([
      this.#when("direct"),
      this.#when("live"),
      this.#when("told"),
    ]);
    return { direct, live, told };
  }

  hear(how: How, content: string): void {
    if (content === this.#content) this.#waiting.get(how)?.(performance.now());
  }

  knows(content: string): boolean {
    return this.#known === content;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    process.off("SIGUSR2", this.#onSignal);
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #told(): void {
    this.#known = this.#place.read("out", this.#file);
    this.hear("told", this.#known ?? "");
  }

  #when(how: How): Promise<number> {
    return new Promise((resolve) => this.#waiting.set(how, resolve));
  }
}

function tell({ what, aim }: Way, all: readonly Heard[]): void {
  for (const [share, text] of [
    [0.5, "p50"],
    [0.99, "p99"],
  ] as const) {
    const at = (pick: (one: Heard) => number): number => percentile(all.map(pick), share);
    const baseline = at(({ directMs }) => directMs);
    report({
      ...{ name: `sidecar, ${what}: changed → live, against a direct watch, ${text}`, unit: "ms" },
      ...{ ours: at(({ liveMs }) => liveMs), baseline },
    });
    const ours = at(({ toldMs }) => toldMs);
    const isAimed = aim !== undefined && share === 0.5;
    report({
      ...{ name: `sidecar, ${what}: changed → told, against a direct watch, ${text}`, unit: "ms" },
      ...{ ours, baseline },
      ...(isAimed && { aim: { text: `ratio <= ${aim}`, met: ours <= aim * baseline } }),
    });
  }
}
