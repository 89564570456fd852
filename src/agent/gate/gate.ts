// What the policies that choose an object come to together.

import type { ContentCheck } from "../../checks/check-protocol.ts";
import type { ConfigObject } from "../objects/config-object.ts";
import type { Policy } from "./policies.ts";

export interface Gate {
  readonly checks: readonly ContentCheck[];
  /** Another one whenever the checks may be others. */
  readonly fingerprint: string;
  /** Nothing new goes out since then; the earliest of all pauses. */
  readonly paused: { readonly policy: string; readonly atMs: number } | undefined;
}

/** Undefined: no policy chooses the object, and everything goes through. */
export function gateOf(policies: readonly Policy[]): Gate | undefined {
  if (policies.length === 0) return undefined;
  const checking = policies.filter(({ checks }) => checks.length > 0);
  const paused = policies
    .flatMap(({ name, pausedAtMs }) =>
      pausedAtMs === undefined ? [] : [{ policy: name, atMs: pausedAtMs }],
    )
    .toSorted((a, b) => a.atMs - b.atMs)[0];
  return {
    checks: checking.flatMap(({ checks }) => checks),
    fingerprint: checking.map(({ fingerprint }) => fingerprint).join(),
    paused,
  };
}

/** A copy: what goes to a thread takes along the memory that it is a part of. */
export function contentOf(object: ConfigObject): ReadonlyMap<string, Uint8Array> {
  return new Map(
    object.keys.map((key) => [key, new Uint8Array(object.bytes(key) ?? new Uint8Array())]),
  );
}
