// A gate with all its parts: the server is in memory and keeps the history, checks run here and may be held up, time is stepped. An agent can
// end and another begin on the same node.

import { setImmediate as nextTurn } from "node:timers/promises";
import { isNotFound } from "../../../api/status-error.ts";
import { createMetrics, type Metrics } from "../../../base/metrics.ts";
import { type TempDir, tempDir } from "../../../base/testing/temp-dir.ts";
import type { ContentCheck, Refusal } from "../../../checks/check-protocol.ts";
import type { ContentChecker } from "../../../checks/check-thread.ts";
import { runChecks } from "../../../checks/run-checks.ts";
import type { NewEvent } from "../../../controller/event-recorder.ts";
import {
  type ConfigObject,
  type ObjectReference,
  referenceKey,
} from "../../objects/config-object.ts";
import {
  type ChangeDetectionStrategy,
  createObjectManager,
} from "../../objects/create-object-manager.ts";
import { decodedObject } from "../../objects/object-source.ts";
import { type TestParts, testParts } from "../../objects/testing/managed-objects.ts";
import type { PutOptions } from "../../objects/testing/object-server.ts";
import { named } from "../../objects/testing/test-pods.ts";
import { AdmittedNotes } from "../admitted-notes.ts";
import { GateMetrics } from "../gate-metrics.ts";
import { GatedObjects } from "../gated-objects.ts";
import type { PastContent, PastContents } from "../past-contents.ts";
import { TestPolicies } from "./test-policies.ts";

/** Checks in this thread. */
export class TestChecker implements ContentChecker {
  /** How many contents were checked. */
  checked = 0;
  /** Given by a test, to say otherwise or later. */
  instead: () => Promise<Refusal | undefined> | undefined = () => undefined;

  async check(
    checks: readonly ContentCheck[],
    content: ReadonlyMap<string, Uint8Array>,
  ): Promise<Refusal | undefined> {
    this.checked++;
    return (await this.instead()) ?? runChecks(checks, content, () => undefined);
  }
}

/** What the server would have kept. */
export class TestHistory implements PastContents {
  readonly #contents = new Map<string, PastContent[]>();
  /** Given by a test, to say no. */
  failure: Error | undefined;

  note(object: ConfigObject, changedAtMs: number): void {
    const key = referenceKey(object);
    const contents = this.#contents.get(key) ?? [];
    if (contents[0]?.object.version !== object.version) contents.unshift({ object, changedAtMs });
    this.#contents.set(key, contents);
  }

  of(reference: ObjectReference): Promise<readonly PastContent[]> {
    if (this.failure !== undefined) return Promise.reject(this.failure);
    return Promise.resolve([...(this.#contents.get(referenceKey(reference)) ?? [])]);
  }
}

export class GateHarness implements AsyncDisposable {
  readonly parts: TestParts;
  readonly policies: TestPolicies;
  readonly checker: TestChecker = new TestChecker();
  readonly history: TestHistory = new TestHistory();
  readonly events: NewEvent[] = [];
  /** Of the agent that runs now. */
  metrics: Metrics = createMetrics();
  objects: GatedObjects;
  readonly #strategy: ChangeDetectionStrategy;
  readonly #home: TempDir = tempDir();
  #notes: AdmittedNotes;
  #stop = new AbortController();
  #running: Promise<void>;

  constructor(
    strategy: ChangeDetectionStrategy = "Watch",
    policies: TestPolicies = new TestPolicies(),
  ) {
    this.#strategy = strategy;
    this.policies = policies;
    // What Cache has is always too old here: each read asks.
    this.parts = testParts({ ttlMs: () => 0 });
    this.#notes = new AdmittedNotes(this.notesFile, this.parts.logger);
    this.objects = this.#make();
    this.#running = this.#run();
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  get notesFile(): string {
    return this.#home.join("admitted.json");
  }

  put(name: string, options: PutOptions = {}): void {
    const { server, clock } = this.parts;
    server.put(name, options);
    const { kind = "ConfigMap" } = options;
    const stored = server.object(referenceKey(named(name, kind)));
    if (stored !== undefined) this.history.note(decodedObject(kind, stored), clock.now());
  }

  /** Lets everything settle that needs no time, files too. */
  async settle(): Promise<void> {
    for (let i = 0; i < 5; i++) {
      await this.parts.clock.step(0);
      await nextTurn();
      await this.#notes.flushed();
    }
  }

  /** What a pod gets of a ConfigMap: the value of its key "a", "none", or why it gets nothing. */
  async read(name = "app", podUid = "p1"): Promise<string> {
    await this.settle();
    const reading = this.objects
      .get(named(name), { podUid, signal: this.signal })
      .then(valueIn, (err: unknown) => (isNotFound(err) ? "none" : String(err)));
    let result: string | undefined;
    void reading.then((value) => {
      result = value;
    });
    for (let i = 0; i < 1000 && result === undefined; i++) await this.settle();
    return result ?? "waits";
  }

  peek(name = "app"): string {
    const known = this.objects.peek(named(name));
    if (known === "unknown") return known;
    return known === undefined ? "none" : valueIn(known);
  }

  /** The agent ends, and another one begins with what is on disk. */
  async restart(): Promise<void> {
    await this.#end();
    this.#stop = new AbortController();
    this.metrics = createMetrics();
    this.#notes = new AdmittedNotes(this.notesFile, this.parts.logger);
    this.objects = this.#make();
    this.#running = this.#run();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end();
    this.#home[Symbol.dispose]();
  }

  #make(): GatedObjects {
    const { clock, logger } = this.parts;
    return new GatedObjects({
      objects: createObjectManager(this.#strategy, { ...this.parts, metrics: createMetrics() }),
      policies: this.policies,
      checker: this.checker,
      past: this.history,
      notes: this.#notes,
      events: { record: (event) => this.events.push(event) },
      metrics: new GateMetrics(this.metrics),
      ...{ clock, logger },
    });
  }

  async #run(): Promise<void> {
    await this.objects.run(this.#stop.signal);
  }

  async #end(): Promise<void> {
    this.#stop.abort();
    await this.settle();
    await this.#running;
  }
}

function valueIn(object: ConfigObject): string {
  return object.text("a") ?? "no such key";
}
