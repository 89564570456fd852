// Puts together the root file system of the container image: a Node, its libraries, the program and what it needs from npm, and nothing else:
// no shell, no package manager. The Containerfile runs it in its first stage, and the tests run it to have the same files without a builder.
//   node tools/assemble-image.ts ROOT

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { stripTypes } from "./strip-types.ts";

/** Whom it runs as. Above the numbers that Debian and most others give to people and services. */
export const USER = 65_532;
/** Where it lives; also its home, so that what was compiled is found. */
export const HOME = "/opt/driftless";

interface LockedPackage {
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly optional?: boolean;
  readonly extraneous?: boolean;
  readonly link?: boolean;
}

interface AssembleOptions {
  /** A checkout with its packages installed. */
  readonly checkout: string;
  /** Made if missing. */
  readonly root: string;
  /** The Node that runs it. */
  readonly node: string;
}

/** What is loaded once, so that it is compiled in the image already: the commands that run in pods. */
const WARMED = ["sidecar", "run", "controllers", "audit"];
const NOT_RUN =
  /\.(map|md|d\.ts|d\.mts|d\.cts|flow|markdown)$|\/(test|tests|docs|\.github|musl_\w+)(\/|$)/;
/** Types alone. */
const NO_CODE = /^node_modules\/@types\//;

/** Needs root, for the owners of files and to compile as somebody else. */
export function assembleImage({ checkout, root, node }: AssembleOptions): void {
  const home = join(root, HOME);
  mkdirSync(join(home, "bin"), { recursive: true });
  for (const file of ["package.json", "LICENSE"])
    copyFileSync(join(checkout, file), join(home, file));
  stripTypes(join(checkout, "src"), join(home, "src"));
  for (const path of productionPackages(checkout)) copyPackage(path, { checkout, home });
  const program = join(home, "bin", "node");
  copyFileSync(realpathSync(node), program);
  chmodSync(program, 0o755);
  writeFileSync(
    join(home, "bin", "driftless"),
    `#!${HOME}/bin/node\nimport "../src/cmd/driftless.js";\n`,
    { mode: 0o755 },
  );
  for (const library of librariesOf(program)) addLibrary(root, library);
  addSystemFiles(root);
  ownAll(root);
  compileAhead(root);
}

/** Paths of packages, relative to the checkout, as the lock file has them. Throws if one that is needed is not installed. */
function productionPackages(checkout: string): readonly string[] {
  const text = readFileSync(join(checkout, "package-lock.json"), "utf8");
  const { packages } = JSON.parse(text) as { packages: Record<string, LockedPackage> };
  const needed = Object.entries(packages).filter(
    ([path, { dev, devOptional, extraneous, link }]) =>
      path.startsWith("node_modules/") &&
      !NO_CODE.test(path) &&
      !(dev || devOptional || extraneous || link),
  );
  return needed
    .filter(([path, { optional = false }]) => {
      const isThere = existsSync(join(checkout, path));
      if (!isThere && !optional) throw new Error(`Cannot make an image: ${path} is not installed`);
      return isThere;
    })
    .map(([path]) => path);
}

function copyPackage(
  path: string,
  { checkout, home }: { readonly checkout: string; readonly home: string },
): void {
  const from = join(checkout, path);
  cpSync(from, join(home, path), {
    recursive: true,
    // What is below it is listed by itself.
    filter: (file) => {
      const inside = file.slice(from.length);
      return !/\/node_modules(\/|$)/.test(inside) && !NOT_RUN.test(inside);
    },
  });
}

/** As the dynamic linker finds them here, itself among them. */
function librariesOf(program: string): ReadonlySet<string> {
  const text = execFileSync("ldd", [program], { encoding: "utf8" });
  const missing = /^\s*(\S+) => not found/m.exec(text);
  if (missing) throw new Error(`Cannot make an image: there is no ${missing[1]} here`);
  return new Set([...text.matchAll(/(\/\S+) \(0x/g)].map(([, path = ""]) => path));
}

/** With what the package says about itself, where scanners look for it in images without a package manager. */
function addLibrary(root: string, path: string): void {
  const to = join(root, path);
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(realpathSync(path), to);
  chmodSync(to, 0o755);
  const name = packageOf(path);
  if (name === undefined) return;
  const records = join(root, "var/lib/dpkg/status.d");
  mkdirSync(records, { recursive: true });
  const record = execFileSync("dpkg-query", ["-s", name], { encoding: "utf8" });
  writeFileSync(join(records, basename(name.replace(/:.*/, ""))), record);
}

/** Undefined if this is no Debian, or nobody's file. */
function packageOf(path: string): string | undefined {
  for (const one of [path, realpathSync(path), path.replace(/^\/usr(?=\/)/, ""), `/usr${path}`]) {
    try {
      const text = execFileSync("dpkg-query", ["-S", one], { encoding: "utf8", stdio: "pipe" });
      return /^(\S+): /.exec(text)?.[1];
    } catch {
      // Known by another of its paths, or by none.
    }
  }
  return undefined;
}

function addSystemFiles(root: string): void {
  const files = {
    "etc/passwd": `root:x:0:0::/root:/\ndriftless:x:${USER}:${USER}::${HOME}:/\n`,
    "etc/group": `root:x:0:\ndriftless:x:${USER}:\n`,
    "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
    "etc/os-release": existsSync("/etc/os-release") ? readFileSync("/etc/os-release") : "",
  };
  mkdirSync(join(root, "etc"), { recursive: true });
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text);
  mkdirSync(join(root, "tmp"), { recursive: true });
  chmodSync(join(root, "tmp"), 0o1777);
}

/** Root's, and nobody else's to change; everybody's to read. */
function ownAll(root: string): void {
  for (const path of ["", ...globSync("**/*", { cwd: root })]) {
    const file = join(root, path);
    chownSync(file, 0, 0);
    const { mode } = statSync(file);
    if (path !== "tmp") chmodSync(file, (mode | 0o444 | (mode & 0o100 ? 0o111 : 0)) & 0o1755);
  }
}

/** Starts each command once, as it will be started, and keeps what Node has made of the sources: the root file system is read-only later. */
function compileAhead(root: string): void {
  const cache = join(root, HOME, ".cache");
  mkdirSync(cache);
  chownSync(cache, USER, USER);
  for (const command of WARMED) {
    const argv = [root, join(HOME, "bin", "driftless"), command, "--help"];
    execFileSync("/usr/sbin/chroot", [`--userspec=${USER}:${USER}`, ...argv], {
      env: { HOME, PATH: join(HOME, "bin") },
    });
  }
  ownAll(cache);
}

if (import.meta.main) {
  const [root] = process.argv.slice(2);
  if (root === undefined)
    throw new Error("Cannot make an image: say where, as in assemble-image.ts ROOT");
  assembleImage({ checkout: dirname(import.meta.dirname), root, node: process.execPath });
}
