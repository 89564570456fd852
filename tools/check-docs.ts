// Keeps the documents true where a machine can tell: links lead somewhere, commands exist, version
// numbers agree, ARCHITECTURE.md stays short enough to be read.

import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const maxArchitectureLines = 200;

interface Manifest {
  readonly scripts?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly engines?: { readonly node?: string };
}

/** Returns one line per offence, `file:line what`, for the project in `root`. */
export function checkDocs(root: string): string[] {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;
  const patterns = ["*.md", "{docs,test,bench,demo,examples}/**/*.md", "packages/*/*.md"];
  const files = globSync(patterns, { cwd: root }).toSorted();
  return [
    ...files.flatMap((file) => checkFile(root, file, manifest)),
    ...checkVersions(root, manifest),
  ];
}

function checkFile(root: string, file: string, manifest: Manifest): string[] {
  const text = readFileSync(join(root, file), "utf8");
  const lines = text.split("\n");
  const offences = withoutCode(text)
    .split("\n")
    .flatMap((line, index) =>
      linksOf(line).flatMap((target) => {
        const problem = brokenLink(root, file, target);
        return problem === undefined ? [] : [`${file}:${index + 1} ${problem}`];
      }),
    );
  for (const [index, line] of lines.entries()) {
    for (const [, script = ""] of line.matchAll(/\bnpm run ([\w:-]+)/g)) {
      if (manifest.scripts?.[script] === undefined) {
        offences.push(
          `${file}:${index + 1} has "npm run ${script}": package.json has no such script`,
        );
      }
    }
  }
  if (file === "ARCHITECTURE.md" && lines.length > maxArchitectureLines) {
    offences.push(
      `${file}:${lines.length} is too long: it stays under ${maxArchitectureLines} lines`,
    );
  }
  return offences;
}

/** Blanks out code, in which brackets are not links, and keeps the line numbers. */
function withoutCode(text: string): string {
  return text
    .replaceAll(/^( *)(```|~~~)[\s\S]*?^\1\2/gm, (block) => block.replaceAll(/[^\n]/g, ""))
    .replaceAll(/`[^`\n]*`/g, "code");
}

/** The targets of inline links, images and link definitions. */
function linksOf(line: string): string[] {
  const inline = [...line.matchAll(/\]\(<?([^)\s>]+)/g)].map(([, target]) => target ?? "");
  const defined = /^\[[^\]]+\]:\s+<?([^\s>]+)/.exec(line)?.[1];
  return defined === undefined ? inline : [...inline, defined];
}

function brokenLink(root: string, file: string, target: string): string | undefined {
  if (/^[a-z][a-z+.-]*:/i.test(target)) {
    return undefined; // Somewhere else: not ours to check without a network.
  }
  const [path = "", anchor] = target.split("#");
  const linked = path === "" ? file : join(dirname(file), decodeURI(path));
  if (!existsSync(join(root, linked))) {
    return `links to ${target}: ${linked} does not exist`;
  }
  if (anchor === undefined || !linked.endsWith(".md")) {
    return undefined;
  }
  const anchors = anchorsOf(readFileSync(join(root, linked), "utf8"));
  return anchors.has(anchor) ? undefined : `links to ${target}: ${linked} has no such heading`;
}

/** The anchors that GitHub makes of the headings. */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  const plain = text.replaceAll(/^( *)(```|~~~)[\s\S]*?^\1\2/gm, "");
  for (const [, heading = ""] of plain.matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const slug = heading
      .toLowerCase()
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(/\s/g, "-");
    let anchor = slug;
    for (let n = 1; anchors.has(anchor); n++) {
      anchor = `${slug}-${n}`;
    }
    anchors.add(anchor);
  }
  return anchors;
}

function checkVersions(root: string, manifest: Manifest): string[] {
  const file = join(root, ".nvmrc");
  const wanted = existsSync(file) ? readFileSync(file, "utf8").trim() : "";
  const pinned = manifest.devDependencies?.["node"];
  const range = manifest.engines?.node ?? "";
  const offences: string[] = [];
  if (wanted !== pinned) {
    offences.push(
      `.nvmrc:1 says "${wanted}": devDependencies.node in package.json says "${pinned}"`,
    );
  }
  if (!range.startsWith(">=") || compareVersions(wanted, range.slice(2)) < 0) {
    offences.push(`.nvmrc:1 says "${wanted}": engines.node in package.json says "${range}"`);
  }
  return offences;
}

function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split(".").map(Number));
  const difference = [0, 1, 2].map((i) => (left?.[i] ?? 0) - (right?.[i] ?? 0));
  return difference.find((part) => part !== 0) ?? 0;
}

if (import.meta.main) {
  const offences = checkDocs(process.argv[2] ?? join(import.meta.dirname, ".."));
  for (const offence of offences) {
    console.log(offence);
  }
  process.exitCode = offences.length > 0 ? 1 : 0;
}
