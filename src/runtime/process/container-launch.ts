// The way of a new container from its files to its running program: the shim, its log, its state on disk, its instructions.

import { readFileSync } from "node:fs";
import type { Clock } from "../../base/clock.ts";
import { isAlive } from "../../mounts/process-calls.ts";
import type { CgroupPlace } from "../cgroups/cgroup-place.ts";
import type { LogKeeper } from "../logs/log-keeper.ts";
import { type ContainerSpec, type ContainerStatus, StartError } from "../runtime.ts";
import type { ContainerFiles } from "./container-files.ts";
import { type ContainerState, readFailure, readInit, writeState } from "./container-state.ts";
import { type HeldPipe, watchPipe } from "./held-pipe.ts";
import { type LaunchInstructions, terminalFd } from "./launch-instructions.ts";
import { descendantsOf, killAll } from "./marked-processes.ts";
import { newState } from "./new-container.ts";
import type { SandboxPaths } from "./sandboxes.ts";
import { type Shim, type ShimOptions, startShim } from "./shim.ts";

export interface LaunchParts {
  readonly logKeeper: Pick<LogKeeper, "follow" | "takeTerminal">;
  readonly clock: Clock;
  readonly cacheDirectory: string;
  /** Directories of the machine that no container may see. */
  readonly hidden: readonly string[];
}

export interface ContainerToLaunch {
  readonly id: string;
  readonly files: ContainerFiles;
  readonly spec: ContainerSpec;
  readonly cgroup: CgroupPlace;
  readonly sandbox: SandboxPaths;
  readonly pidNamespace: ShimOptions["pidNamespace"];
}

export interface LaunchedContainer {
  readonly state: ContainerState;
  /** Released when it has ended. */
  readonly alive: HeldPipe;
}

/** A launcher that has not become the program by then hangs. */
const startTimeoutMs = 120_000;

/** Settles when the program runs. Throws, and then no process of it is left. */
export async function launchContainer(
  parts: LaunchParts,
  container: ContainerToLaunch,
): Promise<LaunchedContainer> {
  const { files, spec, pidNamespace } = container;
  using starting = watchPipe(files.starting, { isHeldBefore: false });
  using cleanup = new DisposableStack();
  const alive = cleanup.use(watchPipe(files.alive, { isHeldBefore: false }));
  const shim = startShim({
    ...{ files, pidNamespace, env: environmentOf(spec) },
    title: `driftless ${spec.podNamespace}/${spec.podName}/${spec.name}`,
    cacheDirectory: parts.cacheDirectory,
  });
  try {
    const started = Promise.race([starting.released, shim.exited]);
    const state = await instruct(parts, { container, shim, started });
    const failure = readFailure(files);
    if (failure !== "") {
      throw new StartError(`${failure}${complaints(files)}`);
    }
    cleanup.move();
    return { state, alive };
  } catch (err) {
    // It has nothing to do any more, and ends, or is made to; only then nothing of it is left.
    shim.cancel();
    await killAll(() => descendantsOf(shim.identity), parts.clock);
    await shim.exited;
    throw err;
  }
}

interface Launch {
  readonly container: ContainerToLaunch;
  readonly shim: Shim;
  /** Also if it has failed. */
  readonly started: Promise<void>;
}

async function instruct(parts: LaunchParts, launch: Launch): Promise<ContainerState> {
  const { logKeeper, clock } = parts;
  const { container, shim, started } = launch;
  const { id, files, spec, cgroup } = container;
  // While the launcher loads. It does nothing before its instructions are there.
  await logKeeper.follow(outputOf(files, { id, ...spec }));
  const startedAtMs = clock.now();
  const state = newState({ id, spec, cgroup, shim: shim.identity, startedAtMs });
  writeState(files, state);
  shim.send(instructionsFor(container, parts));
  if (spec.hasTty) {
    await inTime(Promise.race([shim.terminalMade, started]), clock);
    const init = readInit(files);
    // Without one it has ended, and says why.
    if (init && isAlive(init) && readFailure(files) !== "") {
      await logKeeper.takeTerminal(id, { process: init, fd: terminalFd });
    }
    shim.goOn();
  }
  await inTime(started, clock);
  return state;
}

/** Rejects if the launcher hangs. */
async function inTime(started: Promise<void>, clock: Clock): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  using _timer = clock.schedule(startTimeoutMs, () => {
    reject(new StartError("the launcher did not start the program in time"));
  });
  await Promise.race([started, promise]);
}

function instructionsFor(
  { files, spec, cgroup, sandbox }: ContainerToLaunch,
  { hidden }: LaunchParts,
): LaunchInstructions {
  return {
    directory: files.layers,
    sandbox,
    layers: spec.image.layers,
    isHostRoot: spec.image.id === "host",
    isRootReadOnly: spec.isRootReadOnly,
    security: spec.security,
    cgroup,
    oomScoreAdjust: spec.resources.oomScoreAdjust,
    hidden,
    mounts: spec.mounts,
    argv: spec.argv,
    env: environmentOf(spec),
    workingDir: spec.workingDir === "" ? "/" : spec.workingDir,
    user: spec.user,
    stdinFifo: spec.stdin === "none" ? undefined : files.stdin,
    hasTty: spec.hasTty,
  };
}

/** For the log keeper. */
export function outputOf(
  files: ContainerFiles,
  { id, logPath, stdin }: Pick<ContainerStatus, "id" | "logPath" | "stdin">,
): Parameters<LogKeeper["follow"]>[0] {
  return {
    ...{ id, stdoutFifo: files.stdout, stderrFifo: files.stderr, logPath },
    stdin: stdin === "none" ? undefined : { fifo: files.stdin, isOnce: stdin === "once" },
  };
}

function environmentOf({ env }: ContainerSpec): readonly string[] {
  return env.map(([name, value]) => `${name}=${value}`);
}

/** What unshare or the shell said, if there is anything. */
function complaints(files: ContainerFiles): string {
  try {
    const text = readFileSync(files.shimErrors, "utf8").trim();
    return text === "" ? "" : ` (${text})`;
  } catch {
    return "";
  }
}
