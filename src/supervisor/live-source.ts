// Where variables and files come from. A source keeps what it knows up to date by itself, and never forgets a good content because of a fault.

import type { Part } from "../base/run-group.ts";
import type { Files } from "./settings.ts";

export interface LiveSource extends Part {
  /** Of the directory that it reads; undefined: it is no directory. */
  readonly path: string | undefined;
  /** Undefined until something is known: nothing is started before. */
  readonly files: Files | undefined;
  /** Why what is known may be old, or why nothing is known. */
  readonly problem: string | undefined;
  /** Set by whoever uses it, before run(): something may have changed. */
  onChange: () => void;
}
