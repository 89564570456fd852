// Who owns what, and what goes with its owner.

import { kindOf } from "../../api/kinds.ts";
import type { ApiObject } from "../../api/object.ts";
import type { OwnerReference } from "../../api/types.ts";
import { controllerOf } from "../../controller/owner.ts";
import type { SimCluster } from "../../controller/testing/sim-cluster.ts";
import type { SimWrite } from "../../controller/testing/sim-store.ts";
import { broken, type NewInvariant, PODS, REPLICA_SETS } from "./invariant.ts";

const FOREGROUND = "foregroundDeletion";
const ORPHAN = "orphan";

export const oneController: NewInvariant = () => {
  const promise = "an object has at most one controller, and is never taken from one that it has";
  return {
    promise,
    see(write) {
      const { object, old } = write;
      const owners = object.metadata.ownerReferences ?? [];
      const controllers = owners.filter(({ controller }) => controller === true);
      if (controllers.length > 1) throw broken(promise, write, `it has ${controllers.length}`);
      const [before, now] = [old && controllerOf(old), controllerOf(object)];
      if (before !== undefined && now !== undefined && before.uid !== now.uid) {
        throw broken(
          promise,
          write,
          `${before.name} (${before.uid}) lost it to ${now.name} (${now.uid})`,
        );
      }
    },
  };
};

export const garbageOnly: NewInvariant = ({ sim }) => {
  const promise = "the garbage collector deletes nothing that has a live owner";
  return {
    promise,
    see(write) {
      if (write.by !== "garbageCollector" || !isDeletion(write)) return;
      const owners = write.old?.metadata.ownerReferences ?? [];
      if (owners.length === 0) {
        // The last step of its own deletion, which somebody else has asked for.
        if (write.old?.metadata.deletionTimestamp !== undefined) return;
        throw broken(promise, write, "it has no owner at all");
      }
      const { namespace } = write.object.metadata;
      const live = owners.find((owner) => {
        const found = ownerIn(sim, owner, namespace);
        return found !== undefined && !(found.metadata.finalizers ?? []).includes(FOREGROUND);
      });
      if (live !== undefined) throw broken(promise, write, `${live.kind} ${live.name} is there`);
    },
  };
};

export const dependentsFirst: NewInvariant = ({ sim, windowMs }) => {
  const promise = "who is deleted in the foreground, or orphans, goes when no dependent is left";
  return {
    promise,
    see(write) {
      if (write.by !== "garbageCollector") return;
      const [before, now] = [write.old, write.object].map((one) => one?.metadata.finalizers ?? []);
      const released = [FOREGROUND, ORPHAN].find(
        (name) => before?.includes(name) === true && now?.includes(name) !== true,
      );
      if (released === undefined) return;
      const { uid } = write.object.metadata;
      const left = [...sim.list<ApiObject>(PODS), ...sim.list<ApiObject>(REPLICA_SETS)].find(
        ({ metadata }) => {
          const owner = metadata.ownerReferences?.find((one) => one.uid === uid);
          const ageMs = sim.clock.now() - Date.parse(metadata.creationTimestamp ?? "");
          const isHeld = released === ORPHAN || owner?.blockOwnerDeletion === true;
          return owner !== undefined && isHeld && ageMs > windowMs() + 1000;
        },
      );
      if (left !== undefined) {
        throw broken(promise, write, `${left.metadata.name} depends on it still (${released})`);
      }
    },
  };
};

/** It was there to stay before. */
export function isDeletion({ type, object, old }: SimWrite): boolean {
  if (type === "DELETED") return old?.metadata.deletionTimestamp === undefined;
  const { deletionTimestamp } = object.metadata;
  return deletionTimestamp !== undefined && old?.metadata.deletionTimestamp === undefined;
}

export function ownerIn(
  sim: SimCluster,
  { apiVersion, kind: name, name: ownerName, uid }: OwnerReference,
  namespace: string | undefined,
): ApiObject | undefined {
  const kind = kindOf(apiVersion, name);
  if (kind === undefined) return undefined;
  const found = sim.get(kind, kind.namespaced ? `${namespace}/${ownerName}` : ownerName);
  return found?.metadata.uid === uid ? found : undefined;
}
