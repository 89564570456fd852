// What `fieldValidation` is about: fields that are given twice and fields that nobody knows, in the API's words. The
// caller ignores them, warns of each, or refuses the object with all of them.

import type { ParsedText } from "./json-text.ts";
import { goQuote } from "./validation/go-text.ts";

/** As many as the API reports at most. */
const maxReported = 100;

/** `duplicate field "data.a"`, `unknown field "spec.foo"` … What is wrong within an unknown field is not told. */
export function strictErrors(
  parsed: Pick<ParsedText, "duplicates" | "duplicatesInYaml">,
  unknownFields: readonly string[],
): readonly string[] {
  const duplicates = parsed.duplicates
    .filter((path) => !unknownFields.some((unknown) => isWithin(path, unknown)))
    .map((path) => `duplicate field ${goQuote(path)}`);
  const unknown = unknownFields.map((path) => `unknown field ${goQuote(path)}`);
  const told = parsed.duplicatesInYaml === undefined ? duplicates : [parsed.duplicatesInYaml];
  return [...told, ...unknown].slice(0, maxReported);
}

function isWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`);
}
