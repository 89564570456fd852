// What becomes of a source that is away, in the words of the log.

import type { Files } from "./settings.ts";

/** `known`: before it was found to be away. */
export function whatStays(known: Files | undefined, isOptional: boolean): string {
  if (known !== undefined) return "what was known stays";
  return isOptional ? "it counts as empty" : "nothing is known of it yet";
}
