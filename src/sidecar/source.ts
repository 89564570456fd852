// Where content comes from. Every source keeps what it knows up to date by itself and says when that changed; it never forgets a good content because of a fault.

import type { Part } from "../base/run-group.ts";

/** One consistent set of files of one source. */
export interface SourceContent {
  /** By name; nested names have "/". Never changed. */
  readonly files: ReadonlyMap<string, SourceFile>;
  /** The same content has the same one. */
  readonly version: string;
}

export interface SourceFile {
  readonly data: Uint8Array;
  readonly isSecret: boolean;
  /** From k8s-sidecar's folder annotation: the directory below the output, or an absolute one. */
  readonly folder?: string;
  /** "configmap/app in default", for --explain and messages. */
  readonly origin: string;
}

export type SourceState =
  /** Nothing was ever known: nothing is published until that changes. */
  | { readonly state: "waiting"; readonly problem: string | undefined }
  /** `problem`: why what is known may be old; the content stays. */
  | {
      readonly state: "known";
      readonly content: SourceContent;
      readonly problem: string | undefined;
    };

export interface Source extends Part {
  readonly name: string;
  /** What is known at this instant. */
  current(): SourceState;
  onChange(handler: () => void): Disposable;
}
