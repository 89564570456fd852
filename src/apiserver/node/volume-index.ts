// Which claim each persistent volume is bound to, and which secrets a node needs to mount it.

import type { PersistentVolume } from "../../api/types.ts";
import { text } from "../../api/validation/absent.ts";
import type { CachedObject } from "../cache/cached-object.ts";
import type { Follower } from "../cache/kind-cache.ts";

interface BoundVolume {
  /** "namespace/name" */
  readonly claim: string;
  /** "namespace/name", each once. */
  readonly secrets: readonly string[];
}

/** Kept in step with the cache of persistent volumes that it follows. */
export class VolumeIndex implements Follower {
  /** Those with a claim, by name. */
  readonly #volumes = new Map<string, BoundVolume>();
  /** By secret: the volumes that need it. Never empty sets. */
  readonly #bySecret = new Map<string, Set<string>>();

  reset(volumes: Iterable<CachedObject>): void {
    this.#volumes.clear();
    this.#bySecret.clear();
    for (const volume of volumes) this.#add(volume);
  }

  changed(now: CachedObject | undefined, before: CachedObject | undefined): void {
    if (before !== undefined) this.#remove(before.key);
    if (now !== undefined) this.#add(now);
  }

  /** "namespace/name" of the claim that the volume is bound to. */
  claimOf(volume: string): string | undefined {
    return this.#volumes.get(volume)?.claim;
  }

  /** The claims of all volumes that need this secret ("namespace/name") on the node. */
  claimsNeeding(secret: string): readonly string[] {
    return [...(this.#bySecret.get(secret) ?? [])].flatMap((name) => this.claimOf(name) ?? []);
  }

  #add({ key, object }: CachedObject): void {
    const volume = boundVolume(object as unknown as PersistentVolume);
    if (volume === undefined) return;
    this.#volumes.set(key, volume);
    for (const secret of volume.secrets) {
      const users = this.#bySecret.get(secret) ?? new Set();
      this.#bySecret.set(secret, users.add(key));
    }
  }

  #remove(key: string): void {
    for (const secret of this.#volumes.get(key)?.secrets ?? []) {
      const users = this.#bySecret.get(secret);
      users?.delete(key);
      if (users?.size === 0) this.#bySecret.delete(secret);
    }
    this.#volumes.delete(key);
  }
}

function boundVolume({ spec }: PersistentVolume): BoundVolume | undefined {
  if (spec.claimRef === undefined) return undefined;
  const home = text(spec.claimRef.namespace);
  const { azureFile, csi, cephfs, cinder, flexVolume, iscsi, rbd, scaleIO, storageos } = spec;
  const needed = [
    { name: azureFile?.secretName, namespace: azureFile?.secretNamespace },
    // The other two secrets of a CSI volume are for controllers, never for nodes.
    ...[csi?.nodePublishSecretRef, csi?.nodeStageSecretRef, csi?.nodeExpandSecretRef],
    ...[cephfs, cinder, flexVolume, iscsi, rbd, scaleIO, storageos].map(
      (source) => source?.secretRef,
    ),
  ].filter((secret) => text(secret?.name) !== "");
  const secrets = needed.map((secret) => `${text(secret?.namespace) || home}/${secret?.name}`);
  return { claim: `${home}/${text(spec.claimRef.name)}`, secrets: [...new Set(secrets)] };
}
