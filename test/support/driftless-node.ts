// A real node agent as a child process, joined to a real server, with a data directory of its own. When it is disposed
// everything of it goes, also what a test that failed has left running: containers, mounts, files.

import {
  type ChildProcess,
  type ChildProcessByStdio,
  execFileSync,
  spawn,
} from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  existsSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { Pod } from "../../src/api/types.ts";
import { removeCgroupsOf } from "./agent-cgroups.ts";
import type { DriftlessServer } from "./driftless-server.ts";

const program = new URL("../../src/cmd/driftless.ts", import.meta.url).pathname;

export interface NodeOptions {
  /** Where it joins: the server itself, or a way to it. */
  readonly server?: Pick<DriftlessServer, "url" | "dataDir">;
  readonly name?: string;
  /** Kept by the caller if given; otherwise made and removed. */
  readonly dataDir?: string;
  readonly flags?: readonly string[];
  /** Whom it runs as, if not as root. */
  readonly uid?: number;
}

export class DriftlessNode implements AsyncDisposable {
  readonly name: string;
  readonly dataDir: string;
  readonly #options: NodeOptions;
  #process: ChildProcess | undefined;
  #log = "";

  private constructor(options: NodeOptions, dataDir: string) {
    this.#options = options;
    this.name = options.name ?? "node-1";
    this.dataDir = dataDir;
  }

  static async start(options: NodeOptions): Promise<DriftlessNode> {
    const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), "driftless-node-"));
    if (options.uid !== undefined) chownSync(dataDir, options.uid, options.uid);
    const node = new DriftlessNode(options, dataDir);
    try {
      await node.#run(options.server === undefined ? [] : joinFlags(options.server));
    } catch (err) {
      await node[Symbol.asyncDispose]();
      throw err;
    }
    return node;
  }

  /** Once more, on the same directory, after it was stopped or killed. */
  async restart(): Promise<void> {
    await this.#run([]);
  }

  get pid(): number {
    const { pid } = this.#process ?? {};
    if (pid === undefined) throw new Error("the node does not run");
    return pid;
  }

  get isRunning(): boolean {
    return (
      this.#process !== undefined &&
      this.#process.exitCode === null &&
      this.#process.signalCode === null
    );
  }

  /** The end of what it wrote to its log. */
  get log(): string {
    return this.#log;
  }

  async #run(flags: readonly string[]): Promise<void> {
    const own = ["--data-dir", this.dataDir, "--node-name", this.name];
    const child = this.#spawn([...own, ...flags, ...(this.#options.flags ?? [])]);
    this.#process = child;
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#log = (this.#log + text).slice(-1_000_000);
    });
    await new Promise<void>((resolve, reject) => {
      let output = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        output += text;
        if (/ready/.test(output)) resolve();
      });
      // Not its exit: by then not all that it wrote has been read.
      child.once("close", (code, signal) => {
        reject(
          new Error(`the node ended with ${code ?? signal} before it was ready: ${this.#log}`),
        );
      });
    });
  }

  #spawn(flags: readonly string[]): ChildProcessByStdio<null, Readable, Readable> {
    const argv = [process.execPath, program, "node", ...flags];
    const { uid } = this.#options;
    const as = ["setpriv", "--reuid", String(uid), "--regid", String(uid), "--clear-groups", "--"];
    const [command = "", ...args] = uid === undefined ? argv : [...as, ...argv];
    const env = uid === undefined ? process.env : { ...process.env, HOME: this.dataDir };
    return spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], env });
  }

  /** `driftless node --drain`; what it printed. */
  async drain(): Promise<string> {
    const child = this.#spawn(["--data-dir", this.dataDir, "--drain"]);
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    }
    const [code] = (await once(child, "close")) as [number | null];
    if (code !== 0) throw new Error(`--drain ended with ${code}: ${output}`);
    return output;
  }

  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  async stop(): Promise<void> {
    await this.#end("SIGTERM");
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    if (child === undefined || !this.isRunning) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  }

  /** The first process of a container that runs, as the host numbers it. */
  containerPid(pod: Pod, container?: string): number {
    const { containerStatuses, initContainerStatuses, ephemeralContainerStatuses } =
      pod.status ?? {};
    const lists = [containerStatuses, initContainerStatuses, ephemeralContainerStatuses];
    const statuses = lists.flatMap((list) => list ?? []);
    const status = statuses.find(({ name }) => container === undefined || name === container);
    const id = status?.containerID?.replace(/^driftless:\/\//, "");
    if (id === undefined) throw new Error(`the pod ${pod.metadata.name} has no container yet`);
    const file = join(this.dataDir, "containers", id, "init.json");
    const { pid } = JSON.parse(readFileSync(file, "utf8")) as { readonly pid: number };
    return pid;
  }

  /** Runs a command where a container lives. */
  inContainer(pod: Pod, argv: readonly string[], container?: string): string {
    const pid = this.containerPid(pod, container);
    return execFileSync("nsenter", ["-t", String(pid), "-m", "-p", "--root", "--", ...argv], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  /** The volume's directory on this machine. */
  volumePath(pod: Pod, plugin: string, volume: string): string {
    return join(
      this.dataDir,
      "pods",
      pod.metadata.uid ?? "",
      "volumes",
      `kubernetes.io~${plugin}`,
      volume,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end("SIGKILL");
    killBelow(this.dataDir);
    await removeCgroupsOf(this.dataDir);
    unmountBelow(this.dataDir);
    if (this.#options.dataDir === undefined) rmSync(this.dataDir, { recursive: true, force: true });
  }
}

/** As whoever runs the command that `driftless token create` prints. */
function joinFlags(server: Pick<DriftlessServer, "url" | "dataDir">): readonly string[] {
  const text = execFileSync(
    process.execPath,
    [program, "token", "create", "--data-dir", server.dataDir, "-o", "json"],
    { encoding: "utf8" },
  );
  const { token, caHash } = JSON.parse(text) as { token: string; caHash: string };
  return ["--server", server.url, "--token", token, "--ca-hash", caHash];
}

/**
 * Every process whose command line names a directory, or that lives on files of it elsewhere than there: a container. And those that
 * keep the processes of a pod together, which have nothing of it.
 */
export function processesBelow(directory: string): readonly number[] {
  const keepers = keepersBelow(directory);
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(Number)
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
        if (keepers.includes(pid) && command.startsWith("sleep")) return true;
        if (command.includes(directory)) return true;
        return readFileSync(`/proc/${pid}/mountinfo`, "utf8")
          .split("\n")
          .some((line) => line.includes(directory) && !isMountedAt(directory, line));
      } catch {
        return false; // It ended meanwhile.
      }
    });
}

function keepersBelow(directory: string): readonly number[] {
  const files = globSync("sandboxes/*/process-keeper.json", { cwd: directory });
  return files.map((file) => {
    const text = readFileSync(join(directory, file), "utf8");
    return (JSON.parse(text) as { readonly keeper: { readonly pid: number } }).keeper.pid;
  });
}

/** Everybody else on the machine sees these too, containers of other nodes among them. */
function isMountBelow(directory: string, line: string): boolean {
  const path = line.split(" ")[4] ?? "";
  return path === directory || path.startsWith(`${directory}/`);
}

/** Or below a copy of it: who starts a container of another node has one in the root that it puts together. */
function isMountedAt(directory: string, line: string): boolean {
  return (line.split(" ")[4] ?? "").includes(directory);
}

function killBelow(directory: string): void {
  for (const pid of processesBelow(directory)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It ended meanwhile.
    }
  }
}

export function mountsBelow(directory: string): readonly string[] {
  return readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .filter((line) => isMountBelow(directory, line))
    .map((line) => line.split(" ")[4] ?? "");
}

function unmountBelow(directory: string): void {
  if (!existsSync(directory)) return;
  for (const path of mountsBelow(directory).toReversed()) execFileSync("umount", ["--lazy", path]);
}
