// System calls that make a process into another program: identity, limits, signals, descriptors, execve.

import { readFileSync } from "node:fs";
import { isErrno } from "../base/errors.ts";
import { call } from "./libc.ts";
import { openFile, raw } from "./system-calls.ts";

export function sethostname(name: string): void {
  call("int sethostname(const char *name, size_t length)", [name, Buffer.byteLength(name)], {
    syscall: "sethostname",
  });
}

export function setgroups(groups: readonly number[]): void {
  const list = new Uint32Array(groups);
  call("int setgroups(size_t count, void *groups)", [list.length, new Uint8Array(list.buffer)], {
    syscall: "setgroups",
  });
}

export function setresgid(gid: number): void {
  call("int setresgid(unsigned int r, unsigned int e, unsigned int s)", [gid, gid, gid], {
    syscall: "setresgid",
  });
}

export function setresuid(uid: number): void {
  call("int setresuid(unsigned int r, unsigned int e, unsigned int s)", [uid, uid, uid], {
    syscall: "setresuid",
  });
}

/** From now on execve gives nobody more rights, for this process and all that come from it. */
export function refuseNewPrivileges(): void {
  const PR_SET_NO_NEW_PRIVS = 38;
  call(
    "int prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)",
    [PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0],
    { syscall: "prctl" },
  );
}

export function umask(mask: number): void {
  call("unsigned int umask(unsigned int mask)", [mask], { syscall: "umask" });
}

export function dup2(from: number, to: number): void {
  call("int dup2(int from, int to)", [from, to], { syscall: "dup2" });
}

/** Marks all descriptors from `first` on to be closed by execve. */
export function closeOnExecFrom(first: number): void {
  raw(
    "close_range",
    "long syscall(long number, unsigned int first, unsigned int last, unsigned int flags)",
    // CLOSE_RANGE_CLOEXEC: the report of a failed execve still has its pipe.
    [first, 0xffffffff, 4],
  );
}

const SIG_DFL = 0;
const SIG_SETMASK = 2;
const lastSignal = 64;

/** All signals as a new program expects them: default action, none blocked. */
export function resetSignals(): void {
  for (let signal = 1; signal <= lastSignal; signal++) {
    try {
      call("intptr_t signal(int number, intptr_t handler)", [signal, SIG_DFL], {
        syscall: "signal",
      });
    } catch {
      // SIGKILL, SIGSTOP and the two that the C library keeps for itself: they cannot have been changed.
    }
  }
  // 128 bytes: the size of sigset_t in glibc and musl.
  call("int sigprocmask(int how, void *set, void *old)", [SIG_SETMASK, new Uint8Array(128), null], {
    syscall: "sigprocmask",
  });
}

export function ignoreSignal(signal: number): void {
  const SIG_IGN = 1;
  call("intptr_t signal(int number, intptr_t handler)", [signal, SIG_IGN], { syscall: "signal" });
}

const RLIMIT_NOFILE = 7;

/** Sets the soft limit of open files, and leaves the hard one. */
export function limitOpenFiles(soft: number): void {
  const limits = new BigUint64Array(2);
  const bytes = new Uint8Array(limits.buffer);
  const prototype = "int prlimit(int pid, int resource, void *wanted, void *old)";
  call(prototype, [0, RLIMIT_NOFILE, null, bytes], { syscall: "prlimit" });
  const hard = limits[1] ?? 0n;
  limits[0] = hard < BigInt(soft) ? hard : BigInt(soft);
  call(prototype, [0, RLIMIT_NOFILE, bytes, null], { syscall: "prlimit" });
}

export interface Program {
  readonly path: string;
  readonly argv: readonly string[];
  /** "NAME=value" */
  readonly env: readonly string[];
}

/** Returns never: this process is the program from now on. Throws if it is not. */
export function execve({ path, argv, env }: Program): never {
  call(
    "int execve(const char *path, const char **argv, const char **env)",
    [path, [...argv, null], [...env, null]],
    { syscall: "execve", path },
  );
  throw new Error("execve returned");
}

/** A process, not a number: another process that gets its number later is not it. */
export interface ProcessIdentity {
  readonly pid: number;
  /** In ticks since the machine's start, as /proc says it. */
  readonly startTicks: number;
}

/** Who has this number now; undefined if nobody, or one that is dead and only waits to be waited for. */
export function identify(pid: number | "self"): ProcessIdentity | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch (err) {
    // There is no such directory, or the process went while it was read. Anything else says nothing about it.
    if (isErrno(err, "ENOENT", "ESRCH")) {
      return undefined;
    }
    throw err;
  }
  // The name, in parentheses, may hold spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  // A program whose first thread has ended looks like a dead one, and runs on with its other threads.
  const isDead = (fields[0] === "Z" || fields[0] === "X") && Number(fields[17]) <= 1;
  return isDead ? undefined : { pid: Number.parseInt(stat, 10), startTicks: Number(fields[19]) };
}

export function isAlive({ pid, startTicks }: ProcessIdentity): boolean {
  return identify(pid)?.startTicks === startTicks;
}

/** Sends the signal to this process and to no other that got its number. Returns false if it is gone. */
export function signalProcess(who: ProcessIdentity, signal: number): boolean {
  try {
    using pidfd = openFile(
      raw("pidfd_open", "long syscall(long number, int pid, unsigned int flags)", [who.pid, 0]),
    );
    // After the open: the descriptor cannot come to mean another process any more.
    if (!isAlive(who)) {
      return false;
    }
    raw(
      "pidfd_send_signal",
      "long syscall(long number, int fd, int signal, void *info, unsigned int flags)",
      [pidfd.fd, signal, null, 0],
    );
    return true;
  } catch (err) {
    if (isErrno(err, "ESRCH")) {
      return false;
    }
    throw err;
  }
}

/** In a session of its own, without a terminal. */
export function setsid(): void {
  call("int setsid()", [], { syscall: "setsid" });
}

/** From now on, and until its rights change, this process is killed when the one that started it ends. */
export function dieWithParent(): void {
  const PR_SET_PDEATHSIG = 1;
  const SIGKILL = 9;
  call(
    "int prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)",
    [PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0],
    { syscall: "prctl" },
  );
}

export interface Pipe {
  readonly reader: number;
  readonly writer: number;
}

/** A pipe, where Node would make a socket: programs may open the way to it (/dev/stdout) again. Not for programs that are started. */
export function pipe(): Pipe {
  const O_CLOEXEC = 0o2000000;
  const fds = new Int32Array(2);
  call("int pipe2(void *fds, int flags)", [new Uint8Array(fds.buffer), O_CLOEXEC], {
    syscall: "pipe2",
  });
  return { reader: fds[0] ?? -1, writer: fds[1] ?? -1 };
}

/** A file in memory only, gone with the last one who has it open. */
export function memoryFile(name: string): number {
  const MFD_CLOEXEC = 1;
  return call("int memfd_create(const char *name, unsigned int flags)", [name, MFD_CLOEXEC], {
    syscall: "memfd_create",
  });
}

/** How many bytes can be read at once from a pipe or a terminal. */
export function readableBytes(fd: number): number {
  const FIONREAD = 0x541b;
  const count = new Int32Array(1);
  call(
    "int ioctl(int fd, unsigned long request, void *count)",
    [fd, FIONREAD, new Uint8Array(count.buffer)],
    {
      syscall: "ioctl",
    },
  );
  return count[0] ?? 0;
}
