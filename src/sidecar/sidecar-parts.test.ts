import { deepEqual, equal, match, ok } from "node:assert/strict";
import { getEventListeners, once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { systemClock } from "../base/clock.ts";
import { createMetrics } from "../base/metrics.ts";
import { CaptureLogger } from "../base/testing/capture-logger.ts";
import { FakeClock } from "../base/testing/fake-clock.ts";
import { seededRandom } from "../base/testing/seeded-random.ts";
import { tempDir } from "../base/testing/temp-dir.ts";
import { currentProcess } from "../files/process-identity.ts";
import { readCompose } from "./compose-file.ts";
import type { Compose, ReloadActionSpec, ReloadSpec } from "./compose-model.ts";
import { reloadTry } from "./reload-tries.ts";
import type { ReloadEnd, SidecarObserver } from "./report/observer.ts";
import { sidecarParts } from "./sidecar-parts.ts";
import { FakeSource } from "./testing/fake-source.ts";

interface Ack {
  readonly noticed: { readonly version: string } | null;
  readonly applied: { readonly version: string } | null;
  readonly rejected: { readonly version: string | null; readonly reason: string } | null;
}

/** A sidecar of /in and /other, of which only the first is written, told of by a touch. */
class Scene implements AsyncDisposable {
  readonly dir = tempDir();
  readonly clock = new FakeClock();
  readonly first = new FakeSource("first");
  readonly other = new FakeSource("other");
  readonly seen: string[] = [];
  readonly ends: ReloadEnd[] = [];
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #parts: AsyncDisposable | undefined;

  start(more: Partial<Compose> = {}, files = "- first/a"): void {
    this.dir.write({ "ack/.keep": "" });
    const { dir, clock, first, other } = this;
    const reload = `{actions: [{touch: ${dir.join("touched")}}], minWait: 100ms}`;
    const text = `sources: {first: /in, other: /other}\noutput: ${dir.join("out")}\nfiles:\n${files}\nreload: ${reload}`;
    const observer: SidecarObserver = {
      reloadEnded: (end) => void this.ends.push(end),
      applied: ({ isGood, unsetVariables }) => void this.seen.push(`${isGood} ${unsetVariables}`),
      sourceChanged: () => void this.seen.push("changed"),
      sourceFailed: () => void this.seen.push("failed"),
    };
    const parts = sidecarParts({
      ...{ spec: { ...readCompose(text, "compose.yaml"), ...more }, sources: [first, other] },
      ...{ variables: {}, self: currentProcess(), clock, random: seededRandom(1) },
      ...{ stateDirectory: dir.join("state"), ackDirectory: dir.join("ack"), events: undefined },
      isBeforeApp: false,
      ...{ metrics: createMetrics(), logger: new CaptureLogger(), observer },
    });
    this.#parts = parts;
    this.#running = parts.sidecar.run(this.#stop.signal);
  }

  /** Of the signal that ends it. */
  get listeners(): number {
    return getEventListeners(this.#stop.signal, "abort").length;
  }

  ack(path: string): Ack {
    const name = readdirSync(this.dir.join("ack")).find((one) =>
      one.startsWith(`${encodeURIComponent(path)}.`),
    );
    return JSON.parse(readFileSync(this.dir.join("ack", name ?? ""), "utf8")) as Ack;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await this.#parts?.[Symbol.asyncDispose]();
    this.dir[Symbol.dispose]();
  }
}

const touching = (path: string): ReloadSpec => ({
  ...{ actions: [{ type: "touch", path }], minWaitMs: 100, maxWaitMs: 1000, onStart: true },
});

const versionOf = (source: FakeSource): string => {
  const now = source.current();
  return now.state === "known" ? now.content.version : "";
};

describe("a source that is only watched", () => {
  it("is a reason to tell the app, though no file changes", async () => {
    await using scene = new Scene();
    scene.first.set({ a: "1" });
    scene.other.set({ rules: "1" });
    scene.start({ watched: ["other"] });
    await scene.clock.step(1000);
    equal(scene.ends.length, 1);
    const version = readlinkSync(scene.dir.join("out/..data"));
    scene.other.set({ rules: "2" });
    await scene.clock.step(1000);
    equal(scene.ends.length, 2, "it is told");
    equal(readlinkSync(scene.dir.join("out/..data")), version, "a file was written");
    await scene.clock.step(120_000);
    equal(scene.ends.length, 2);
  });

  it("is none where it is not named so", async () => {
    await using scene = new Scene();
    scene.first.set({ a: "1" });
    scene.other.set({ rules: "1" });
    scene.start();
    await scene.clock.step(1000);
    scene.other.set({ rules: "2" });
    await scene.clock.step(1000);
    equal(scene.ends.length, 1);
  });
});

describe("an observer", () => {
  it("hears of each change and problem of a source, and of each time that files are made", async () => {
    await using scene = new Scene();
    scene.first.set({ a: "$(NONE)" });
    scene.other.set({});
    scene.start({}, "- {path: a, envsubst: first/a, keepUnset: true}");
    await scene.clock.step(60_000);
    deepEqual(scene.seen.splice(0), ["true 1"], "the slow net makes nothing anew");
    scene.other.fail("away");
    scene.first.set({ b: "1" });
    await scene.clock.step(1000);
    deepEqual(scene.seen.splice(0), ["failed", "changed", "false 0"]);
    scene.first.set({ a: "2" });
    await scene.clock.step(1000);
    deepEqual(scene.seen.splice(0), ["changed", "true 0"]);
  });

  it("hears how each try of a request ended, with its status", async () => {
    let status = 503;
    const server = createServer((_, response) => response.writeHead(status).end());
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const action: ReloadActionSpec = {
      ...{ type: "http", method: "POST", url: `http://127.0.0.1:${port}/`, headers: new Map() },
      ...{ auth: undefined, body: undefined, expectedStatus: undefined },
      ...{ timeoutMs: 60_000, skipsTlsVerify: false },
    };
    const ends: ReloadEnd[] = [];
    const onEnd = (end: ReloadEnd): void => void ends.push(end);
    const tell = reloadTry(action, { clock: systemClock, procfs: "/proc", pid: 1, onEnd });
    const { signal } = new AbortController();
    await tell(signal).catch(() => undefined);
    status = 204;
    await tell(signal);
    server.close();
    server.closeAllConnections();
    await tell(signal).catch(() => undefined);
    await tell(AbortSignal.abort()).catch(() => undefined);
    deepEqual(
      ends.map((end) => [end.isGood, end.status, end.action === action]),
      [
        [false, 503, true],
        [true, 204, true],
        [false, undefined, true],
      ],
    );
    ok(ends.every(({ seconds, atMs }) => seconds >= 0 && atMs > 0));
  });
});

describe("an app that is away", () => {
  it("is tried for hours without anything growing, and then told of the newest version, once", async () => {
    await using scene = new Scene();
    scene.first.set({ a: "1" });
    scene.other.set({});
    scene.start({ reload: touching(scene.dir.join("away/told")) });
    const hold = (): readonly number[] => [scene.clock.waiting, scene.listeners];
    await scene.clock.step(1_200_000);
    const [tries, held] = [scene.ends.length, hold()];
    ok(tries > 20, `${tries} tries in 20 minutes`);
    await scene.clock.step(6 * 1_200_000);
    ok(scene.ends.length > 5 * tries, `${scene.ends.length} tries in two hours more`);
    deepEqual(hold(), held);
    equal(scene.ack("/in").applied, null);
    scene.first.set({ a: "2" });
    await scene.clock.step(1000);
    scene.dir.write({ "away/here": "" });
    scene.ends.length = 0;
    await scene.clock.step(60_000);
    deepEqual(
      scene.ends.map(({ isGood }) => isGood).filter((one) => one),
      [true],
    );
    equal(scene.ack("/in").applied?.version, versionOf(scene.first));
  });
});

describe("the acknowledgement of a source", () => {
  it("follows what it holds, and says that it is applied when the app knows what was made of it", async () => {
    await using scene = new Scene();
    scene.first.set({ a: "1" });
    scene.other.set({ rules: "1" });
    scene.start();
    await scene.clock.step(1000);
    for (const [path, source] of [
      ["/in", scene.first],
      ["/other", scene.other],
    ] as const) {
      const { noticed, applied, rejected } = scene.ack(path);
      deepEqual(
        [noticed?.version, applied?.version, rejected],
        [...[versionOf(source), versionOf(source), null]],
      );
    }
    // Nothing is made of this, so there is nothing that the app would have to know.
    scene.other.set({ rules: "2" });
    await scene.clock.step(1000);
    equal(scene.ack("/other").applied?.version, versionOf(scene.other));
  });

  it("says why what it holds is refused, and keeps what was applied", async () => {
    await using scene = new Scene();
    scene.first.set({ a: "1" });
    scene.other.set({});
    scene.start();
    await scene.clock.step(1000);
    const before = versionOf(scene.first);
    scene.first.set({ b: "1" });
    await scene.clock.step(1000);
    const { noticed, applied, rejected } = scene.ack("/in");
    deepEqual([noticed?.version, applied?.version], [versionOf(scene.first), before]);
    equal(rejected?.version, versionOf(scene.first));
    match(rejected?.reason ?? "", /has no "a"/);
  });
});
