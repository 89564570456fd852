// Small C programs for what Node cannot do or should not be compared with itself: tracing, raw loops.
// Compiled where the test runs, once per process, into a directory that goes away with it.

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { ensureDebianPackages } from "../../tools/debian.ts";

export type Built =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly reason: string };

let directory: string | undefined;

/** Compiles one source file. Not ok, with the reason, when there is no compiler and none can be installed. */
export async function buildC(source: string): Promise<Built> {
  // g++ and not gcc: it comes only together with the C library's headers.
  const compiler = await ensureDebianPackages([{ command: "g++", package: "build-essential" }]);
  if (!compiler.ok) return compiler;
  if (directory === undefined) {
    const made = mkdtempSync(join(tmpdir(), "driftless-c-"));
    process.on("exit", () => rmSync(made, { recursive: true, force: true }));
    directory = made;
  }
  const path = join(directory, basename(source, ".c"));
  await promisify(execFile)("gcc", ["-O2", "-Wall", "-Wextra", "-Werror", "-o", path, source]);
  return { ok: true, path };
}
