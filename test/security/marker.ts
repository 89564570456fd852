// A value that can be recognised wherever it turns up, also in the forms in which it travels.

import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export class Marker {
  /** The secret itself. */
  readonly text: string;
  readonly base64: string;
  readonly #forms: readonly (readonly [string, Buffer])[];

  constructor(name: string) {
    this.text = `canary-${name}-${randomBytes(12).toString("hex")}`;
    this.base64 = Buffer.from(this.text).toString("base64");
    this.#forms = [
      ["plain", Buffer.from(this.text)],
      ["hex", Buffer.from(Buffer.from(this.text).toString("hex"))],
      ["UTF-16", Buffer.from(this.text, "utf16le")],
      // Base64 of something that contains it looks different by where it begins; the ends are cut off, where the
      // neighbours have a part in it.
      ...[0, 1, 2].map((offset): readonly [string, Buffer] => {
        const padded = Buffer.concat([Buffer.alloc(offset), Buffer.from(this.text)]);
        return [`base64 at ${offset}`, Buffer.from(padded.toString("base64").slice(4, -4))];
      }),
    ];
  }

  /** In which form it is in there; undefined if it is not. */
  foundIn(bytes: Buffer | string): string | undefined {
    const buffer = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
    return this.#forms.find(([, form]) => buffer.includes(form))?.[0];
  }
}

/** Every file below a directory in which one of the markers is, and in which form. */
export function filesWith(directory: string, markers: readonly Marker[]): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .flatMap((file) => {
      const bytes = readFileSync(file);
      return markers.flatMap((marker) => {
        const form = marker.foundIn(bytes);
        return form === undefined ? [] : [`${file}: ${marker.text.split("-")[1]}, ${form}`];
      });
    });
}
