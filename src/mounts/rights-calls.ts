// System calls about what a process may do: capabilities, no_new_privs, seccomp. All of them are of the calling thread; execve
// makes that thread the process. Numbers are those of <linux/prctl.h>, <linux/capability.h> and <linux/seccomp.h>.

import { isErrno } from "../base/errors.ts";
import { call } from "./libc.ts";

const PR_SET_DUMPABLE = 4;
const PR_SET_KEEPCAPS = 8;
const PR_SET_SECCOMP = 22;
const PR_CAPBSET_READ = 23;
const PR_CAPBSET_DROP = 24;
const PR_CAP_AMBIENT = 47;

const PR_CAP_AMBIENT_CLEAR_ALL = 4;
const SECCOMP_MODE_FILTER = 2;
const LINUX_CAPABILITY_VERSION_3 = 0x20080522;

function prctl(option: number, a: number, b = 0): number {
  return call(
    "int prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)",
    [option, a, b, 0, 0],
    { syscall: "prctl" },
  );
}

/** Nobody with the same user may look into this process or trace it, until execve. */
export function forbidTracing(): void {
  prctl(PR_SET_DUMPABLE, 0);
}

/** A change of the user does not take the permitted capabilities, until execve. */
export function keepCapabilities(): void {
  prctl(PR_SET_KEEPCAPS, 1);
}

/** Whether any program that is started from here on may have the capability; undefined if the kernel does not know it. */
export function isInBoundingSet(capability: number): boolean | undefined {
  try {
    return prctl(PR_CAPBSET_READ, capability) === 1;
  } catch (err) {
    if (isErrno(err, "EINVAL")) {
      return undefined;
    }
    throw err;
  }
}

export function dropFromBoundingSet(capability: number): void {
  prctl(PR_CAPBSET_DROP, capability);
}

export function clearAmbientCapabilities(): void {
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL);
}

/** Sets of capabilities: bit n is number n. */
export interface CapabilitySets {
  readonly effective: bigint;
  readonly permitted: bigint;
  readonly inheritable: bigint;
}

export function capget(): CapabilitySets {
  const data = new Uint32Array(6);
  call("int capget(void *header, void *data)", [capabilityHeader(), bytesOf(data)], {
    syscall: "capget",
  });
  const joined = (n: number): bigint =>
    BigInt(data[n] ?? 0) | (BigInt(data[n + wordsPerSet] ?? 0) << 32n);
  return { effective: joined(0), permitted: joined(1), inheritable: joined(2) };
}

export function capset({ effective, permitted, inheritable }: CapabilitySets): void {
  const sets = [effective, permitted, inheritable];
  const data = new Uint32Array([
    ...sets.map((set) => Number(set & 0xffff_ffffn)),
    ...sets.map((set) => Number(set >> 32n)),
  ]);
  call("int capset(void *header, void *data)", [capabilityHeader(), bytesOf(data)], {
    syscall: "capset",
  });
}

/** The lower halves of the three sets come first, then the upper ones. */
const wordsPerSet = 3;

function capabilityHeader(): Uint8Array {
  return bytesOf(new Uint32Array([LINUX_CAPABILITY_VERSION_3, 0]));
}

function bytesOf(words: Uint32Array): Uint8Array {
  return new Uint8Array(words.buffer);
}

const instructionBytes = 8;

/** The filter holds from now on, for this thread and all that comes from it. Needs no_new_privs or CAP_SYS_ADMIN. */
export function setSeccompFilter(program: Uint8Array): void {
  const address = copyToMemory(program);
  // struct sock_fprog: a 16-bit length, room up to the next multiple of eight, the address.
  const header = new BigUint64Array([BigInt(program.length / instructionBytes), BigInt(address)]);
  const headerAddress = copyToMemory(new Uint8Array(header.buffer));
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, headerAddress);
}

/** Never freed: the next thing that happens is execve. A buffer of ours has no address that could be written down. */
function copyToMemory(bytes: Uint8Array): number {
  const address = call("intptr_t malloc(size_t size)", [bytes.length], { syscall: "malloc" });
  call("intptr_t memcpy(intptr_t to, void *from, size_t size)", [address, bytes, bytes.length], {
    syscall: "memcpy",
  });
  return address;
}
