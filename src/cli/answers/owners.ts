// Whose a pod is: from the pod by its ReplicaSet to the Deployment.

import type { ObjectMeta, Pod } from "../../api/types.ts";

type Owned = { readonly metadata: ObjectMeta };

/** "deployment/api": what is in `owners` last. A pod that nobody owns is its own. */
export type OwnerChain = readonly [string, ...string[]];

export class Owners {
  readonly #replicaSets: ReadonlyMap<string, Owned>;

  constructor(replicaSets: readonly Owned[]) {
    this.#replicaSets = new Map(
      replicaSets.map((each) => [each.metadata.uid ?? "", each] as const),
    );
  }

  /** "pod/api-1-x", "replicaset/api-1", "deployment/api", as far as it is known. */
  of(pod: Pick<Pod, "metadata">): OwnerChain {
    const first = controllerOf(pod);
    const own = `pod/${pod.metadata.name ?? ""}`;
    if (first === undefined) return [own];
    const replicaSet = this.#replicaSets.get(first.uid);
    const second = replicaSet && controllerOf(replicaSet);
    return [own, ownerText(first), ...(second === undefined ? [] : [ownerText(second)])];
  }
}

function controllerOf({
  metadata,
}: Owned): { kind: string; name: string; uid: string } | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

function ownerText({ kind, name }: { readonly kind: string; readonly name: string }): string {
  return `${kind.toLowerCase()}/${name}`;
}
