// Any interleaving of pods that come, change, read and go with a server that writes, deletes, makes anew, is late, breaks off
// and goes away. Four promises: nothing goes backwards, no pod starts with less than there was when it came, exactly what can
// change is watched, and in the end everybody has what the server has.

import { deepEqual, equal, ok } from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { isNotFound } from "../../api/status-error.ts";
import { runOptions } from "../../client/testing/server-history.ts";
import { type ObjectReference, referenceKey } from "./config-object.ts";
import { ObjectMetrics } from "./object-metrics.ts";
import { type TestParts, testParts } from "./testing/managed-objects.ts";
import { named, testPod } from "./testing/test-pods.ts";
import { WatchObjects } from "./watch-objects.ts";

const NAMES = ["a", "b"] as const;
const PODS = ["p1", "p2", "p3"] as const;
type Name = (typeof NAMES)[number];

type Step =
  | {
      readonly do: "register";
      readonly pod: string;
      readonly names: readonly Name[];
      readonly isEnv: boolean;
    }
  | { readonly do: "unregister"; readonly pod: string }
  | { readonly do: "read"; readonly pod: string; readonly name: Name }
  | { readonly do: "put"; readonly name: Name; readonly immutable: boolean }
  | { readonly do: "remove"; readonly name: Name }
  | {
      readonly do:
        | "cut"
        | "end"
        | "compact"
        | "goAway"
        | "comeBack"
        | "holdWatches"
        | "letWatchesGoOn"
        | "holdAnswers"
        | "letAnswersGoOn";
    }
  | { readonly do: "pass"; readonly ms: number };

/** Mostly one, so that much happens to it. */
const name = fc.constantFrom<Name>("a", "a", "a", "b");
const pod = fc.constantFrom(...PODS);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("register" as const),
      pod,
      names: fc.subarray([...NAMES]),
      isEnv: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("unregister" as const), pod }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("read" as const), pod, name }) },
  {
    weight: 7,
    arbitrary: fc.record({
      do: fc.constant("put" as const),
      name,
      immutable: fc.integer({ min: 0, max: 7 }).map((n) => n === 0),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("remove" as const), name }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom("holdWatches", "letWatchesGoOn", "holdAnswers", "letAnswersGoOn"),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom("cut", "end", "compact", "goAway", "comeBack", "comeBack"),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("pass" as const),
      ms: fc.constantFrom(0, 300, 5000, 130_000),
    }),
  },
);

/** What the server had of a name when a pod came to refer to it. */
interface Came {
  readonly revision: number;
  readonly existed: boolean;
  readonly removals: number;
}

class Play {
  readonly parts: TestParts = testParts({ maxIdleMs: 60_000 });
  readonly objects: WatchObjects = new WatchObjects({
    ...this.parts,
    metrics: new ObjectMetrics(this.parts.metrics),
  });
  /** What each pod refers to, and how it stood then. */
  readonly #pods = new Map<string, Map<Name, Came>>();
  readonly #removals = new Map<Name, number>();
  /** The newest that was told of each name while somebody refers to it. */
  readonly #told = new Map<string, number>();
  readonly #reads = new Set<Promise<void>>();
  readonly #faults: string[] = [];
  readonly #stop = new AbortController();
  #answers: PromiseWithResolvers<void> | undefined;

  constructor() {
    this.objects.onChange(({ object, ...of }, podUids) => {
      this.#expect(podUids.length > 0, `told of ${of.name}, to which nobody refers`);
      if (object === undefined) return;
      const version = Number(object.resourceVersion);
      const before = this.#told.get(of.name) ?? 0;
      this.#expect(version > before, `told of ${of.name} ${version} after ${before}`);
      this.#told.set(of.name, version);
    });
    this.parts.server.delay = ({ verb }) => (verb === "watch" ? undefined : this.#answers?.promise);
  }

  async run(steps: readonly Step[]): Promise<void> {
    const running = this.objects.run(this.#stop.signal);
    for (const one of steps) {
      this.#take(one);
      await this.parts.clock.step(one.do === "pass" ? one.ms : 0);
      this.#checkWatches();
    }
    await this.#checkEnd();
    this.#stop.abort();
    await running;
    deepEqual(this.parts.server.watched, []);
    deepEqual(this.#faults, []);
  }

  #take(one: Step): void {
    switch (one.do) {
      case "register":
      case "unregister":
      case "read":
        this.#takeByPod(one);
        break;
      case "put":
      case "remove":
        this.#write(one);
        break;
      case "holdAnswers":
        this.#answers ??= Promise.withResolvers();
        break;
      case "letAnswersGoOn":
        this.#letAnswersGoOn();
        break;
      case "pass":
        break;
      default:
        this.parts.server[one.do]();
    }
  }

  #takeByPod(one: Extract<Step, { readonly pod: string }>): void {
    if (one.do === "read") {
      this.#read(one.pod, one.name);
      return;
    }
    if (one.do === "register") this.#register(one.pod, one.names, one.isEnv);
    else {
      this.#pods.delete(one.pod);
      this.objects.unregister(one.pod);
    }
    const used = this.#used().map((of) => of.name);
    for (const each of NAMES) if (!used.includes(each)) this.#told.delete(each);
  }

  /** As the API does: what is immutable can only be deleted. */
  #write(one: Extract<Step, { readonly do: "put" | "remove" }>): void {
    const { server } = this.parts;
    if (one.do === "remove") {
      server.remove(one.name);
      this.#removals.set(one.name, (this.#removals.get(one.name) ?? 0) + 1);
    } else if (server.object(referenceKey(named(one.name)))?.["immutable"] !== true) {
      server.put(one.name, { immutable: one.immutable });
    }
  }

  #letAnswersGoOn(): void {
    this.#answers?.resolve();
    this.#answers = undefined;
  }

  #register(podUid: string, names: readonly Name[], isEnv: boolean): void {
    const before = this.#pods.get(podUid);
    const now = new Map<Name, Came>();
    for (const each of names) {
      const object = this.parts.server.object(referenceKey(named(each)));
      const revision = Number(object?.metadata.resourceVersion ?? 0);
      const removals = this.#removals.get(each) ?? 0;
      const came = { revision, existed: object !== undefined, removals };
      now.set(each, before?.get(each) ?? came);
    }
    this.#pods.set(podUid, now);
    const uses = isEnv ? { envConfigMaps: names } : { configMaps: names };
    this.objects.register(testPod({ uid: podUid, ...uses }));
  }

  #read(podUid: string, of: Name): void {
    const came = this.#pods.get(podUid)?.get(of);
    if (came === undefined) return;
    const reading = this.objects.get(named(of), { podUid, signal: this.#stop.signal }).then(
      ({ resourceVersion }) => {
        const isEnough = Number(resourceVersion) >= came.revision;
        this.#expect(isEnough, `${podUid} read ${of} ${resourceVersion} after ${came.revision}`);
      },
      (err: unknown) => {
        const wasRemoved = (this.#removals.get(of) ?? 0) > came.removals;
        const isTrue = !isNotFound(err) || !came.existed || wasRemoved;
        this.#expect(isTrue, `${podUid} read that there is no ${of}, but there was all the time`);
      },
    );
    this.#reads.add(reading);
  }

  #checkWatches(): void {
    const { watched } = this.parts.server;
    equal(new Set(watched).size, watched.length, `twice: ${watched.join()}`);
    const used = this.#used().map(referenceKey);
    for (const key of watched) ok(used.includes(key), `${key} is watched for nobody`);
  }

  async #checkEnd(): Promise<void> {
    const { server, clock } = this.parts;
    server.comeBack();
    server.letWatchesGoOn();
    this.#letAnswersGoOn();
    await clock.step(120_000);
    const expected: string[] = [];
    for (const [podUid, names] of this.#pods) {
      for (const each of names.keys()) this.#read(podUid, each);
    }
    await clock.step(1000);
    await Promise.all(this.#reads);
    for (const of of this.#used()) {
      const key = referenceKey(of);
      const object = server.object(key);
      const held = this.objects.peek(of);
      ok(held !== "unknown", `${key} is unknown`);
      equal(held?.resourceVersion, object?.metadata.resourceVersion, key);
      expected.push(key);
    }
    deepEqual(server.watched, expected.toSorted());
    equal(this.objects.oldestStalenessMs, 0);
  }

  #used(): readonly ObjectReference[] {
    const names = new Set([...this.#pods.values()].flatMap((each) => [...each.keys()]));
    return [...names].map((each) => named(each));
  }

  #expect(isRight: boolean, otherwise: string): void {
    if (!isRight) this.#faults.push(otherwise);
  }
}

describe("WatchObjects, whatever happens in whatever order", () => {
  it("goes never backwards, watches exactly what it should, and ends with what the server has", async () => {
    const steps = fc.array(step, { maxLength: 80, size: "max" });
    await fc.assert(
      fc.asyncProperty(steps, (taken) => new Play().run(taken)),
      runOptions(),
    );
  });
});
