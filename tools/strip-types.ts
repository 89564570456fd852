// The program without its types: plain JavaScript, line by line the same, for where it is installed and not developed. Node would strip them itself at each start, with a
// compiler that takes 20 MiB of memory.

import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { dirname, join } from "node:path";

const NOT_SHIPPED = /\.test\.ts$|(^|\/)(testing|testdata)\//;
/** In code, where another file of the program is named. Types are gone by then. */
const RELATIVE = /^(.*(?:\bfrom|\bimport)\s*\(?\s*"\.{1,2}\/[^"\n]*)\.ts"/gm;

/** Copies a tree of sources without its tests; what is no TypeScript stays as it is. */
export function stripTypes(from: string, to: string): void {
  for (const { name, parentPath } of globSync("**/*", { cwd: from, withFileTypes: true }).filter(
    (entry) => entry.isFile(),
  )) {
    const source = join(parentPath, name);
    const path = source.slice(from.length + 1);
    if (NOT_SHIPPED.test(path)) continue;
    mkdirSync(dirname(join(to, path)), { recursive: true });
    if (!path.endsWith(".ts")) cpSync(source, join(to, path));
    else writeFileSync(join(to, path.replace(/ts$/, "js")), scriptOf(readFileSync(source, "utf8")));
  }
}

export function scriptOf(source: string): string {
  return stripTypeScriptTypes(source).replaceAll(RELATIVE, '$1.js"');
}
