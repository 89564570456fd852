// Starts a program in a container that runs. Between the runtime and the program there is one small process, outside of the
// container: unshare(1), which waits for the program and ends as it did. It ends with the runtime, and the program with it.

import { type ChildProcess, spawn } from "node:child_process";
import { constants, openSync, readFileSync, readlinkSync } from "node:fs";
import { constants as os } from "node:os";
import type { Clock } from "../../base/clock.ts";
import {
  identify,
  isAlive,
  type ProcessIdentity,
  signalProcess,
} from "../../mounts/process-calls.ts";
import { O_PATH, type OpenFile, openFile, pathOf } from "../../mounts/system-calls.ts";
import { ExecError, type ExecSpec } from "../runtime.ts";
import type { ContainerState } from "./container-state.ts";
import type { ExecInstructions } from "./exec-instructions.ts";
import { ExecReports, execFailure } from "./exec-reports.ts";
import { type Mark, ProcessSession, type ProgramEnd } from "./exec-session.ts";
import { openStreams, pathTo } from "./exec-streams.ts";
import { launcherCommand, launcherEnv } from "./launcher-command.ts";
import { descendantsOf, killAll } from "./marked-processes.ts";
import { openPidNamespace } from "./pid-namespace.ts";
import { readEnvironment } from "./shim.ts";

export interface ExecStart {
  readonly init: ProcessIdentity;
  readonly state: ContainerState;
  readonly spec: ExecSpec;
  readonly cacheDirectory: string;
  readonly clock: Clock;
}

/** A launcher that has not become the program by then hangs. */
const startTimeoutMs = 120_000;

/** Throws an ExecError, and then nothing of it is left. */
export async function startExec(start: ExecStart): Promise<ProcessSession> {
  try {
    checkArguments(start.spec);
    return await startChecked(start);
  } catch (err) {
    if (err instanceof ExecError) {
      throw err;
    }
    throw execFailure(err instanceof Error ? err.message : String(err), { cause: err });
  }
}

function checkArguments({ argv }: ExecSpec): void {
  if (argv.length === 0) {
    throw execFailure("no command specified");
  }
  if (argv.some((text) => text.includes("\0"))) {
    throw execFailure("an argument has a null character in it");
  }
}

async function startChecked(start: ExecStart): Promise<ProcessSession> {
  const { spec, state, clock } = start;
  using container = openContainer(start.init);
  using reports = new ExecReports();
  using cleanup = new DisposableStack();
  const streams = cleanup.use(openStreams(spec, container.root));
  const env = withTerm(readEnvironment(state.shim), spec);
  const launcher = spawnLauncher(start, container.pidNamespace);
  try {
    using _timeout = clock.schedule(startTimeoutMs, () => {
      reports.fail("the launcher did not start the program in time");
    });
    launcher.send({
      report: reports.path,
      streams: streams.theirs.paths,
      ...{ root: pathTo(container.root.fd), namespaces: container.namespaces },
      ...{ cgroup: state.cgroup ?? { groups: [] }, oomScoreAdjust: container.oomScoreAdjust },
      ...{ argv: spec.argv, env },
      ...{ workingDir: state.workingDir, user: state.user, security: state.security },
    });
    void launcher.exited.then(() =>
      reports.ended(() => `the launcher ended${launcher.complaints()}`),
    );
    const identity = await reports.launcher;
    streams.theirs[Symbol.dispose]();
    const mark = cleanup.use(openMark(identity));
    await reports.started;
    cleanup.move();
    return new ProcessSession({ exited: launcher.exited, streams, mark, clock });
  } catch (err) {
    await launcher.end();
    // It may have ended since it was looked at; what the launcher says then is about a namespace without its first process.
    throw isAlive(start.init) ? err : stopped();
  }
}

interface OpenContainer extends Disposable {
  readonly root: OpenFile;
  /** Undefined if it is ours. */
  readonly pidNamespace: string | undefined;
  readonly namespaces: ExecInstructions["namespaces"];
  readonly oomScoreAdjust: number;
}

/** Opened first, looked at then: what is open cannot come to mean another container. */
function openContainer(init: ProcessIdentity): OpenContainer {
  using files = new DisposableStack();
  const open = (name: string, flags: number): OpenFile =>
    files.use(openFile(openSync(`/proc/${init.pid}/${name}`, flags)));
  try {
    const [mnt, uts, ipc] = ["mnt", "uts", "ipc"].map((name) =>
      open(`ns/${name}`, constants.O_RDONLY),
    );
    const pidNamespace = openPidNamespace(init);
    const root = open("root", O_PATH);
    const oomScoreAdjust = Number(readFileSync(`/proc/${init.pid}/oom_score_adj`, "utf8"));
    if (!mnt || !uts || !ipc || !pidNamespace || !isAlive(init)) {
      throw stopped();
    }
    files.use(pidNamespace);
    const kept = files.move();
    return {
      ...{ root, oomScoreAdjust },
      pidNamespace: pidNamespace.path,
      namespaces: { mnt: pathTo(mnt.fd), uts: pathTo(uts.fd), ipc: pathTo(ipc.fd) },
      [Symbol.dispose]: () => kept.dispose(),
    };
  } catch (err) {
    throw isAlive(init) ? err : stopped();
  }
}

export function stopped(): ExecError {
  return new ExecError(
    "OCI runtime exec failed: exec failed: cannot exec in a stopped container: unknown",
  );
}

function withTerm(env: readonly string[], { hasTty }: ExecSpec): readonly string[] {
  const isNeeded = hasTty && !env.some((entry) => entry.startsWith("TERM="));
  return isNeeded ? [...env, "TERM=xterm"] : env;
}

interface Launcher {
  readonly exited: Promise<ProgramEnd>;
  send(instructions: ExecInstructions): void;
  /** What those between had to say, if there is anything. */
  complaints(): string;
  /** Settles when nothing of it is left. */
  end(): Promise<void>;
}

function spawnLauncher(
  { cacheDirectory, clock }: ExecStart,
  pidNamespace: string | undefined,
): Launcher {
  const enter =
    pidNamespace === undefined ? [] : ["nsenter", "--no-fork", `--pid=${pidNamespace}`, "--"];
  const wait = ["unshare", "--kill-child", "--"];
  const command = [...enter, ...wait, ...launcherCommand("exec-launcher")];
  const child = spawn("setpriv", ["--pdeathsig", "KILL", "--", ...command], {
    cwd: "/",
    env: launcherEnv(cacheDirectory),
    detached: true,
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  });
  const identity = child.pid === undefined ? undefined : identify(child.pid);
  let said = "";
  child.stderr?.on("data", (data: Buffer) => {
    said = (said + data.toString()).slice(0, 1000);
  });
  const exited = exitOf(child, () => said);
  const pipe = child.stdio[3];
  pipe?.on("error", () => undefined);
  return {
    exited,
    send(instructions) {
      if (pipe && "end" in pipe) {
        pipe.end(JSON.stringify(instructions), () => pipe.destroy());
      }
    },
    complaints: () => (said.trim() === "" ? "" : `: ${said.trim()}`),
    async end() {
      if (identity) {
        await killAll(() => descendantsOf(identity), clock);
        signalProcess(identity, os.signals.SIGKILL);
      }
      await exited;
    },
  };
}

function exitOf(child: ChildProcess, said: () => string): Promise<ProgramEnd> {
  const { promise, resolve } = Promise.withResolvers<ProgramEnd>();
  child.on("error", () => resolve({ exitCode: 127, signal: undefined }));
  // With all that it had to say: unshare ends as the program did, but some versions fail to do so, and complain, after SIGKILL.
  child.on("close", (code, name) => {
    const isFailure = code === 1 && said() !== "";
    const signal = isFailure ? os.signals.SIGKILL : name === null ? undefined : os.signals[name];
    resolve({ exitCode: signal === undefined ? (code ?? 0) : 128 + signal, signal });
  });
  return promise;
}

/** Kept open: as long as it is, no other namespace has its number. */
function openMark(launcher: ProcessIdentity): Mark {
  using files = new DisposableStack();
  try {
    const path = `/proc/${launcher.pid}/ns/cgroup`;
    const file = files.use(openFile(openSync(path, constants.O_RDONLY)));
    const namespace = readlinkSync(pathOf(file));
    // After the open: the number is that of the program, and of nobody who got it later.
    if (isAlive(launcher) && namespace !== readlinkSync("/proc/self/ns/cgroup")) {
      const kept = files.move();
      return { namespace, [Symbol.dispose]: () => kept.dispose() };
    }
  } catch {
    // It has ended already.
  }
  return { namespace: undefined, [Symbol.dispose]: () => undefined };
}
