// Holds what acknowledgements call applied against what the app has loaded and answered for.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

interface Ack {
  readonly path: string;
  readonly applied: { readonly version: string } | null;
}

export class AckCheck {
  readonly #directory: string;
  readonly #output: string;
  readonly #app: { readonly loaded: ReadonlySet<string> };
  readonly complaints: string[] = [];
  /** What the last life that said anything calls applied. */
  newest: string | undefined;

  /** `output`: whose acknowledgements they are; sources have theirs. */
  constructor(directory: string, output: string, app: { readonly loaded: ReadonlySet<string> }) {
    this.#directory = directory;
    this.#output = output;
    this.#app = app;
  }

  look(): void {
    const files = readdirSync(this.#directory)
      .filter((name) => name.endsWith(".json"))
      .map((name) => join(this.#directory, name))
      .toSorted((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs);
    for (const file of files) {
      const { path, applied } = JSON.parse(readFileSync(file, "utf8")) as Ack;
      if (path !== this.#output) continue;
      this.newest = applied?.version;
      if (applied === null || this.#app.loaded.has(applied.version)) continue;
      this.complaints.push(`${applied.version} is called applied, and was never loaded`);
    }
  }
}
