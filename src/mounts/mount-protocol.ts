// What this process and its mount thread say to each other: one request at a time, an answer to it, and when all is done that nobody waits
// for.

import type { ReplaceOutcome, ReplaceRequest } from "./replace-mounts.ts";

export type MountThreadRequest =
  | { readonly kind: "replace"; readonly request: ReplaceRequest }
  | { readonly kind: "end" };

export type MountThreadMessage =
  | ({ readonly kind: "answer" } & MountThreadAnswer)
  | { readonly kind: "done" };

export interface MountThreadAnswer {
  /** By name; undefined if the container is gone. */
  readonly outcomes: ReadonlyMap<string, ReplaceOutcome> | undefined;
  /** Why nothing was done. */
  readonly failure: string | undefined;
}
