// Owners and dependents made, changed and deleted at random, on a server that refuses and loses things and whose watches lag behind.
// In every step nothing is deleted that has a live owner, and in the end nothing is left that has none.

import { deepEqual, equal } from "node:assert/strict";
import { describe, it } from "node:test";
import type { ApiObject } from "../../api/object.ts";
import { StatusError } from "../../api/status-error.ts";
import type { OwnerReference } from "../../api/types.ts";
import type { SimFault } from "../../controller/testing/sim-server.ts";
import type { SimWrite } from "../../controller/testing/sim-store.ts";
import { GarbageCollector } from "./garbage-collector.ts";
import { seeds } from "./testing/seeds.ts";
import { kindNamed, ServedCluster } from "./testing/served-cluster.ts";

const configMap = kindNamed("v1", "ConfigMap");
const BY = "somebody";
const STEPS = 80;

describe("GarbageCollector, whatever happens,", () => {
  for (const seed of seeds()) {
    it(`deletes nothing that has an owner and leaves nothing that has none (seed ${seed})`, async () => {
      const sim = new ServedCluster({ seed });
      const chaos = new Chaos(sim);
      using _invariant = sim.observe((write) => refuseDeletionOfOwned(sim, write));
      await sim.start(new GarbageCollector(sim.context));
      for (let step = 0; step < STEPS; step++) {
        chaos.step();
        await sim.pass(Math.floor(sim.random.next() * 2000));
      }
      chaos.calm();
      await sim.pass(300_000);
      for (const object of sim.list(configMap)) {
        const { ownerReferences = [], deletionTimestamp, finalizers = [] } = object.metadata;
        const gone = ownerReferences.filter((reference) => !ownerOf(sim, object, reference));
        deepEqual(gone, [], `${nameOf(object)} has lost owners`);
        if (deletionTimestamp !== undefined) deepEqual(finalizers, [], `${nameOf(object)} hangs`);
      }
      await sim[Symbol.asyncDispose]();
    });
  }
});

class Chaos {
  readonly #sim: ServedCluster;
  #count = 0;

  constructor(sim: ServedCluster) {
    this.#sim = sim;
    const refusal = new StatusError({ code: 500, reason: "InternalError", message: "no luck" });
    const faults: readonly SimFault[] = [refusal, "cut", "lost"];
    sim.refuse(({ by, verb }) =>
      by === BY || verb === "watch" || !this.#isLikely(0.1) ? undefined : this.#one(faults),
    );
    sim.watchLagMs = () => (this.#isLikely(0.5) ? 0 : Math.floor(sim.random.next() * 3000));
  }

  step(): void {
    const sim = this.#sim;
    const there = sim.list(configMap);
    const chosen = this.#one(there);
    const chance = sim.random.next();
    if (chosen === undefined || chance < 0.55) {
      const namespace = this.#isLikely(0.1) ? "kube-system" : "default";
      const ownerReferences = this.#owners(there);
      sim.create(configMap, {
        metadata: { name: `m${this.#count++}`, namespace, ownerReferences },
      });
    } else if (chance < 0.7) {
      const ownerReferences = this.#owners(there);
      sim.patch(configMap, nameOf(chosen), { metadata: { ownerReferences } });
    } else if (chance < 0.8) {
      sim.patch(configMap, nameOf(chosen), { data: { n: String(this.#count++) } });
    } else if (chance < 0.85) {
      sim.cutWatches(configMap);
      sim.forgetHistory();
    } else {
      const propagationPolicy = this.#one(["Background", "Foreground", "Orphan"]);
      sim.delete(configMap, nameOf(chosen), propagationPolicy ? { propagationPolicy } : {});
    }
  }

  calm(): void {
    this.#sim.refuse(() => undefined);
    this.#sim.watchLagMs = () => 0;
  }

  #owners(there: readonly ApiObject[]): OwnerReference[] {
    const owners = new Map<string, OwnerReference>();
    for (let n = Math.floor(this.#sim.random.next() * 4); n > 0; n--) {
      const { name = "", uid = "" } = this.#one(there)?.metadata ?? { name: "nobody" };
      const isWrong = this.#isLikely(0.05);
      const reference = { apiVersion: "v1", kind: "ConfigMap", name: isWrong ? "wrong" : name };
      const blockOwnerDeletion = this.#isLikely(0.5);
      owners.set(uid, { ...reference, uid: uid || "none", blockOwnerDeletion });
    }
    return [...owners.values()];
  }

  #isLikely(chance: number): boolean {
    return this.#sim.random.next() < chance;
  }

  #one<T>(of: readonly T[]): T | undefined {
    return of[Math.floor(this.#sim.random.next() * of.length)];
  }
}

function refuseDeletionOfOwned(sim: ServedCluster, { type, object, old, by }: SimWrite): void {
  if (by === BY || object.kind !== "ConfigMap") return;
  const begins = object.metadata.deletionTimestamp !== undefined || type === "DELETED";
  if (!begins || old?.metadata.deletionTimestamp !== undefined) return;
  const before = old ?? object;
  const owners = before.metadata.ownerReferences ?? [];
  const solid = owners.filter((reference) => {
    const { deletionTimestamp, finalizers = [] } = ownerOf(sim, before, reference)?.metadata ?? {};
    const isWaiting = deletionTimestamp !== undefined && finalizers.includes("foregroundDeletion");
    return ownerOf(sim, before, reference) !== undefined && !isWaiting;
  });
  deepEqual(solid, [], `${nameOf(object)} was deleted although it has owners`);
  equal(owners.length > 0, true, `${nameOf(object)} was deleted although it never had an owner`);
}

function ownerOf(
  sim: ServedCluster,
  { metadata: { namespace } }: ApiObject,
  { name, uid }: OwnerReference,
): ApiObject | undefined {
  const owner = sim.get(configMap, `${namespace}/${name}`);
  return owner?.metadata.uid === uid ? owner : undefined;
}

function nameOf({ metadata: { namespace, name } }: ApiObject): string {
  return `${namespace}/${name}`;
}
