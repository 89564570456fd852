// What a container was told, kept in a file for as long as it lives, so that another life of the agent neither repeats it nor forgets what is
// still to be told. One per container, in the pod's directory; hashes and names only.

import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { NodeReload } from "../views/view-sources.ts";
import type { VolumeDigest } from "./volume-digest.ts";

/** By volume. */
export type ToldVolumes = Readonly<Record<string, ToldVolume>>;

interface ToldVolume {
  /** What the container runs with, as far as is known: it was started with it, or told. */
  readonly told: VolumeDigest | undefined;
  /** Actions that were tried for a version that is not `told` yet, and those of them that succeeded. */
  readonly tried: TriedActions | undefined;
  /** How the last telling went, if it succeeded. */
  readonly last: NodeReload | undefined;
}

export interface TriedActions {
  readonly version: string;
  /** As annotations have them. */
  readonly actions: readonly string[];
  readonly done: readonly string[];
}

/** Undefined if there is none, or none that makes sense. */
export function readTold(file: string): ToldVolumes | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(file).toString());
    return isTold(value) ? value.volumes : undefined;
  } catch {
    return undefined; // Then what was mounted at the container's start is all that is known.
  }
}

export function writeTold(file: string, volumes: ToldVolumes): void {
  const temporary = `${file}.new`;
  mkdirSync(dirname(file), { recursive: true, mode: 0o750 });
  writeFileSync(temporary, JSON.stringify({ format: FORMAT, volumes }), { mode: 0o600 });
  renameSync(temporary, file);
}

export function removeTold(file: string): void {
  rmSync(file, { force: true });
}

/** Another one is another agent's, and not understood. */
const FORMAT = 1;

function isTold(value: unknown): value is { readonly volumes: ToldVolumes } {
  if (typeof value !== "object" || value === null) return false;
  const { format, volumes } = value as Record<string, unknown>;
  return format === FORMAT && typeof volumes === "object" && volumes !== null;
}
