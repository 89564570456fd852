// What each node has to do with: the pods that are bound to it, and the objects that these use. Objects are counted per
// node, so that pods can share them; a change costs as much as the changed pod has references.
//
// A pod that has ended still belongs to its node, but its objects are no longer needed: nothing starts it again.
// Kubernetes forgets them only when the pod is deleted.

import type { Pod } from "../../api/types.ts";
import { text } from "../../api/validation/absent.ts";
import { isMirrorPod } from "../../api/validation/pod-annotations.ts";
import type { CachedObject } from "../cache/cached-object.ts";
import type { KindCache } from "../cache/kind-cache.ts";
import { podReferences, type ReferencedResource } from "./pod-references.ts";
import { VolumeIndex } from "./volume-index.ts";

export interface ObjectPlace {
  readonly namespace: string;
  readonly name: string;
}

interface BoundPod {
  readonly node: string;
  /** What is counted in #users for this pod, each once: exactly this is taken back. */
  readonly objects: readonly string[];
}

/** Follows the caches from its construction on. */
export class NodeGraph {
  /** Those with a node, by "namespace/name". */
  readonly #pods = new Map<string, BoundPod>();
  /** By object, then by node: how many pods use it, at least 1. Never empty maps. */
  readonly #users = new Map<string, Map<string, number>>();
  readonly #volumes = new VolumeIndex();

  constructor({
    pods,
    persistentVolumes,
  }: {
    readonly pods: KindCache;
    readonly persistentVolumes: KindCache;
  }) {
    pods.follow({
      reset: (all) => this.#reset(all),
      changed: (now, before) => {
        if (before !== undefined) this.#remove(before.key);
        if (now !== undefined) this.#add(now);
      },
    });
    persistentVolumes.follow(this.#volumes);
  }

  /** How many objects some node may see because of a pod. */
  get objectCount(): number {
    return this.#users.size;
  }

  /** Whether the pod is bound to the node, ended or not. */
  hasPod(node: string, { namespace, name }: ObjectPlace): boolean {
    return this.#pods.get(`${namespace}/${name}`)?.node === node;
  }

  /** Whether a pod of the node uses the object; a secret also through a volume that the pod claims. */
  uses(node: string, resource: ReferencedResource, { namespace, name }: ObjectPlace): boolean {
    const key = `${namespace}/${name}`;
    if (this.#isUsed(node, resource, key)) return true;
    if (resource !== "secrets") return false;
    return this.#volumes.claimsNeeding(key).some((claim) => this.#isClaimed(node, claim));
  }

  /** Whether a pod of the node claims the persistent volume. */
  usesVolume(node: string, name: string): boolean {
    const claim = this.#volumes.claimOf(name);
    return claim !== undefined && this.#isClaimed(node, claim);
  }

  #isClaimed(node: string, claim: string): boolean {
    return this.#isUsed(node, "persistentvolumeclaims", claim);
  }

  #isUsed(node: string, resource: ReferencedResource, key: string): boolean {
    return this.#users.get(`${resource}/${key}`)?.has(node) === true;
  }

  #reset(pods: Iterable<CachedObject>): void {
    this.#pods.clear();
    this.#users.clear();
    for (const pod of pods) this.#add(pod);
  }

  #add({ key, object }: CachedObject): void {
    const pod = object as unknown as Pod;
    const node = text(pod.spec.nodeName);
    if (node === "") return;
    const objects = neededObjects(pod);
    this.#pods.set(key, { node, objects });
    for (const name of objects) {
      const users = this.#users.get(name) ?? new Map<string, number>();
      this.#users.set(name, users.set(node, (users.get(node) ?? 0) + 1));
    }
  }

  #remove(key: string): void {
    const { node = "", objects = [] } = this.#pods.get(key) ?? {};
    this.#pods.delete(key);
    for (const name of objects) {
      const users = this.#users.get(name);
      const left = (users?.get(node) ?? 0) - 1;
      if (left > 0) users?.set(node, left);
      else users?.delete(node);
      if (users?.size === 0) this.#users.delete(name);
    }
  }
}

/** "resource/namespace/name", each once. A mirror pod is made by the node itself and must not open anything to it. */
function neededObjects(pod: Pod): readonly string[] {
  const { metadata, status } = pod;
  const isOver = status.phase === "Succeeded" || status.phase === "Failed";
  if (isOver || isMirrorPod(metadata.annotations)) return [];
  const namespace = text(metadata.namespace);
  const keys = podReferences(pod).map(({ resource, name }) => `${resource}/${namespace}/${name}`);
  return [...new Set(keys)];
}
