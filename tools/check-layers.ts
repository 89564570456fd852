// Keeps the layers apart. The table below says who may import whom; everything else here finds imports
// (types and re-exports too) and holds them against it. ARCHITECTURE.md shows people the same table.

import { existsSync, globSync, readdirSync, readFileSync, statSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import { parseSync, Visitor } from "oxc-parser";

type Allowed = readonly string[] | "everything";

const program: Allowed = ["base", "api", "checks", "client", "files", "reload", "streams"];

/** Each folder of src and the others that it may import, besides itself. */
export const layers: ReadonlyMap<string, Allowed> = new Map<string, Allowed>([
  ["base", []],
  ["api", []],
  ["storage", ["base", "api"]],
  ["apiserver", ["base", "api", "storage", "streams"]],
  ["client", ["base", "api"]],
  ["controller", ["base", "api", "client"]],
  ["controllers", ["base", "api", "client", "controller"]],
  ["files", ["base"]],
  ["mounts", ["base"]],
  ["runtime", ["base", "api", "mounts"]],
  ["streams", ["base"]],
  ["reload", ["base"]],
  ["checks", ["base", "api"]],
  [
    "agent",
    [
      ...["base", "api", "checks", "client", "controller", "files", "mounts", "runtime"],
      ...["streams", "reload"],
    ],
  ],
  ["sidecar", program],
  ["supervisor", program],
  ["audit", program],
  ["cli", program],
  ["cmd", "everything"],
]);

/** Modules with one home: the files that may import them start with this path. */
const homes: ReadonlyMap<string, string> = new Map([
  ["node:sqlite", "src/storage/sqlite/database.ts"],
  ["koffi", "src/mounts/"],
]);

interface Import {
  readonly file: string;
  readonly line: number;
  readonly specifier: string;
}

/** Returns one line per offence, `file:line what`, for the project in `root`. */
export function checkLayers(root: string): string[] {
  const sources = globSync("src/**/*.{ts,js}", { cwd: root }).filter((file) => !isTestData(file));
  const library = globSync("packages/config/src/**/*.{ts,js}", { cwd: root });
  return [
    ...unknownFolders(root),
    ...judge(root, sources, offenceOfSource),
    ...judge(root, library, offenceOfLibrary),
    ...checkDocument(root),
  ];
}

function judge(
  root: string,
  files: readonly string[],
  offenceOf: (found: Import) => string | undefined,
): string[] {
  return files.toSorted().flatMap((file) =>
    importsOf(root, file).flatMap((found) => {
      const offence = offenceOf(found);
      return offence === undefined ? [] : [`${file}:${found.line} ${offence}`];
    }),
  );
}

function importsOf(root: string, file: string): Import[] {
  const text = readFileSync(join(root, file), "utf8");
  const { module, program } = parseSync(file, text);
  const found: Import[] = [];
  const add = (specifier: string, start: number): void => {
    found.push({ file, line: text.slice(0, start).split("\n").length, specifier });
  };
  for (const { moduleRequest } of module.staticImports) {
    add(moduleRequest.value, moduleRequest.start);
  }
  for (const { moduleRequest } of module.staticExports.flatMap(({ entries }) => entries)) {
    if (moduleRequest) {
      add(moduleRequest.value, moduleRequest.start);
    }
  }
  for (const { moduleRequest } of module.dynamicImports) {
    const literal = /^(["'`])(.*)\1$/.exec(text.slice(moduleRequest.start, moduleRequest.end));
    if (literal?.[2] !== undefined) {
      add(literal[2], moduleRequest.start);
    }
  }
  new Visitor({
    TSImportType: ({ source }) => add(source.value, source.start),
  }).visit(program);
  return found;
}

function offenceOfSource({ file, specifier }: Import): string | undefined {
  if (!specifier.startsWith(".")) {
    return offenceOfModule(file, specifier);
  }
  const target = join(dirname(file), specifier);
  const [from, to] = [layerOf(file), layerOf(target)];
  if (from === undefined) {
    return undefined; // The folder is an offence already.
  }
  if (isForTests(target) && !isForTests(file)) {
    return `must not import ${target}: it is only for tests`;
  }
  if (to === undefined) {
    return `must not import ${target}: it is not in a layer of src`;
  }
  const allowed = layers.get(from) ?? [];
  const may =
    from === to ||
    allowed === "everything" ||
    allowed.includes(to) ||
    (isForTests(file) && target.startsWith("src/base/testing/"));
  return may
    ? undefined
    : `${from} must not import ${to} (${target}): may import ${listed(allowed)}`;
}

function offenceOfModule(file: string, specifier: string): string | undefined {
  const home = homes.get(specifier);
  if (home !== undefined && !file.startsWith(home)) {
    return `must not import ${specifier}: only ${home} does`;
  }
  if (layerOf(file) === "api" && isBuiltin(specifier) && !isForTests(file)) {
    return `api must not import ${specifier}: it runs in browsers too`;
  }
  return undefined;
}

function offenceOfLibrary({ file, specifier }: Import): string | undefined {
  const target = specifier.startsWith(".") ? join(dirname(file), specifier) : specifier;
  const may = specifier.startsWith("node:") || target.startsWith("packages/config/");
  return may ? undefined : `packages/config must not import ${target}: it has no dependencies`;
}

/** "src/base/clock.ts" → "base"; undefined when it is not in a layer. */
function layerOf(file: string): string | undefined {
  const [top, layer, ...rest] = file.split("/");
  return top === "src" && rest.length > 0 && layers.has(layer ?? "") ? layer : undefined;
}

function isForTests(file: string): boolean {
  return file.includes("/testing/") || file.endsWith(".test.ts");
}

function isTestData(file: string): boolean {
  return file.includes("/testdata/");
}

function unknownFolders(root: string): string[] {
  const names = existsSync(join(root, "src")) ? readdirSync(join(root, "src")) : [];
  return names
    .filter((name) => !layers.has(name) || !statSync(join(root, "src", name)).isDirectory())
    .map((name) => `src/${name}:1 is not a layer: add it to tools/check-layers.ts or move it`);
}

/** Compares the table whose header starts with "| Layer" with ours. */
function checkDocument(root: string): string[] {
  const name = "ARCHITECTURE.md";
  if (!existsSync(join(root, name))) {
    return [`${name}:1 is missing: it has to show the table of layers`];
  }
  const lines = readFileSync(join(root, name), "utf8").split("\n");
  const header = lines.findIndex((line) => line.startsWith("| Layer"));
  if (header < 0) {
    return [`${name}:1 has no table of layers: its header row starts with "| Layer"`];
  }
  const offences: string[] = [];
  const missing = new Set(layers.keys());
  for (let i = header + 2; lines[i]?.startsWith("|"); i++) {
    const cells = (lines[i] ?? "").split("|").slice(1, -1);
    const written = normalized((cells.at(-1) ?? "").split(","));
    for (const layer of names(cells[0] ?? "")) {
      missing.delete(layer);
      const ours = normalized(listed(layers.get(layer) ?? ["(no such layer)"]).split(","));
      if (written !== ours) {
        offences.push(
          `${name}:${i + 1} says that ${layer} may import ${written}: the check says ${ours}`,
        );
      }
    }
  }
  return [...offences, ...[...missing].map((layer) => `${name}:${header + 1} lacks ${layer}`)];
}

function names(cell: string): string[] {
  return cell
    .replaceAll("`", "")
    .split(",")
    .map((name) => name.trim());
}

function normalized(list: readonly string[]): string {
  return names(list.join(",")).toSorted().join(", ");
}

function listed(allowed: Allowed): string {
  return allowed === "everything" ? allowed : allowed.join(", ") || "nothing";
}

if (import.meta.main) {
  const offences = checkLayers(process.argv[2] ?? join(import.meta.dirname, ".."));
  for (const offence of offences) {
    console.log(offence);
  }
  process.exitCode = offences.length > 0 ? 1 : 0;
}
