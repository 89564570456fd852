// What happens in a sidecar, for whoever counts it under names of their own: drop-ins/old-metrics.ts. Given to `sidecarParts` as `observer`.

import type { ReloadActionSpec } from "../compose-model.ts";

/** How one try of one action ended. */
export interface ReloadEnd {
  readonly action: ReloadActionSpec;
  readonly isGood: boolean;
  /** Undefined if there was no answer, or if it is no request. */
  readonly status: number | undefined;
  readonly seconds: number;
  /** Wall-clock time. */
  readonly atMs: number;
}

/** Told after the fact; decides nothing and must not throw. */
export interface SidecarObserver {
  /** After each try of each action. Not when the sidecar ends during one. */
  reloadEnded(end: ReloadEnd): void;
  /** The files were made anew, and written if they differ; or could not be, each time that it is tried. */
  applied(end: { readonly isGood: boolean; readonly unsetVariables: number }): void;
  /** What a source holds is not what it was. Its first content is no change. */
  sourceChanged(): void;
  /** A source has a problem that it did not have before. */
  sourceFailed(): void;
}
