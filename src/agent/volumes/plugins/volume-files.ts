// What all sources of files have in common: paths with their files, the mode that must be given, and who owns what.

import type { ProjectedFile } from "../../../files/payload.ts";

/** In the order of their sources; the paths as people spelled them. */
export type VolumeFiles = readonly (readonly [path: string, file: ProjectedFile])[];

export interface FileDefaults {
  /** The API fills it in: without, something is wrong with the pod. */
  readonly mode: number | undefined;
  readonly user: number | undefined;
}

export function requiredMode({ mode }: FileDefaults): number {
  if (mode === undefined) {
    throw new Error("no defaultMode used, not even the default value for it");
  }
  return mode;
}

/** One error as it is; of several, all texts in the original's form. */
export function aggregated(errors: readonly Error[]): Error | undefined {
  const [first] = errors;
  const texts = [...new Set(errors.map(({ message }) => message))];
  return texts.length > 1 ? new Error(`[${texts.join(", ")}]`, { cause: first }) : first;
}
