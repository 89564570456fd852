// What this machine can do for containers, asked from the kernel itself and not guessed from its version, with a
// sentence for each thing that is missing. Nothing is mounted or started by asking.

import { existsSync, readFileSync } from "node:fs";
import { geteuid } from "node:process";
import { isErrno } from "../base/errors.ts";
import {
  fsconfigFlag,
  fsopen,
  MOUNT_ATTR_RDONLY,
  MOVE_MOUNT_BENEATH,
  mountSetattr,
  moveMount,
} from "./system-calls.ts";

export interface KernelSupport {
  /** Root, of the machine or of a user namespace. */
  readonly isRoot: boolean;
  /** Rootless: some uids are not there, some mounts are not allowed. */
  readonly isInUserNamespace: boolean;
  readonly canMount: boolean;
  readonly hasOverlay: boolean;
  /** tmpfs that never goes to swap, for secrets. */
  readonly hasTmpfsNoSwap: boolean;
  /** A mount can be replaced without a moment in which nothing is there. */
  readonly hasMoveMountBeneath: boolean;
  readonly hasMountSetattr: boolean;
  readonly hasNamespaces: boolean;
  readonly hasUserNamespaces: boolean;
  readonly missing: readonly MissingFeature[];
}

export interface MissingFeature {
  /** Without it no container can run. */
  readonly isNeeded: boolean;
  /** What is missing and what to do, as a sentence. */
  readonly message: string;
}

const none = { fd: -1, [Symbol.dispose]: () => undefined };

export function probeKernel(): KernelSupport {
  const facts = {
    isRoot: geteuid?.() === 0,
    isInUserNamespace: isInUserNamespace(readFileSync("/proc/self/uid_map", "utf8")),
    canMount: canOpen("tmpfs"),
    hasOverlay: canOpen("overlay"),
    hasTmpfsNoSwap: hasTmpfsNoSwap(),
    // Each with a descriptor that is none: EBADF means that the arguments were understood.
    hasMoveMountBeneath: answers("EBADF", () =>
      moveMount(none, none, { flags: MOVE_MOUNT_BENEATH }),
    ),
    hasMountSetattr: answers("EBADF", () =>
      mountSetattr(none, { set: MOUNT_ATTR_RDONLY, isRecursive: false }),
    ),
    hasNamespaces: ["mnt", "pid", "ipc", "uts"].every((name) =>
      existsSync(`/proc/self/ns/${name}`),
    ),
    hasUserNamespaces: hasUserNamespaces(),
  };
  return { ...facts, missing: missingFeatures(facts) };
}

type Facts = Omit<KernelSupport, "missing">;

/** What to tell an operator, the things without which nothing runs first. */
export function missingFeatures(facts: Facts): readonly MissingFeature[] {
  const checks: readonly (MissingFeature & { readonly isThere: boolean })[] = [
    {
      isThere: facts.isRoot,
      isNeeded: true,
      message: facts.hasUserNamespaces
        ? "This process is not root: run it as root, or in a user namespace with `unshare --user --map-root-user --mount --pid --fork --mount-proc`."
        : "This process is not root, and this kernel has no user namespaces for others: run it as root, or set the sysctl user.max_user_namespaces above 0.",
    },
    {
      isThere: facts.hasNamespaces,
      isNeeded: true,
      message:
        "The kernel lacks mount, PID, IPC or UTS namespaces: use one with CONFIG_NAMESPACES and CONFIG_PID_NS, CONFIG_IPC_NS, CONFIG_UTS_NS.",
    },
    {
      isThere: facts.canMount || !facts.isRoot,
      isNeeded: true,
      message:
        "This process may not mount: give it CAP_SYS_ADMIN (in a container: run it privileged), or start it in a mount namespace of its own.",
    },
    {
      isThere: facts.hasMountSetattr,
      isNeeded: true,
      message:
        "The kernel has no mount_setattr: use Linux 5.12 or later, and allow it in seccomp filters.",
    },
    {
      isThere: facts.hasOverlay,
      isNeeded: true,
      message: "The kernel has no overlay file system: load it with `modprobe overlay`.",
    },
    {
      isThere: facts.hasMoveMountBeneath,
      isNeeded: false,
      message:
        "The kernel cannot put a mount beneath another one: files mounted with subPath stay as they were at the container's start. Use Linux 6.5 or later.",
    },
    {
      isThere: facts.hasTmpfsNoSwap,
      isNeeded: false,
      message: facts.isInUserNamespace
        ? "In a user namespace tmpfs cannot be kept out of swap, so secrets may be written there: turn swap off or encrypt it."
        : "The kernel cannot keep tmpfs out of swap, so secrets may be written there: use Linux 6.4 or later, turn swap off, or encrypt it.",
    },
  ];
  return checks
    .filter(({ isThere }) => !isThere)
    .map(({ isNeeded, message }) => ({ isNeeded, message }));
}

/** The initial one maps every number to itself, all 2^32 - 1 of them. */
export function isInUserNamespace(uidMap: string): boolean {
  return !/^\s*0\s+0\s+4294967295\s*$/.test(uidMap);
}

function canOpen(type: string): boolean {
  try {
    fsopen(type)[Symbol.dispose]();
    return true;
  } catch {
    // ENODEV: no such file system. EPERM: not for us. Either way it cannot be used.
    return false;
  }
}

function hasTmpfsNoSwap(): boolean {
  try {
    using tmpfs = fsopen("tmpfs");
    fsconfigFlag(tmpfs, "noswap");
    return true;
  } catch {
    // Too old, in a user namespace, or no right to mount at all.
    return false;
  }
}

function answers(code: string, ask: () => void): boolean {
  try {
    ask();
    return true;
  } catch (err) {
    return isErrno(err, code);
  }
}

function hasUserNamespaces(): boolean {
  try {
    return Number(readFileSync("/proc/sys/user/max_user_namespaces", "utf8")) > 0;
  } catch {
    // The file is there whenever the kernel was built with them.
    return false;
  }
}
