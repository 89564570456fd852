// The program as it is in the container image: without its types, with what was compiled before at hand. From a checkout, with a warm cache, it is the same.

import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripTypes } from "../../tools/strip-types.ts";

const CHECKOUT = join(import.meta.dirname, "../..");

export class ShippedProgram implements Disposable {
  readonly #directory: string = mkdtempSync(join(tmpdir(), "driftless-bench-program-"));

  constructor() {
    writeFileSync(join(this.#directory, "package.json"), '{"type":"module"}');
    symlinkSync(join(CHECKOUT, "node_modules"), join(this.#directory, "node_modules"));
    stripTypes(join(CHECKOUT, "src"), join(this.#directory, "src"));
  }

  get path(): string {
    return join(this.#directory, "src/cmd/driftless.js");
  }

  /** Where what was compiled is kept. */
  get home(): string {
    return this.#directory;
  }

  [Symbol.dispose](): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
