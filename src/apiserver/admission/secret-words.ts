// What must not be said of a Secret: its values, as they are stored and as they are meant, and their lines.

import type { JsonValue } from "../../api/json.ts";
import type { ApiObject } from "../../api/object.ts";

/** What is shorter is in every other sentence. */
const MIN_BYTES = 4;

export class SecretWords {
  readonly #words: ReadonlySet<string>;

  private constructor(words: ReadonlySet<string>) {
    this.#words = words;
  }

  /** Of all versions of a Secret that a text could be about. */
  static of(...versions: readonly (ApiObject | undefined)[]): SecretWords {
    const words = versions.flatMap((object) =>
      object === undefined
        ? []
        : [
            ...valuesOf(object["data"]).flatMap((value) => [value, decoded(value)]),
            ...valuesOf(object["stringData"]),
          ],
    );
    const lines = words.flatMap((word) => [
      word,
      ...word.split(/[\r\n]+/).map((line) => line.trim()),
    ]);
    return new SecretWords(new Set(lines.filter((line) => Buffer.byteLength(line) >= MIN_BYTES)));
  }

  /** Also if the text has them escaped, as in a quotation. */
  occurIn(text: string): boolean {
    for (const word of this.#words) {
      if (text.includes(word) || text.includes(JSON.stringify(word).slice(1, -1))) return true;
    }
    return false;
  }
}

function valuesOf(map: JsonValue | undefined): string[] {
  if (typeof map !== "object" || map === null) return [];
  return Object.values(map).filter((value) => typeof value === "string");
}

function decoded(base64: string): string {
  return Buffer.from(base64, "base64").toString();
}
