// Random stories about a few pods: at the end, when everything that can go right goes right, what is shown is what is wanted. There is
// no net in these: a change that is lost stays lost.

import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { volumeKey } from "./desired-state.ts";
import type { FakePlugin, HangingAt } from "./testing/fake-plugin.ts";
import { podWith, VolumeWorld } from "./testing/volume-world.ts";

const OBJECTS = ["a", "b", "c"] as const;
const PODS = ["p", "q"] as const;
const VOLUMES = ["one", "two"] as const;

type Step =
  | { readonly do: "want"; readonly pod: string; readonly volumes: Shape; readonly label: string }
  | { readonly do: "unwant" | "mounted"; readonly pod: string }
  | { readonly do: "write" | "delete"; readonly object: string }
  | { readonly do: "fail"; readonly volume: string; readonly code: string | undefined }
  | { readonly do: "heal" | "letGo"; readonly volume: string }
  | { readonly do: "hang"; readonly volume: string; readonly at: HangingAt }
  | { readonly do: "settle" }
  | { readonly do: "wait"; readonly ms: number };
type Shape = Readonly<Record<string, string | readonly string[]>>;

const object = fc.constantFrom(...OBJECTS);
const pod = fc.constantFrom(...PODS);
const volume = fc.constantFrom(...VOLUMES);
const source = fc.oneof(object, fc.subarray([...OBJECTS], { minLength: 1 }), fc.constant(""));
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("want" as const),
      pod,
      volumes: fc.dictionary(volume, source, { noNullPrototype: true }),
      label: fc.constantFrom("x", "y"),
    }),
  },
  fc.record({ do: fc.constantFrom("unwant" as const, "mounted" as const), pod }),
  { weight: 5, arbitrary: fc.record({ do: fc.constant("write" as const), object }) },
  fc.record({ do: fc.constant("delete" as const), object }),
  fc.record({
    do: fc.constant("fail" as const),
    volume,
    code: fc.constantFrom("ENOSPC", undefined),
  }),
  fc.record({ do: fc.constantFrom("heal" as const, "letGo" as const), volume }),
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("hang" as const),
      volume,
      at: fc.constantFrom("read" as const, "write" as const, "removal" as const),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("settle" as const) }) },
  fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 40_000 }) }),
);

class Story {
  readonly world: VolumeWorld = new VolumeWorld({ syncPeriodMs: Infinity });
  readonly wanted = new Map<string, { readonly volumes: Shape; readonly label: string }>();
  readonly #hanging = new Map<string, () => void>();
  readonly #stop = new AbortController();
  readonly #waits: Promise<void>[] = [];
  #count = 0;

  get plugins(): readonly FakePlugin[] {
    return [this.world.configMaps, this.world.projected, this.world.emptyDirs];
  }

  async tell(each: Step): Promise<void> {
    const { world } = this;
    switch (each.do) {
      case "want":
        this.wanted.set(each.pod, each);
        world.volumes.want(podWith(each.pod, each.volumes, { labels: { app: each.label } }));
        break;
      case "unwant":
        this.wanted.delete(each.pod);
        world.volumes.unwant(each.pod);
        break;
      case "mounted":
        this.#waits.push(this.#mounted(each.pod));
        break;
      case "write":
      case "delete":
        world.change(each.object, each.do === "write" ? String(++this.#count) : undefined);
        break;
      case "settle":
        await world.settle();
        break;
      case "wait":
        await world.step(each.ms);
        break;
      default:
        this.#disturb(each);
    }
  }

  #disturb(each: Extract<Step, { readonly volume: string }>): void {
    switch (each.do) {
      case "fail": {
        const err = Object.assign(new Error("told to"), each.code ? { code: each.code } : {});
        for (const plugin of this.plugins) plugin.fail(each.volume, err);
        break;
      }
      case "heal":
        for (const plugin of this.plugins) plugin.heal(each.volume);
        break;
      case "hang":
        this.#hang(each.volume, each.at);
        break;
      case "letGo":
        this.#letGo(each.volume);
    }
  }

  /** Everything heals, and there is time for every retry. */
  async end(): Promise<void> {
    for (const name of VOLUMES) {
      this.#letGo(name);
      for (const plugin of this.plugins) plugin.heal(name);
    }
    await this.world.settle();
    await this.world.step(130_000);
    this.#stop.abort();
    await Promise.all(this.#waits);
  }

  #hang(name: string, at: HangingAt): void {
    this.#letGo(name);
    const letGo = this.plugins.map((plugin) => plugin.hang(name, at));
    this.#hanging.set(name, () => {
      for (const each of letGo) each();
    });
  }

  #letGo(name: string): void {
    this.#hanging.get(name)?.();
    this.#hanging.delete(name);
  }

  /** What is handed out is not older than the call, unless it could not be refreshed. */
  async #mounted(uid: string): Promise<void> {
    const count = this.#count;
    const before = new Map(this.world.objects);
    const mounted = await this.world.volumes.mounted(uid, this.#stop.signal).catch(() => undefined);
    for (const { version = "", failure } of mounted?.values() ?? []) {
      if (failure !== undefined) continue;
      for (const [, name = "", value] of version.matchAll(/default\/(\w)=(\d+)/g)) {
        const least = Number(before.get(name) ?? count);
        assert.ok(Number(value) >= least, `${version} was handed out when ${name} was at ${least}`);
      }
    }
  }
}

/** What is shown of each wanted volume is what its objects say; says which volumes it looked at. */
function checkWanted({ world, wanted, plugins }: Story): Set<string> {
  const keys = new Set<string>();
  for (const [uid, { volumes, label }] of wanted) {
    for (const [name, of] of Object.entries(volumes)) {
      const plugin = plugins[of === "" ? 2 : Number(Array.isArray(of))] ?? assert.fail();
      const key = volumeKey({ podUid: uid, plugin: plugin.name, volume: name });
      keys.add(key);
      const objects = [of].flat().filter((each) => each !== "");
      const current = world.volumes.current(uid).get(name);
      if (objects.some((each) => !world.objects.has(each))) {
        assert.ok(current === undefined || current.failure !== undefined, `${key} tells nobody`);
        continue;
      }
      const texts = objects.map((each) => `ConfigMap/default/${each}=${world.objects.get(each)}`);
      assert.ok(current, `${key} is not mounted`);
      assert.equal(current.failure, undefined);
      assert.equal(plugin.shown.get(key), current.version);
      // An emptyDir shows what it was made with.
      if (of !== "") assert.equal(current.version, [...texts, label].join(" "));
    }
  }
  return keys;
}

it("volumes are what is wanted after any story of changes, failures and delays", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60 }),
      fc.boolean(),
      async (steps, areAllKnown) => {
        const story = new Story();
        await using _world = await story.world.start();
        if (areAllKnown) story.world.volumes.allWanted();
        for (const each of steps) await story.tell(each);
        await story.end();
        const keys = checkWanted(story);
        const shown = story.plugins.flatMap((plugin) => [...plugin.shown.keys()]);
        // What a wanted pod uses no more stays until all pods are known.
        const mayStay = (key: string): boolean =>
          !areAllKnown && story.wanted.has(key.slice(0, key.indexOf("/")));
        assert.deepEqual(
          shown.filter((key) => !(keys.has(key) || mayStay(key))),
          [],
          "nothing is left that nobody wants",
        );
        for (const { overlaps } of story.plugins) assert.equal(overlaps, 0);
      },
    ),
    { numRuns: 300 },
  );
});
