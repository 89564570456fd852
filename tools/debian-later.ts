// Gets programs from Debian suites for tests against other versions than this machine has. Nothing is
// installed: apt works in a directory of its own, with a source derived from the machine's, and only the
// unpacked packages stay, in the user's cache.
//   node tools/debian-later.ts trixie etcd-server usr/bin/etcd --version

import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

export interface LaterBinary {
  /** The codename of a suite, such as "trixie". */
  readonly suite: string;
  readonly package: string;
  /** Further packages that are unpacked over it: libraries, too. Dependencies are not followed. */
  readonly alsoUnpack?: readonly string[];
  /** The program's path in the package, such as "usr/bin/etcd". */
  readonly binary: string;
  /**
   * Arguments with which it runs and ends at once: proves that it works with this system's libraries.
   * Left out for a file that is no program.
   */
  readonly probe?: readonly string[];
}

export type EnsuredBinary =
  | {
      readonly ok: true;
      readonly path: string;
      /** Where unpacked libraries are, for LD_LIBRARY_PATH; missing if there are none. */
      readonly libraries?: string;
    }
  | { readonly ok: false; readonly reason: string };

export interface LaterDebianSystem {
  readonly cacheDir: string;
  /** The contents of os-release. */
  readonly osRelease: string;
  /** Runs a program and returns what it printed; rejects with that when it fails. */
  run(program: string, args: readonly string[], cwd: string): Promise<string>;
}

const workPrefix = ".work-";
/** A download takes seconds; a directory of this age belongs to somebody who was killed. */
const abandonedMs = 3_600_000;
const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg";

/**
 * Downloads and unpacks what is missing, and says where the program is. Whoever comes at the same time
 * does the same work in another directory; the first one done wins. An unpacked package is never updated.
 */
export async function ensureLaterDebianBinary(
  wanted: LaterBinary,
  system: LaterDebianSystem = thisSystem,
): Promise<EnsuredBinary> {
  const home = join(system.cacheDir, `${wanted.package}-${wanted.suite}`);
  const path = join(home, wanted.binary);
  if (existsSync(path)) {
    return { ok: true, path, ...librariesIn(home) };
  }
  mkdirSync(system.cacheDir, { recursive: true });
  const work = mkdtempSync(join(system.cacheDir, workPrefix));
  try {
    removeAbandoned(system.cacheDir);
    const unpacked = await unpack(wanted, work, system);
    if (!existsSync(join(unpacked, wanted.binary))) {
      throw new Error(`the package has no ${wanted.binary}`);
    }
    if (wanted.probe) {
      const [program = "", ...args] = probeCommand(unpacked, [
        join(unpacked, wanted.binary),
        ...wanted.probe,
      ]);
      await system.run(program, args, work);
    }
    moveUnlessThere(unpacked, home);
    return { ok: true, path, ...librariesIn(home) };
  } catch (err) {
    const lastLine = (err as Error).message.trim().split("\n").at(-1);
    return {
      ok: false,
      reason: `${wanted.package} of Debian ${wanted.suite} cannot be had: ${lastLine}`,
    };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function probeCommand(unpacked: string, command: readonly string[]): readonly string[] {
  const { libraries } = librariesIn(unpacked);
  return libraries === undefined ? command : ["env", `LD_LIBRARY_PATH=${libraries}`, ...command];
}

function librariesIn(root: string): { readonly libraries?: string } {
  const parent = join(root, "usr/lib");
  if (!existsSync(parent)) return {};
  const folder = readdirSync(parent).find((name) => name.endsWith("-linux-gnu"));
  return folder === undefined ? {} : { libraries: join(parent, folder) };
}

/** Returns the directory with the packages' files. All that apt reads and writes is inside `work`. */
async function unpack(
  { suite, package: name, alsoUnpack = [] }: LaterBinary,
  work: string,
  system: LaterDebianSystem,
): Promise<string> {
  const uri = await debianUri(work, system);
  const signedBy = existsSync(keyring) ? `[signed-by=${keyring}] ` : "";
  await writeFile(join(work, "sources.list"), `deb ${signedBy}${uri} ${suite} main\n`);
  await writeFile(join(work, "status"), "");
  for (const folder of ["lists/partial", "cache/archives/partial", "state", "debs"]) {
    mkdirSync(join(work, folder), { recursive: true });
  }
  const options = Object.entries({
    "Dir::Etc::sourcelist": join(work, "sources.list"),
    "Dir::Etc::sourceparts": "/dev/null",
    "Dir::Etc::preferencesparts": "/dev/null",
    "Dir::State": join(work, "state"),
    "Dir::State::lists": join(work, "lists"),
    "Dir::State::status": join(work, "status"),
    "Dir::Cache": join(work, "cache"),
    "Acquire::Languages": "none",
    // Root's apt would drop its rights for downloads, and then could not write here.
    "APT::Sandbox::User": process.getuid?.() === 0 ? "root" : "",
  }).flatMap(([option, value]) => (value === "" ? [] : ["-o", `${option}=${value}`]));
  await system.run("apt-get", ["-qq", ...options, "update"], work);
  const names = [name, ...alsoUnpack];
  await system.run("apt-get", ["-qq", ...options, "download", ...names], join(work, "debs"));
  const unpacked = join(work, "unpacked");
  for (const deb of readdirSync(join(work, "debs"))) {
    await system.run("dpkg-deb", ["-x", join(work, "debs", deb), unpacked], work);
  }
  return unpacked;
}

/** Where this machine gets its own suite from: mirrors have the later ones beside it. */
async function debianUri(work: string, system: LaterDebianSystem): Promise<string> {
  const codename = /^VERSION_CODENAME=(.+)$/m.exec(system.osRelease)?.[1];
  const format = "$(RELEASE) $(REPO_URI)";
  const args = ["--no-release-info", "indextargets", "--format", format, "Created-By: Packages"];
  const targets = (await system.run("apt-get", args, work)).split("\n");
  const own = targets.map((line) => line.split(" ")).find(([release]) => release === codename);
  if (!/^ID=debian$/m.test(system.osRelease) || own?.[1] === undefined) {
    throw new Error("this machine has no Debian source to derive it from");
  }
  return own[1];
}

function removeAbandoned(cacheDir: string): void {
  for (const name of readdirSync(cacheDir).filter((one) => one.startsWith(workPrefix))) {
    const path = join(cacheDir, name);
    const ageMs = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (ageMs > abandonedMs) rmSync(path, { recursive: true, force: true });
  }
}

function moveUnlessThere(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  try {
    renameSync(from, to);
  } catch (err) {
    if (!existsSync(to)) {
      throw err;
    }
    // Somebody else was faster; theirs is as good.
  }
}

const thisSystem: LaterDebianSystem = {
  cacheDir: join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "driftless-test"),
  osRelease: existsSync("/etc/os-release") ? readFileSync("/etc/os-release", "utf8") : "",
  run: (program, args, cwd) =>
    new Promise((resolve, reject) => {
      execFile(program, args, { cwd }, (err, stdout, stderr) => {
        if (err) {
          reject(new Error(`${stdout}${stderr}`.trim() || err.message, { cause: err }));
        } else {
          resolve(stdout);
        }
      });
    }),
};

if (import.meta.main) {
  const [suite = "", name = "", binary = "", ...probe] = process.argv.slice(2);
  const ensured = await ensureLaterDebianBinary({ suite, package: name, binary, probe });
  console.log(ensured.ok ? ensured.path : ensured.reason);
  process.exitCode = ensured.ok ? 0 : 1;
}
