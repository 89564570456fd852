// Names and numbers of revisions.

import type { ApiObject } from "../../api/object.ts";
import { controllerOf } from "../../controller/owner.ts";
import type { SimWrite } from "../../controller/testing/sim-store.ts";
import {
  broken,
  byKind,
  managerOf,
  type NewInvariant,
  ownedBy,
  REPLICA_SETS,
  type StoredDeployment,
  type StoredReplicaSet,
  uidOf,
} from "./invariant.ts";

const REVISION = "deployment.kubernetes.io/revision";
const HASH = "pod-template-hash";

export const sameNames: NewInvariant = () => {
  const promise = "the same template of a Deployment gives a ReplicaSet of the same name";
  const names = new Map<string, string>();
  return {
    promise,
    see(write) {
      if (write.kind.kind !== "ReplicaSet" || write.type !== "ADDED" || write.by !== "deployment")
        return;
      const { metadata, spec } = write.object as StoredReplicaSet;
      const owner = controllerOf(write.object);
      const hash = metadata.labels?.[HASH] ?? "";
      if (metadata.name !== `${owner?.name}-${hash}`)
        throw broken(promise, write, "its name is another");
      const { [HASH]: _, ...labels } = spec.template.metadata.labels ?? {};
      const template = { ...spec.template, metadata: { ...spec.template.metadata, labels } };
      const key = `${owner?.name} ${JSON.stringify(template)}`;
      const before = names.get(key) ?? metadata.name;
      if (before !== metadata.name) throw broken(promise, write, `it was ${before} before`);
      names.set(key, before);
    },
  };
};

export const growingRevisions: NewInvariant = ({ sim }) => {
  const promise = "revision numbers only grow, and each belongs to one ReplicaSet";
  const othersOf = (uid: string, except: ApiObject): StoredReplicaSet[] =>
    ownedBy(sim.list<StoredReplicaSet>(REPLICA_SETS), uid).filter(
      (set) => uidOf(set) !== uidOf(except),
    );
  const isFree = ({ by, type }: SimWrite): boolean => by !== "deployment" || type === "DELETED";
  return {
    promise,
    see: byKind({
      Deployment(write) {
        if (isFree(write) || write.old === undefined) return;
        const [before, now] = [write.old, write.object].map(revisionOf);
        // Who keeps no history and has lost its last ReplicaSet begins anew.
        const left = othersOf(uidOf(write.object), write.object).length;
        if (Number(now) < Number(before) && left > 1) {
          throw broken(promise, write, `${before} became ${now}`);
        }
      },
      ReplicaSet(write) {
        if (isFree(write)) return;
        const now = revisionOf(write.object);
        const before = write.old === undefined ? 0 : revisionOf(write.old);
        if (now < before) throw broken(promise, write, `${before} became ${now}`);
        if (now === before) return;
        const others = othersOf(managerOf(write.object), write.object);
        const same = others.find((other) => revisionOf(other) >= now);
        if (same === undefined) return;
        const theirs = `${same.metadata.name} is ${revisionOf(same)}`;
        throw broken(promise, write, `it is ${now}, and ${theirs}`);
      },
    }),
  };
};

export const observedGenerations: NewInvariant = () => {
  const promise = "what a status says that it has seen was there, and is never less than before";
  return {
    promise,
    see(write) {
      const { observedGeneration: now = 0 } = statusOf(write.object);
      const { observedGeneration: before = 0 } = write.old === undefined ? {} : statusOf(write.old);
      const { generation = 0 } = write.object.metadata;
      if (generation === 0 || write.kind.kind === "Pod") return;
      if (now > generation) throw broken(promise, write, `${now} of ${generation}`);
      if (now < before) throw broken(promise, write, `${before} became ${now}`);
    },
  };
};

function statusOf(object: object): { readonly observedGeneration?: number } {
  return ((object as StoredDeployment).status ?? {}) as { readonly observedGeneration?: number };
}

export function revisionOf({ metadata }: ApiObject): number {
  return Number(metadata.annotations?.[REVISION] ?? 0);
}
