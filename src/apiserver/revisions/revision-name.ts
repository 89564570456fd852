// Names of ConfigRevisions: "configmap-app-00012". They follow from the object and the number, so that two servers which both want to
// make the same revision meet at the same name, and lists show them in their order.

import { hash } from "node:crypto";

const MAX_NAME_CHARS = 253;
const MAX_LABEL_CHARS = 63;
/** Names are in order until 99,999; after that they are still unique. */
const NUMBER_DIGITS = 5;
/** Room for any number that counts contents. */
const MAX_NUMBER_CHARS = 16;
const HASH_DIGITS = 10;

/** What the names of all revisions of an object begin with. */
export function revisionPrefix(kind: string, name: string): string {
  return shortened(`${kind.toLowerCase()}-${name}`, MAX_NAME_CHARS - MAX_NUMBER_CHARS - 1);
}

export function revisionName(prefix: string, number: number): string {
  return `${prefix}-${String(number).padStart(NUMBER_DIGITS, "0")}`;
}

/** Also of "namespace/name". Undefined for names that the server did not give. */
export function splitRevisionName(
  name: string,
): { readonly prefix: string; readonly number: number } | undefined {
  const [, prefix, digits] = /^(.+)-(\d{5,15})$/.exec(name) ?? [];
  if (prefix === undefined || digits === undefined) return undefined;
  const number = Number(digits);
  return revisionName(prefix, number) === name ? { prefix, number } : undefined;
}

/** An object's name as the value of a label; those that are too long end with a hash. */
export function labelValue(name: string): string {
  return shortened(name, MAX_LABEL_CHARS);
}

function shortened(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const sum = hash("sha256", text, "hex").slice(0, HASH_DIGITS);
  const kept = text.slice(0, maxChars - HASH_DIGITS - 1).replace(/[-.]+$/, "");
  return `${kept}-${sum}`;
}
