// From a process in new namespaces, of mounts and of processes, to the container's program. The order matters:
//
//  (1) Join the pod's IPC and UTS namespaces: /dev/mqueue belongs to the former.
//  (2) Take the sources of all mounts as trees, as long as the machine's mounts still pass on what is mounted on them. Open the way into
//      the container's cgroups, as long as there is one.
//  (3) Cut this mount namespace off from the machine's. Nothing that is mounted from here on may be seen there.
//  (4) Put the root together: layers, then the kernel's file systems, then hide what no container may see.
//  (5) The container's own mounts, after (4): they may lie on it, it may not cover them.
//  (6) Mask parts of /proc and /sys, after (5): no mount may uncover them.
//  (7) Make the root read-only, after all places for mounts were made in it.
//  (8) Change the root and let go of the old one. From here on no path leads to the machine.
//  (9) Working directory, as root: it may be made. Again as the user if root is not allowed in, on a network disk.
// (10) The container's cgroups, as late as the rights for it are there: what Node needed until now is not counted. Then a namespace in which
//      they are the root.
// (11) The rights of the container (become.ts), but for the last.
// (12) Find the program, as the user, in the container.
// (13) Signals, limits, umask and descriptors as a program expects them; they are Node's until now.
// (14) The last rights go; execve.

import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isErrno } from "../../base/errors.ts";
import type { MountMark } from "../../mounts/mount-mark.ts";
import { execve, sethostname, setsid, umask } from "../../mounts/process-calls.ts";
import { makeInRoot, openNoLinks } from "../../mounts/safe-path.ts";
import {
  CLONE_NEWCGROUP,
  CLONE_NEWIPC,
  CLONE_NEWUTS,
  fchdir,
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
import { takeTerminal } from "../../mounts/terminal-calls.ts";
import { openCgroups } from "../cgroups/cgroup-place.ts";
import type { ContainerMount } from "../runtime.ts";
import { become } from "./become.ts";
import { showCgroups, takeCgroups } from "./cgroup-files.ts";
import { attachMount, prepareMounts } from "./container-mounts.ts";
import { enterDirectory } from "./enter-directory.ts";
import { findProgram } from "./find-program.ts";
import { mountHostRoot } from "./host-root.ts";
import { hide, ifThere, maskKernelFiles, mountKernelFiles } from "./kernel-files.ts";
import { LaunchError, reasonOf, step } from "./launch-error.ts";
import type { LaunchInstructions } from "./launch-instructions.ts";
import { openLaunchStreams } from "./launch-streams.ts";
import { RootLayers } from "./root-layers.ts";
import { prepareProcess, searchPathOf } from "./start-program.ts";

export interface LaunchHooks {
  /** Of the container's own mounts, by path; while the machine's files can be written still. */
  readonly mounted: (marks: Readonly<Record<string, MountMark>>) => void;
  /** Right before execve. */
  readonly aboutToStart: () => void;
}

/** Returns never. Throws a LaunchError if the program was not started. */
export function launch(
  instructions: LaunchInstructions,
  { mounted, aboutToStart }: LaunchHooks,
): never {
  const { argv, env, user, security, workingDir } = instructions;
  umask(0);
  joinSandbox(instructions.sandbox); // (1)
  const mounts = prepareMounts(withOwnFiles(instructions), { hasDevices: security.isPrivileged }); // (2)
  const cgroups = step("error opening cgroups", () => openCgroups(instructions.cgroup));
  const cgroupTrees = step("error opening cgroups", () =>
    takeCgroups(instructions.cgroup, { isWritable: security.isPrivileged }),
  );
  mount({ source: null, target: "/", type: null, flags: MS_REC | MS_PRIVATE }); // (3)
  const root = step("error preparing rootfs", () => buildRoot(instructions)); // (4)
  step(`error mounting "cgroup" to rootfs at "/sys/fs/cgroup"`, () =>
    showCgroups(root, cgroupTrees),
  );
  // Before (5): a volume over /dev may have anything by this name, such as a pipe for whose writer this would wait for ever.
  const streams = step("error opening streams", () => openLaunchStreams(root, instructions));
  adjustOomScore(instructions.oomScoreAdjust);
  const marks = mounts.map(
    (prepared) => [prepared.mount.containerPath, attachMount(root, prepared)] as const, // (5)
  );
  mounted(Object.fromEntries(marks));
  if (security.isProcMasked && !security.isPrivileged) {
    step("error masking paths of the kernel", () => maskKernelFiles(root)); // (6)
  }
  if (instructions.isRootReadOnly) {
    step("error making the rootfs read-only", () =>
      mountSetattr(root, { set: MOUNT_ATTR_RDONLY, isRecursive: false }),
    ); // (7)
  }
  step("error changing into the rootfs", () => pivotInto(root)); // (8)
  const isIn = enter(workingDir, { mayBeDenied: true }); // (9)
  step("error joining cgroups", () => {
    cgroups.enter(); // (10)
    unshare(CLONE_NEWCGROUP);
  });
  if (instructions.hasTty) {
    step("error making the terminal that of a new session", () => {
      setsid();
      takeTerminal(streams.stdin);
    });
  }
  const giveUpTheRest = become({ user, security }); // (11)
  if (!isIn) {
    enter(workingDir, { mayBeDenied: false });
  }
  const path = findProgram(argv[0] ?? "", searchPathOf(env)); // (12)
  step("error preparing the process", () => prepareProcess(streams)); // (13)
  aboutToStart();
  giveUpTheRest(); // (14)
  return step(`exec ${path}`, () => execve({ path, argv, env }));
}

/** Who may not lower it stays where the agent is: nearer is not to be had. */
function adjustOomScore(score: number): void {
  try {
    writeFileSync("/proc/self/oom_score_adj", String(score));
  } catch (err) {
    if (!isErrno(err, "EACCES")) {
      throw new LaunchError(`error setting the OOM score: ${reasonOf(err)}`, { cause: err });
    }
  }
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
  const { directory, layers: lower, isHostRoot, sandbox, security } = instructions;
  const hidden = instructions.hidden.map(realPath).filter((path) => path !== undefined);
  const layers = new RootLayers(directory);
  const place = join(directory, "root");
  mkdirSync(place, { recursive: true });
  const root = isHostRoot
    ? mountHostRoot({ layers, place, hidden })
    : mountImage(layers, lower, place);
  mountKernelFiles(root, { shm: sandbox.shm, isPrivileged: security.isPrivileged });
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
    enterOrMake(workingDir);
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

function enterOrMake(workingDir: string): void {
  try {
    enterDirectory(workingDir);
  } catch (err) {
    if (!isErrno(err, "ENOENT")) {
      throw err;
    }
    using root = openNoLinks("/");
    using made = makeInRoot(root, workingDir, { sort: "directory", mode: 0o755 });
    fchdir(made);
  }
}
