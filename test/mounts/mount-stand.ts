// The least of a container that has parts of a volume mounted: a process with a mount namespace and a root of its own, in which
// other programs can be run. Everything is below one directory, and goes with it.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type TempDir, tempDir } from "../../src/base/testing/temp-dir.ts";
import { readMountInfo } from "../../src/mounts/mount-info.ts";
import type { MountNote } from "../../src/mounts/mount-record.ts";
import { identify, isAlive, type ProcessIdentity } from "../../src/mounts/process-calls.ts";
import type { MountToReplace, ReplaceRequest } from "../../src/mounts/replace-mounts.ts";
import { bindFd, openNoLinks } from "../../src/mounts/safe-path.ts";
import { MNT_DETACH, umount2 } from "../../src/mounts/system-calls.ts";

/** Inside. */
export const PLACES = "/etc/app";

export interface StandOptions {
  /** Sub paths of the first version that are mounted, by their name at PLACES. */
  readonly mounts: Readonly<Record<string, string>>;
  readonly first: Files;
}

export interface OwnMount extends Disposable {
  readonly path: string;
  /** How many are there, one above the other. */
  readonly count: number;
}

export type Files = Readonly<Record<string, string>>;

export class MountStand implements AsyncDisposable {
  readonly #dir: TempDir;
  readonly #process: ChildProcess;
  readonly #mounts: Readonly<Record<string, string>>;
  readonly #atStart: ReadonlyMap<string, MountNote>;
  readonly process: ProcessIdentity;
  #version: number;

  private constructor(of: {
    dir: TempDir;
    process: ChildProcess;
    identity: ProcessIdentity;
    mounts: StandOptions["mounts"];
  }) {
    this.#dir = of.dir;
    this.#process = of.process;
    this.#mounts = of.mounts;
    this.process = of.identity;
    this.#version = 1;
    this.#atStart = new Map(
      Object.keys(of.mounts).map((name) => [name, this.#noteOf(`${PLACES}/${name}`)]),
    );
  }

  static async start({ mounts, first }: StandOptions): Promise<MountStand> {
    const dir = tempDir();
    const root = dir.join("root");
    for (const name of ["etc/app", "proc", "old", "tmp"]) {
      mkdirSync(join(root, name), { recursive: true });
    }
    mkdirSync(dir.join("volume"));
    mkdirSync(dir.join("empty"));
    writeVersion(dir.join("volume"), 1, first);
    const commands = Object.entries(mounts).map(([name, subPath]) => {
      const place = join(root, PLACES, name);
      const from = dir.join("volume", "..data", subPath);
      const make = `if [ -d '${from}' ]; then mkdir '${place}'; else echo hidden > '${place}'; fi`;
      return `${make}; mount --bind '${from}' '${place}'; mount -o remount,bind,ro '${place}'`;
    });
    const script = [
      "set -e",
      `mount --rbind '${root}' '${root}'`,
      // The machine's programs, for whoever looks from inside.
      `for d in bin lib lib64 usr sbin; do if [ -d /$d ]; then mkdir -p '${root}'/$d; mount --rbind /$d '${root}'/$d; fi; done`,
      `mount -t proc proc '${root}/proc'`,
      ...commands,
      `cd '${root}'; pivot_root . old; umount -l /old`,
      "echo ready; exec sleep infinity",
    ].join("\n");
    const child = spawn(
      "unshare",
      [
        "--mount",
        "--pid",
        "--fork",
        "--kill-child",
        "--propagation",
        "private",
        "sh",
        "-c",
        script,
      ],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    try {
      while (!output.includes("ready")) {
        if (child.exitCode !== null) throw new Error("the stand did not start");
        await sleep(5);
      }
      const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8");
      const identity = identify(Number(children.trim().split(" ")[0]));
      if (identity === undefined) throw new Error("the stand did not stay");
      return new MountStand({ dir, process: child, identity, mounts });
    } catch (err) {
      child.kill("SIGKILL");
      dir[Symbol.dispose]();
      throw err;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
    this.#dir[Symbol.dispose]();
  }

  /** Its process ends; its files stay. */
  async end(): Promise<void> {
    this.#process.kill("SIGKILL");
    while (isAlive(this.process)) await sleep(5);
  }

  get directory(): string {
    return this.#dir.path;
  }

  get volume(): string {
    return this.#dir.join("volume");
  }

  get record(): string {
    return this.#dir.join("record.json");
  }

  /** What our agent would ask for. */
  get request(): ReplaceRequest {
    const mounts = Object.entries(this.#mounts).map(
      ([name, path]): MountToReplace => ({
        name,
        source: { root: this.volume, path },
        version: `v${this.#version}`,
        atStart: this.#atStart.get(name),
        ownPlace: this.#dir.join("own", name),
      }),
    );
    return { process: this.process, record: this.record, empty: this.#dir.join("empty"), mounts };
  }

  /** The next version is shown by the volume; the one before is removed, unless it is kept. */
  swap(files: Files, { keepsOld = false }: { readonly keepsOld?: boolean } = {}): void {
    const old = this.#version++;
    writeVersion(this.volume, this.#version, files);
    if (!keepsOld) rmSync(versionPath(this.volume, old), { recursive: true });
  }

  /** Runs a program inside. */
  inside(...argv: readonly string[]): string {
    const { pid } = this.process;
    return execFileSync(
      "nsenter",
      ["-t", String(pid), "-m", "-p", "--root", "--wd", "--", ...argv],
      {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
  }

  shows(name: string): string {
    return this.inside("cat", `${PLACES}/${name}`);
  }

  get mountTable(): readonly string[] {
    return readFileSync(`/proc/${this.process.pid}/mountinfo`, "utf8").trim().split("\n");
  }

  mountsAt(path: string): number {
    return this.mountTable.filter((line) => line.split(" ")[4] === path).length;
  }

  /** As our agent has the same mounted in its own namespace. */
  mountOwn(name: string): OwnMount {
    const path = this.#dir.join("own", name);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, "");
    using source = openNoLinks(join(versionPath(this.volume, this.#version), name));
    bindFd(source, path, { isReadOnly: false });
    const mounts = (): readonly unknown[] => readMountInfo().filter((mount) => mount.path === path);
    return {
      path,
      get count() {
        return mounts().length;
      },
      [Symbol.dispose]: () => {
        for (const _ of mounts()) umount2(path, MNT_DETACH);
      },
    };
  }

  /** As if what is seen there now had been put there by somebody who was killed then. */
  noteNext(name: string): void {
    const { shown, version } = this.#noteOf(`${PLACES}/${name}`);
    const note = { ...this.#atStart.get(name), next: { mark: shown, version } };
    appendFileSync(
      this.record,
      `${JSON.stringify({ [name]: note })}
`,
    );
  }

  /** Of what is seen. */
  #noteOf(path: string): MountNote {
    const line = this.mountTable.findLast((one) => one.split(" ")[4] === path) ?? "";
    const [device, inode, sort] = this.inside("stat", "-c", "%d %i %F", path).trim().split(" ");
    const shown = {
      id: Number(line.split(" ")[0]),
      file: { inode: `${device}:${inode}`, isDirectory: sort === "directory" },
    };
    return { shown, version: "v1" };
  }
}

function versionPath(volume: string, version: number): string {
  return join(volume, `..2026_01_01_00_00_00.${version}`);
}

function writeVersion(volume: string, version: number, files: Files): void {
  const directory = versionPath(volume, version);
  mkdirSync(directory);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(directory, name, ".."), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
  symlinkSync(`..2026_01_01_00_00_00.${version}`, join(volume, "..data_tmp"));
  renameSync(join(volume, "..data_tmp"), join(volume, "..data"));
  for (const name of new Set(Object.keys(files).map((path) => path.split("/")[0] ?? ""))) {
    rmSync(join(volume, name), { force: true });
    symlinkSync(`..data/${name}`, join(volume, name));
  }
}
