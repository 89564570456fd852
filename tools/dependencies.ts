// What the product brings along from others: counted, listed in docs/dependencies.md, and each direct dependency
// justified in docs/adr/0006-libraries.md. `--write` brings the list up to date; without it differences are faults.
//   node tools/dependencies.ts [--write] [ROOT]

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
}

interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly allowScripts?: Readonly<Record<string, boolean>>;
}

const DOCUMENT = "docs/dependencies.md";
const DECISIONS = "docs/adr/0006-libraries.md";
const PREFIX = "node_modules/";

/** What is wrong, a line each. `write` brings the list up to date first. */
export function checkDependencies(directory: string, write: boolean): readonly string[] {
  const manifest = readJson(directory, "package.json") as Manifest;
  const { packages } = readJson(directory, "package-lock.json") as Lock;
  const text = documentOf(manifest, packages);
  const file = join(directory, DOCUMENT);
  if (write) writeFileSync(file, text);
  return [
    ...unjustified(manifest, readFileSync(join(directory, DECISIONS), "utf8")),
    ...unexpectedScripts(manifest, packages),
    ...(readFileSync(file, "utf8") === text
      ? []
      : [`${DOCUMENT} is not up to date: run node tools/dependencies.ts --write`]),
  ];
}

function unjustified({ dependencies = {} }: Manifest, decisions: string): readonly string[] {
  return Object.keys(dependencies)
    .filter((name) => !decisions.includes(name))
    .map((name) => `${name} has no line in ${DECISIONS}: say what it is for and what was compared`);
}

/** A package that runs code when it is installed can do anything: those that may are named in package.json. */
function unexpectedScripts({ allowScripts = {} }: Manifest, packages: Lock["packages"]): string[] {
  return Object.entries(packages)
    .filter(([path, { hasInstallScript }]) => hasInstallScript && !allowScripts[nameOf(path)])
    .filter(([path]) => !ignoredScripts.has(nameOf(path)))
    .map(([path]) => `${nameOf(path)} runs a script when it is installed: allow it, or do without`);
}

/** They have one, and npm is not allowed to run it. */
const ignoredScripts: ReadonlySet<string> = new Set(["koffi", "protobufjs"]);

function documentOf(
  { dependencies = {}, devDependencies = {} }: Manifest,
  packages: Lock["packages"],
): string {
  const shipped = Object.entries(packages).filter(
    ([path, { dev, devOptional, link }]) =>
      path.startsWith(PREFIX) && !dev && !devOptional && !link && !path.includes("bare-"),
  );
  const rows = Object.keys(dependencies).map((name) => {
    const locked = packages[PREFIX + name];
    const brings = closure(name, packages).size - 1;
    return [name, locked?.version ?? "?", locked?.license ?? "?", String(brings)];
  });
  const scripts = Object.entries(packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => nameOf(path))
    .map((name) =>
      ignoredScripts.has(name)
        ? `- ${name}: has one, which is not allowed to run`
        : `- ${name}: puts the pinned Node in place; only for development`,
    );
  return `# What we bring along

Made by \`node tools/dependencies.ts --write\`, and checked by \`npm run check\`. Why each is there:
[ADR 6](adr/0006-libraries.md). \`npm run sbom\` writes a bill of materials (CycloneDX) of everything that is shipped to
\`sbom.json\`; \`npm audit --omit=dev\` asks the registry for known faults.

${rows.length} direct dependencies, ${shipped.length} packages in all; ${Object.keys(devDependencies).length} more
direct ones for development and tests. The library \`@driftless/config\` has none.

${table(["Package", "Version", "Licence", "Brings"], rows)}

Packages with an install script:

${scripts.join("\n")}
`;
}

/** With aligned columns, as the formatter wants them. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, i) => Math.max(...[head, ...rows].map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(" | ")} |`;
  return [head, widths.map((width) => "-".repeat(width)), ...rows].map(line).join("\n");
}

/** A package and all that it needs. */
function closure(
  name: string,
  packages: Lock["packages"],
  found = new Set<string>(),
): ReadonlySet<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const each of Object.keys(packages[PREFIX + name]?.dependencies ?? {})) {
    closure(each, packages, found);
  }
  return found;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf(PREFIX) + PREFIX.length);
}

function readJson(directory: string, file: string): unknown {
  return JSON.parse(readFileSync(join(directory, file), "utf8"));
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { write: { type: "boolean", default: false } },
  });
  const root = positionals[0] ?? join(import.meta.dirname, "..");
  const faults = checkDependencies(root, values.write);
  for (const fault of faults) console.log(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
