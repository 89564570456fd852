// The sizes of the client's terminal: JSON objects one after another, cut into pieces anywhere.

import type { TerminalSize } from "./command-streams.ts";

// An object is some thirty bytes. What is longer is none, and nothing behind it can be trusted.
const maxObjectChars = 1_024;
const maxCells = 65_535;

export class TerminalSizeReader {
  #text = "";
  #isBroken = false;

  /** The sizes that are whole now. A terminal without rows or columns is not one, and is left out. */
  read(bytes: Buffer): TerminalSize[] {
    if (this.#isBroken) return [];
    const objects = (this.#text + bytes.toString("latin1")).split("}");
    this.#text = objects.pop() ?? "";
    this.#isBroken = this.#text.length > maxObjectChars;
    return objects.flatMap((object) => {
      const size = this.#isBroken ? undefined : this.#parse(`${object}}`);
      return size && size.columns > 0 && size.rows > 0 ? [size] : [];
    });
  }

  #parse(text: string): TerminalSize | undefined {
    try {
      const fields = Object.entries(JSON.parse(text) as Readonly<Record<string, unknown>>);
      // kubectl writes Width, client-node width; the original reads either.
      const field = (name: string): unknown =>
        fields.findLast(([key]) => key.toLowerCase() === name)?.[1];
      return { columns: cells(field("width")), rows: cells(field("height")) };
    } catch {
      // Whatever it was, it said nothing about a size, and its end may not be where it seemed.
      this.#isBroken = true;
      return undefined;
    }
  }
}

function cells(value: unknown): number {
  return typeof value === "number" && Number.isInteger(value) && value > 0 && value <= maxCells
    ? value
    : 0;
}
