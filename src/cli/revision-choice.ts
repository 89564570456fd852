// Which revision people mean: by its number, by the beginning of its hash, or by saying nothing.

import type { ConfigRevision } from "../api/types.ts";
import { CliError } from "./cli-error.ts";
import type { RevisionHistory } from "./revision-history.ts";

/** Fewer are a slip of the finger. */
const MIN_HASH_DIGITS = 4;

/** Throws CliError if there is none, or if several contents could be meant. */
export function chosenRevision(history: RevisionHistory, word: string): ConfigRevision {
  const { revisions } = history;
  const byNumber = revisions.find(({ number }) => String(number) === word);
  if (byNumber !== undefined) return byNumber;
  const digits = word.toLowerCase();
  const isHash = /^[0-9a-f]+$/.test(digits) && digits.length >= MIN_HASH_DIGITS;
  const byHash = isHash ? revisions.filter(({ hash }) => hash.startsWith(digits)) : [];
  if (new Set(byHash.map(({ hash }) => hash)).size > 1) {
    const numbers = byHash.map(({ number }) => number).join(", ");
    throw new CliError(`${word} can mean several revisions: ${numbers}. Say more of the hash`);
  }
  const newest = byHash.at(-1);
  if (newest !== undefined) return newest;
  throw new CliError(`${history.target.shown} has no revision ${word}. ${whatThereIs(history)}`);
}

/** The one before the content of now; undefined if there was none. */
export function revisionBefore({
  revisions,
  current,
  version,
}: RevisionHistory): ConfigRevision | undefined {
  const end = current?.number ?? Number.POSITIVE_INFINITY;
  return revisions.findLast(({ number, hash }) => number < end && hash !== version);
}

function whatThereIs({ revisions, target }: RevisionHistory): string {
  const [first, last] = [revisions[0]?.number, revisions.at(-1)?.number];
  if (first === undefined || last === undefined) return "There are none";
  const range = first === last ? `There is only ${first}` : `There are ${first} to ${last}`;
  return `${range}: see driftless history ${target.shown}`;
}
