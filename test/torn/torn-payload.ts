// Eight files that all say the same number: a reader that finds two numbers has mixed two versions.

import type { Payload } from "../../src/files/payload.ts";
import { payloadOf } from "../../src/files/testing/test-writer.ts";

const FILES = 8;

export function tornPayload(number: number): Payload {
  return payloadOf(
    Object.fromEntries(
      Array.from({ length: FILES }, (_, i) => [
        i < 6 ? `key-${i}` : `dir/key-${i}`,
        `${number}\n`.repeat(40),
      ]),
    ),
  );
}

/** Whether the texts are all eight files of one version. */
export function isOneVersion(texts: readonly string[]): boolean {
  const [first = ""] = texts;
  const number = first.slice(0, first.indexOf("\n") + 1);
  return texts.length === FILES && texts.every((text) => text === number.repeat(40));
}

/** Whether one file is wholly of one version. */
export function isOneFile(text: string): boolean {
  const number = text.slice(0, text.indexOf("\n") + 1);
  return number.length > 1 && text === number.repeat(40);
}
