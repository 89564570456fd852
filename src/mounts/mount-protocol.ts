// What this process and its mount thread say to each other.

import type { ReplaceOutcome, ReplaceRequest } from "./replace-mounts.ts";

export type MountThreadRequest =
  | { readonly kind: "replace"; readonly number: number; readonly request: ReplaceRequest }
  | { readonly kind: "end" };

export interface MountThreadAnswer {
  readonly number: number;
  /** By name; undefined if the container is gone. */
  readonly outcomes: ReadonlyMap<string, ReplaceOutcome> | undefined;
  /** Why nothing was done. */
  readonly failure: string | undefined;
}
