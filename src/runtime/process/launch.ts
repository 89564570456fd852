// From a process in new namespaces to the container's program. The order matters:
//
//  (0) Get a mount namespace of its own, which is this thread's only: no other thread of Node does anything any more.
//  (1) Join the pod's IPC and UTS namespaces: /dev/mqueue belongs to the former.
//  (2) Take the sources of all mounts as trees, as long as the machine's mounts still pass on what is mounted on them.
//  (3) Cut this mount namespace off from the machine's. Nothing that is mounted from here on may be seen there.
//  (4) Put the root together: layers, then the kernel's file systems, then hide what no container may see.
//  (5) The container's own mounts, after (4): they may lie on it, it may not cover them.
//  (6) Mask parts of /proc and /sys, after (5): no mount may uncover them.
//  (7) Make the root read-only, after all places for mounts were made in it.
//  (8) Change the root and let go of the old one. From here on no path leads to the machine.
//  (9) Working directory, as root: it may be made. Again as the user if root is not allowed in, on a network disk.
// (10) Groups, then group, then user: each needs the right that the next one takes away. Then, if asked to, give up ever getting any back.
// (11) Find the program, as the user, in the container.
// (12) Signals, limits, umask and descriptors as a program expects them; they are Node's until now.
// (13) execve.

import { constants, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { isErrno } from "../../base/errors.ts";
import {
  closeOnExecFrom,
  dup2,
  execve,
  limitOpenFiles,
  refuseNewPrivileges,
  resetSignals,
  setgroups,
  sethostname,
  setresgid,
  setresuid,
  umask,
} from "../../mounts/process-calls.ts";
import { openBeneath, openNoLinks } from "../../mounts/safe-path.ts";
import {
  CLONE_NEWIPC,
  CLONE_NEWNS,
  CLONE_NEWUTS,
  chdir,
  MOUNT_ATTR_RDONLY,
  MS_PRIVATE,
  MS_REC,
  mount,
  mountSetattr,
  type OpenFile,
  pivotInto,
  setns,
  unshare,
} from "../../mounts/system-calls.ts";
import type { ContainerMount, ContainerUser } from "../runtime.ts";
import { attachMount, prepareMounts } from "./container-mounts.ts";
import { findProgram } from "./find-program.ts";
import { mountHostRoot } from "./host-root.ts";
import { hide, ifThere, maskKernelFiles, mountKernelFiles } from "./kernel-files.ts";
import { LaunchError, reasonOf, step } from "./launch-error.ts";
import { type LaunchInstructions, stderrFd, stdoutFd } from "./launch-instructions.ts";
import { RootLayers } from "./root-layers.ts";

// What systemd gives: programs that need more raise it themselves, old ones that use select() break with more.
const openFilesLimit = 1024;

export interface LaunchHooks {
  /** Right before execve. */
  readonly aboutToStart: () => void;
}

/** Returns never. Throws a LaunchError if the program was not started. */
export function launch(instructions: LaunchInstructions, { aboutToStart }: LaunchHooks): never {
  const { argv, env, user, workingDir } = instructions;
  umask(0);
  step("error making a mount namespace", () => unshare(CLONE_NEWNS)); // (0)
  joinSandbox(instructions.sandbox); // (1)
  const mounts = prepareMounts(withOwnFiles(instructions)); // (2)
  mount({ source: null, target: "/", type: null, flags: MS_REC | MS_PRIVATE }); // (3)
  const root = step("error preparing rootfs", () => buildRoot(instructions)); // (4)
  // Before (5): a volume over /dev may have anything by this name, such as a pipe for whose writer this would wait for ever.
  const stdin = openBeneath(root, "/dev/null", { links: "in-root", flags: constants.O_RDONLY });
  for (const prepared of mounts) {
    attachMount(root, prepared); // (5)
  }
  step("error masking paths of the kernel", () => maskKernelFiles(root)); // (6)
  if (instructions.isRootReadOnly) {
    step("error making the rootfs read-only", () =>
      mountSetattr(root, { set: MOUNT_ATTR_RDONLY, isRecursive: false }),
    ); // (7)
  }
  step("error changing into the rootfs", () => pivotInto(root)); // (8)
  const isIn = enter(workingDir, { mayBeDenied: true }); // (9)
  become(user); // (10)
  if (!isIn) {
    enter(workingDir, { mayBeDenied: false });
  }
  if (instructions.isWithoutNewPrivileges) {
    step("error giving up new privileges", refuseNewPrivileges);
  }
  const path = findProgram(argv[0] ?? "", searchPathOf(env)); // (11)
  step("error preparing the process", () => prepareProcess(stdin)); // (12)
  aboutToStart();
  return step(`exec ${path}`, () => execve({ path, argv, env })); // (13)
}

function joinSandbox({ ipc, uts, hostnameFile }: LaunchInstructions["sandbox"]): void {
  step("error joining the pod's namespaces", () => {
    const O_RDONLY = 0;
    using ipcFile = openNoLinks(ipc, O_RDONLY);
    setns(ipcFile, CLONE_NEWIPC);
    using utsFile = openNoLinks(uts, O_RDONLY);
    setns(utsFile, CLONE_NEWUTS);
    sethostname(readFileSync(hostnameFile, "utf8").trim());
  });
}

/** What each container finds in /etc unless it mounts something there itself: the pod's name, and the way to the network of the machine. */
function withOwnFiles(instructions: LaunchInstructions): readonly ContainerMount[] {
  const { isHostRoot, mounts, sandbox } = instructions;
  const own = [{ containerPath: "/etc/hostname", hostPath: sandbox.hostnameFile }];
  const resolvConf = realPath("/etc/resolv.conf");
  if (!isHostRoot && resolvConf !== undefined) {
    own.push({ containerPath: "/etc/resolv.conf", hostPath: resolvConf });
  }
  const asked = new Set(mounts.map(({ containerPath }) => containerPath));
  const missing = own.filter(({ containerPath }) => !asked.has(containerPath));
  return [
    ...mounts,
    ...missing.map((file) => ({ ...file, isReadOnly: true, propagation: "None" as const })),
  ];
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch (err) {
    if (isErrno(err, "ENOENT")) {
      return undefined;
    }
    throw err;
  }
}

function buildRoot(instructions: LaunchInstructions): OpenFile {
  const { directory, layers: lower, isHostRoot, sandbox } = instructions;
  const hidden = instructions.hidden.map(realPath).filter((path) => path !== undefined);
  const layers = new RootLayers(directory);
  const place = join(directory, "root");
  mkdirSync(place, { recursive: true });
  const root = isHostRoot
    ? mountHostRoot({ layers, place, hidden })
    : mountImage(layers, lower, place);
  mountKernelFiles(root, sandbox.shm);
  if (isHostRoot) {
    for (const path of hidden) {
      ifThere(root, path, (file) => hide(root, file));
    }
  }
  return root;
}

function mountImage(layers: RootLayers, lower: readonly string[], place: string): OpenFile {
  using at = openNoLinks(place);
  layers.overlay(lower, at);
  return openNoLinks(place);
}

/** Makes it if it is missing, as other runtimes do. Returns false if it may not be entered. */
function enter(workingDir: string, { mayBeDenied }: { readonly mayBeDenied: boolean }): boolean {
  try {
    mkdirSync(workingDir, { recursive: true, mode: 0o755 });
    chdir(workingDir);
    return true;
  } catch (err) {
    if (mayBeDenied && isErrno(err, "EACCES")) {
      return false;
    }
    throw new LaunchError(`chdir to cwd ("${workingDir}") failed: ${reasonOf(err)}`, {
      cause: err,
    });
  }
}

function become({ uid, gid, supplementalGroups }: ContainerUser): void {
  try {
    setgroups(supplementalGroups);
  } catch (err) {
    // In a user namespace of one user there are no further groups, and so none to give up.
    if (supplementalGroups.length > 0 || !isErrno(err, "EPERM")) {
      throw new LaunchError(
        `cannot run with the groups ${supplementalGroups.join(", ")}: ${unmapped(err)}`,
        { cause: err },
      );
    }
  }
  try {
    setresgid(gid);
  } catch (err) {
    throw new LaunchError(`cannot run as group ${gid}: ${unmapped(err)}`, { cause: err });
  }
  try {
    setresuid(uid);
  } catch (err) {
    throw new LaunchError(`cannot run as user ${uid}: ${unmapped(err)}`, { cause: err });
  }
}

function unmapped(err: unknown): string {
  return isErrno(err, "EINVAL", "EPERM")
    ? "the agent runs in a user namespace in which it does not exist; give the namespace more ids, or run the agent as root"
    : reasonOf(err);
}

function searchPathOf(env: readonly string[]): string {
  // The last one counts, as for a shell.
  return env.findLast((entry) => entry.startsWith("PATH="))?.slice("PATH=".length) ?? "";
}

function prepareProcess(stdin: OpenFile): void {
  dup2(stdin.fd, 0);
  dup2(stdoutFd, 1);
  dup2(stderrFd, 2);
  closeOnExecFrom(3);
  limitOpenFiles(openFilesLimit);
  resetSignals();
  umask(0o022);
}
