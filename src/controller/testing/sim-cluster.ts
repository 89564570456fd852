// A cluster in memory for tests of controllers: an API server with all kinds of the API behind the client's transport, on a clock
// that stands still until it is told to go on. Everything in it is decided by the seed. It has what makes real ones hard: writes that
// conflict, watches that lag behind, requests that are refused, and answers that are lost.

import type { JsonObject } from "../../api/json.ts";
import type { Kind } from "../../api/kind.ts";
import { kindOf } from "../../api/kinds.ts";
import type { ApiObject } from "../../api/object.ts";
import { applyMergePatch } from "../../api/patch/merge-patch.ts";
import type { Random } from "../../base/random.ts";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { seededRandom } from "../../base/testing/seeded-random.ts";
import { ApiClient } from "../../client/api-client.ts";
import type { ResourceKind } from "../../client/resource-path.ts";
import type { Transport } from "../../client/transport.ts";
import type { ControllerContext, RunnableController } from "../controller-context.ts";
import type { NewEvent } from "../event-recorder.ts";
import { Informers } from "../informers.ts";
import type { SimDeleteOptions } from "./sim-deletion.ts";
import { servedResource, simKind } from "./sim-kinds.ts";
import { applyDefaults } from "./sim-rules.ts";
import { type SimFault, type SimRequest, SimServer } from "./sim-server.ts";
import { keyIn, SimStore, type SimWrite } from "./sim-store.ts";
import { SimWatches } from "./sim-watches.ts";
import { decoded, type SimPlace, SimWriter } from "./sim-writer.ts";

export interface SimClusterOptions {
  readonly seed: number;
  /** More writes than this without any time passing are a quarrel that never ends. */
  readonly maxWritesAtOnce?: number;
}

export interface SimEvent extends NewEvent {
  readonly component: string;
}

/** Who writes, where `by` is not given. */
const SOMEBODY = "somebody";
const CONTROLLERS = "controllers";
const NAMESPACES = ["default", "kube-system", "kube-public", "kube-node-lease"];

export class SimCluster implements AsyncDisposable {
  readonly clock: FakeClock = new FakeClock();
  readonly random: Random;
  readonly logger: CaptureLogger = new CaptureLogger();
  readonly events: SimEvent[] = [];
  readonly client: ApiClient;
  /** How late watches of a kind hear of what is written now. */
  watchLagMs: (kind: Kind) => number = () => 0;
  /** How long a request is on its way; then `settle` is not enough for it, `pass` is. */
  latencyMs: (request: SimRequest) => number = () => 0;
  readonly #store = new SimStore();
  readonly #writer: SimWriter;
  readonly #watches: SimWatches;
  readonly #server: SimServer;
  /** What invariants found, to be thrown where a test waits. */
  readonly #broken: unknown[] = [];
  #refuse: (request: SimRequest) => SimFault | undefined = () => undefined;
  readonly #maxWritesAtOnce: number;
  #atOnce = { nowMs: 0, writes: 0 };
  /** Those that were made since the last stop. */
  #contexts: ControllerContext[] = [];
  #context: ControllerContext | undefined;
  #running: { readonly stop: AbortController; readonly ended: Promise<unknown> } | undefined;

  constructor({ seed, maxWritesAtOnce = 5000 }: SimClusterOptions) {
    this.#maxWritesAtOnce = maxWritesAtOnce;
    const { clock } = this;
    this.random = seededRandom(seed);
    const store = this.#store;
    this.#writer = new SimWriter({ store, clock, random: seededRandom(seed + 1) });
    this.#watches = new SimWatches({ store, clock, lagMs: (kind) => this.watchLagMs(kind) });
    this.#server = new SimServer({
      store,
      writer: this.#writer,
      watches: this.#watches,
      arrive: (request, signal) => this.#arrive(request, signal),
      faultFor: (request) => this.#refuse(request),
    });
    this.client = this.clientOf(CONTROLLERS);
    store.listen(({ write }) => this.#count(write));
    for (const name of NAMESPACES) this.create(simKind("v1", "Namespace"), { metadata: { name } });
  }

  /** For controllers that have not been started yet: a new one after each `stop`. */
  get context(): ControllerContext {
    this.#context ??= this.contextOf(CONTROLLERS, this.client);
    return this.#context;
  }

  /** A context with informers and a client of its own, whose writes are told apart by the name. Until the next `stop`. */
  contextOf(by: string, client: ApiClient = this.clientOf(by)): ControllerContext {
    const { clock, random, logger } = this;
    const context: ControllerContext = {
      client,
      clock,
      random,
      logger,
      informers: new Informers({ client, clock, random, logger }),
      eventsOf: (component) => ({
        record: (event) => void this.events.push({ ...event, component }),
      }),
    };
    this.#contexts.push(context);
    return context;
  }

  get resourceVersion(): string {
    return String(this.#store.revision);
  }

  /** The server as somebody reaches it. */
  transportOf(by: string): Transport {
    return this.#server.transportFor(by);
  }

  clientOf(by: string): ApiClient {
    const { clock, random } = this;
    const connection = { server: "https://sim", isInsecure: false, namespace: "default" };
    const transport = this.transportOf(by);
    return new ApiClient({ connection, clock, timeoutMs: 60_000, random, transport });
  }

  create<T extends object>(kind: ResourceKind, object: T, by: string = SOMEBODY): T & ApiObject {
    const of = servedKind(kind);
    const { namespace = "default" } = (object as ApiObject).metadata;
    const made = this.#writer.create(of, copy(object), {
      by,
      namespace: of.namespaced ? namespace : "",
    });
    return copy(made) as T & ApiObject;
  }

  /** As PUT: with a resourceVersion in it, a conflict if somebody else wrote in between. */
  replace<T extends object>(kind: ResourceKind, object: T, by: string = SOMEBODY): T & ApiObject {
    return this.#update(kind, { object, subresource: "", by });
  }

  replaceStatus<T extends object>(
    kind: ResourceKind,
    object: T,
    by: string = SOMEBODY,
  ): T & ApiObject {
    return this.#update(kind, { object, subresource: "status", by });
  }

  /** A merge patch. */
  patch<T extends object>(
    kind: ResourceKind,
    key: string,
    patch: object,
    by: string = SOMEBODY,
  ): T & ApiObject {
    return this.#patch<T>(kind, placeOf(kind, key, ""), { patch, by });
  }

  /** A merge patch of the status subresource. */
  patchStatus<T extends object>(
    kind: ResourceKind,
    key: string,
    patch: object,
    by: string = SOMEBODY,
  ): T & ApiObject {
    return this.#patch<T>(kind, placeOf(kind, key, "status"), { patch, by });
  }

  /** True if it is gone; otherwise somebody holds it, or it needs time. */
  delete(
    kind: ResourceKind,
    key: string,
    options: SimDeleteOptions & { readonly by?: string } = {},
  ): boolean {
    const by = options.by ?? SOMEBODY;
    return this.#writer.delete(servedKind(kind), placeOf(kind, key, ""), { ...options, by }).isGone;
  }

  /** What the server has now. Nobody may change it. */
  get<T extends object>(kind: ResourceKind, key: string): (T & ApiObject) | undefined {
    return this.#store.get(kind, key) as (T & ApiObject) | undefined;
  }

  /** Of all namespaces, in the order of their keys. */
  list<T extends object>(kind: ResourceKind): (T & ApiObject)[] {
    return this.#store.list(kind) as (T & ApiObject)[];
  }

  /** Hears of every write in order. What it throws cuts all clients off, and fails the next `start`, `settle`, `pass` or disposal. */
  observe(observer: (write: SimWrite) => void): Disposable {
    return this.#store.listen(({ write }) => {
      try {
        observer(write);
      } catch (err) {
        this.#broken.push(err);
      }
    });
  }

  /** Chooses what goes wrong; the last one who was set counts. */
  refuse(choose: (request: SimRequest) => SimFault | undefined): void {
    this.#refuse = choose;
  }

  /** All watches, or those of one kind, break. */
  cutWatches(kind?: ResourceKind): void {
    this.#watches.cut(kind && servedKind(kind));
  }

  /** Watches that want to go on from an earlier version have to begin anew. */
  forgetHistory(): void {
    this.#store.compact();
  }

  /** Runs the informers of all contexts and controllers that were made with them, and settles. */
  async start(...controllers: readonly RunnableController[]): Promise<void> {
    if (this.#running !== undefined) throw new Error("Cannot start: controllers run already");
    const stop = new AbortController();
    const parts = [...this.#contexts.map(({ informers }) => informers), ...controllers];
    const ended = Promise.all(parts.map((part) => part.run(stop.signal)));
    ended.catch((err: unknown) => this.#broken.push(err));
    this.#running = { stop, ended };
    await this.settle();
  }

  /** Ends them as a process ends; others can be made with the `context` that is new then. */
  async stop(): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    this.#running = undefined;
    this.#context = undefined;
    this.#contexts = [];
    running.stop.abort();
    await running.ended;
  }

  /** Lets everything happen that needs no time to pass, and watches catch up. */
  async settle(): Promise<void> {
    for (;;) {
      await this.#rest();
      const { dueMs } = this.#watches;
      if (dueMs === undefined) break;
      await this.clock.step(Math.max(0, dueMs - this.clock.monotonicMs()));
    }
    this.#throwBroken();
  }

  async pass(ms: number): Promise<void> {
    await this.clock.step(ms);
    await this.#rest();
    this.#throwBroken();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    this.#throwBroken();
  }

  /** Until nothing moves. */
  async #rest(): Promise<void> {
    const moves = (): number => this.#store.revision + this.#server.answered + this.#watches.told;
    for (let before = -1; before !== moves(); ) {
      before = moves();
      await this.clock.step(0);
    }
  }

  async #arrive(request: SimRequest, signal: AbortSignal): Promise<void> {
    // Controllers that undo each other's work for ever would keep the test from hearing what they broke.
    if (this.#broken.length > 0) throw new Error("the simulation is over");
    const ms = this.latencyMs(request);
    if (ms > 0) await this.clock.sleep(ms, signal);
  }

  #count({ kind, by, object }: SimWrite): void {
    const nowMs = this.clock.monotonicMs();
    this.#atOnce = { nowMs, writes: this.#atOnce.nowMs === nowMs ? this.#atOnce.writes + 1 : 1 };
    const { writes } = this.#atOnce;
    if (writes !== this.#maxWritesAtOnce) return;
    const last = `${by} with ${kind.kind} ${object.metadata.name}`;
    this.#broken.push(new Error(`${writes} writes without a pause, the last by ${last}`));
  }

  #throwBroken(): void {
    const [first] = this.#broken.splice(0);
    if (first !== undefined) throw first;
  }

  #update<T extends object>(
    kind: ResourceKind,
    { object, subresource, by }: { object: T; subresource: string; by: string },
  ): T & ApiObject {
    const of = servedKind(kind);
    const whole = decoded(of, copy(object));
    applyDefaults(of, whole);
    const place = placeOf(kind, keyIn(kind, whole), subresource);
    const update = { produce: () => whole, isWhole: true, by };
    return copy(this.#writer.update(of, place, update)) as T & ApiObject;
  }

  #patch<T extends object>(
    kind: ResourceKind,
    place: SimPlace,
    { patch, by }: { readonly patch: object; readonly by: string },
  ): T & ApiObject {
    const of = servedKind(kind);
    const produce = (live: ApiObject): ApiObject => {
      const object = decoded(of, applyMergePatch(live, copy(patch)));
      applyDefaults(of, object);
      return object;
    };
    return copy(this.#writer.update(of, place, { produce, isWhole: false, by })) as T & ApiObject;
  }
}

function servedKind({ group, version, kind, resource }: ResourceKind): Kind {
  const apiVersion = group === "" ? version : `${group}/${version}`;
  return kindOf(apiVersion, kind) ?? servedResource(group, version, resource);
}

function placeOf({ namespaced }: ResourceKind, key: string, subresource: string): SimPlace {
  const [namespace = "", name = ""] = namespaced ? key.split("/") : ["", key];
  return { namespace, name, subresource };
}

function copy(object: object): JsonObject {
  return JSON.parse(JSON.stringify(object)) as JsonObject;
}
