// Volumes that show what a pod is (downwardAPI), and those that put several sources together (projected). Both in memory, as in the
// original: annotations can be confidential, tokens are.

import type { DownwardAPIVolumeSource, ProjectedVolumeSource, Volume } from "../../../api/types.ts";
import { Payload } from "../../../files/payload.ts";
import type { Recipe } from "./config-plugin.ts";
import { downwardFiles } from "./downward-files.ts";
import { keySources, projectedPayload, tokenDemands } from "./projected-files.ts";

export const downwardApiRecipe: Recipe = {
  name: "kubernetes.io/downward-api",
  medium: "memory",
  supports: ({ downwardAPI }) => downwardAPI !== undefined,
  references: () => [],
  payload(volume, about) {
    const { items = [], defaultMode: mode, defaultUser: user } = downwardOf(volume);
    return { payload: Payload.from(downwardFiles(items, about, { mode, user })) };
  },
};

export const projectedRecipe: Recipe = {
  name: "kubernetes.io/projected",
  medium: "memory",
  supports: ({ projected }) => projected !== undefined,
  references: (volume, { metadata }) =>
    keySources(projectedOf(volume), metadata.namespace ?? "").map(({ of }) => of),
  tokens: (volume, pod) => tokenDemands(projectedOf(volume), pod),
  payload: (volume, ingredients) => projectedPayload(projectedOf(volume), ingredients),
};

function downwardOf({ name, downwardAPI }: Volume): DownwardAPIVolumeSource {
  if (!downwardAPI) throw new Error(`Volume "${name}" is no downwardAPI volume`);
  return downwardAPI;
}

function projectedOf({ name, projected }: Volume): ProjectedVolumeSource {
  if (!projected) throw new Error(`Volume "${name}" is no projected volume`);
  return projected;
}
