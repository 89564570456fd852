// The two sets of the crash test: files that change, one that stays, one that goes, one that comes, and a directory.

import type { Texts } from "./life.ts";

export const OLD: Texts = {
  a: "old a",
  b: "old b\n".repeat(2000),
  "dir/c": "old c",
  "dir/gone": "old gone",
  same: "same",
};

export const NEW: Texts = {
  a: "new a",
  added: "new added",
  b: "new b\n".repeat(3000),
  "dir/c": "new c",
  same: "same",
};
