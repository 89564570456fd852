// A client that watches, over as many connections as it takes:
//
//   begin ── list, or a watch with the state ──► watching ── the connection ends ──► watching from what was seen
//     ▲                                             │
//     └── told that the past is gone ───────────────┘
//
// Some leave by chance and come back, some have time limits, some stop reading for a while.

import type { Random } from "../../src/base/random.ts";
import { pathOf, type ShownObject, seen } from "./content.ts";
import { listObjects, viewQuery } from "./reads.ts";
import { type StreamRecord, type View, viewText, type WatcherRecord } from "./record.ts";
import { type ActorOptions, chance, pick, shortly } from "./shared.ts";
import type { OpenStream } from "./transport.ts";

export interface WatchClientOptions extends ActorOptions {
  readonly name: string;
  readonly view: View;
  /** Leaves connections by chance. */
  readonly isFickle: boolean;
  /** Now and then asks for a version of long ago. */
  readonly isCurious: boolean;
  /** Reads nothing from when the first connection is open until this resolves. */
  readonly pausedUntil?: Promise<void>;
}

interface Line {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: ShownObject & {
    readonly code?: number;
    readonly reason?: string;
    readonly message?: string;
  };
}

export class WatchClient {
  readonly record: WatcherRecord;
  readonly #options: WatchClientOptions;
  readonly #random: Random;
  /** Everything in view up to here was seen. Undefined: it has to begin. */
  #position: number | undefined;
  /** Where the position is from; no connection was there yet. */
  #origin: "seen" | "list" | "past" = "seen";
  #current: OpenStream | undefined;
  #hasPaused = false;

  constructor(options: WatchClientOptions) {
    this.#options = options;
    this.#random = options.shared.randomForNext();
    this.record = { name: options.name, view: options.view, streams: [] };
    options.shared.run.watchers.push(this.record);
  }

  /** Of the last event or bookmark. */
  get position(): number {
    return this.#position ?? 0;
  }

  /** True while it reads a watch. */
  get isWatching(): boolean {
    return this.#current !== undefined && this.#position !== undefined;
  }

  async run(): Promise<void> {
    const { watching } = this.#options.shared;
    const stop = (): void => this.#current?.close();
    watching.addEventListener("abort", stop);
    while (!watching.aborted) {
      const hasBegun = await this.#connect();
      if (!hasBegun && !watching.aborted) await shortly(this.#random);
    }
    watching.removeEventListener("abort", stop);
  }

  /** One connection, from its start to its end. False if there was none. */
  async #connect(): Promise<boolean> {
    const start = await this.#start();
    if (start === undefined) return false;
    const stream: StreamRecord = { start, items: [], end: "broken" };
    this.record.streams.push(stream);
    const { shared, transport, pausedUntil } = this.#options;
    const leaveAfter = this.#leaveAfter();
    if (start.from === "state") this.#position = undefined;
    const open = transport.stream({
      path: this.#path(start),
      onLine: (line) => {
        if (shared.watching.aborted) return;
        this.#take(stream, JSON.parse(line) as Line);
        if (stream.items.length >= leaveAfter && stream.end === "broken") {
          stream.end = "left";
          open.close();
        }
      },
    });
    this.#current = open;
    if (pausedUntil !== undefined && !this.#hasPaused) void this.#pause(open, stream, pausedUntil);
    const { status, end } = await open.ended;
    this.#current = undefined;
    if (status === 200) this.#origin = "seen";
    else this.#refused(status);
    if (shared.watching.aborted) stream.end = "open";
    else if (stream.end === "broken") stream.end = end;
    return status === 200;
  }

  /** A server that is away or not ready: the connection never was. */
  #refused(status: number): void {
    this.record.streams.pop();
    if (status === 0 || status >= 500) return;
    throw new Error(`Cannot watch ${viewText(this.#options.view)}: the answer is ${status}`);
  }

  async #start(): Promise<StreamRecord["start"] | undefined> {
    const { shared, view, isCurious } = this.#options;
    if (isCurious && !shared.working.aborted && chance(this.#random, 0.3)) {
      const version = Math.max(1, Math.floor(this.#random.next() * shared.moment.newest));
      this.#position = version;
      this.#origin = "past";
      return { from: "past", version };
    }
    if (this.#position !== undefined) return { from: this.#origin, version: this.#position };
    if (chance(this.#random, 0.5)) return { from: "state", sentAfter: shared.moment };
    const limit = chance(this.#random, 0.3) ? 5 : undefined;
    const list = await listObjects(this.#options, { view, asked: { match: "newest" }, limit });
    if (typeof list === "string") return undefined;
    this.#position = list.version;
    this.#origin = "list";
    return { from: "list", version: list.version };
  }

  #path(start: StreamRecord["start"]): string {
    const { view } = this.#options;
    const query = viewQuery(view);
    query.set("watch", "1");
    if (start.from === "state") {
      query.set("allowWatchBookmarks", "true");
      // Without a version and without being asked the state comes too.
      if (chance(this.#random, 0.7)) {
        query.set("sendInitialEvents", "true");
        query.set("resourceVersionMatch", "NotOlderThan");
      }
    } else {
      query.set("resourceVersion", String(start.version));
      if (chance(this.#random, 0.7)) query.set("allowWatchBookmarks", "true");
    }
    const hasLimit = this.#options.pausedUntil === undefined && chance(this.#random, 0.4);
    // From ten seconds on there is a bookmark before the end.
    if (hasLimit) query.set("timeoutSeconds", pick(this.#random, ["3", "10", "10"]));
    return `${pathOf(view.kind, view.namespace)}?${query.toString()}`;
  }

  #take(stream: StreamRecord, { type, object }: Line): void {
    const { shared, view } = this.#options;
    if (type === "ERROR") {
      const { code = 0, reason = "", message = "" } = object;
      stream.error = { code, reason, message };
      stream.end = "expired";
      this.#position = undefined;
      return;
    }
    const revision = Number(object.metadata.resourceVersion);
    if (type === "BOOKMARK") {
      const isEnd = object.metadata.annotations?.["k8s.io/initial-events-end"] === "true";
      stream.items.push({ type, revision, endsInitial: isEnd });
      if (!isEnd) shared.bookmarks++;
      if (isEnd) this.#position = revision;
    } else if (shared.namespaces.includes(object.metadata.namespace)) {
      stream.items.push({ type, ...seen(view.kind, object) });
      shared.events++;
    }
    // Before the end of the state nothing is known of what is missing.
    if (this.#position !== undefined) this.#position = Math.max(this.#position, revision);
  }

  #leaveAfter(): number {
    return this.#options.isFickle ? 5 + (this.#random.uint32() % 200) : Number.POSITIVE_INFINITY;
  }

  async #pause(open: OpenStream, stream: StreamRecord, until: Promise<void>): Promise<void> {
    this.#hasPaused = true;
    const hasBegun = (): boolean => stream.items.length > 0 && this.#position !== undefined;
    while (!hasBegun() && this.#current === open) await shortly(this.#random);
    open.pause();
    await until;
    open.resume();
  }
}
