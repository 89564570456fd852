// An object that is looked at: from a file or from a cluster, in the form that its kind's table gives it.

import type { JsonObject } from "../api/json.ts";
import type { ObjectMeta } from "../api/types.ts";

export interface Subject {
  readonly kind: string;
  /** "" where a manifest says none. */
  readonly namespace: string;
  readonly name: string;
  readonly metadata: ObjectMeta;
  /** Decoded by the table of its kind; kinds that have none are as they were written. */
  readonly object: JsonObject;
  /** Written in JSON, where octal numbers and comments do not exist. */
  readonly isJson: boolean;
  /** Of the file that it is from, and of its place there; undefined for live objects. */
  readonly source?: SourcePlace;
}

export interface SourcePlace {
  readonly file: string;
  /** Of its document in the file, and where it is in there: ["items", 3] in a List. */
  readonly document: number;
  readonly path: readonly (string | number)[];
}

/** "deployment/web", as kubectl takes it. */
export function nameOf({ kind, name }: Pick<Subject, "kind" | "name">): string {
  return `${kind.toLowerCase()}/${name}`;
}

export function annotationsOf(
  metadata: Pick<ObjectMeta, "annotations">,
): Readonly<Record<string, string>> {
  return metadata.annotations ?? {};
}
