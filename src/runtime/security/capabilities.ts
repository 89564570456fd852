// The kernel's capabilities by name. Sets of them are bit masks, as system calls take them.

/** In the kernel's order: the first is number 0. */
export const capabilityNames: readonly string[] = [
  ...["CHOWN", "DAC_OVERRIDE", "DAC_READ_SEARCH", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID"],
  ...["SETPCAP", "LINUX_IMMUTABLE", "NET_BIND_SERVICE", "NET_BROADCAST", "NET_ADMIN", "NET_RAW"],
  ...["IPC_LOCK", "IPC_OWNER", "SYS_MODULE", "SYS_RAWIO", "SYS_CHROOT", "SYS_PTRACE", "SYS_PACCT"],
  ...["SYS_ADMIN", "SYS_BOOT", "SYS_NICE", "SYS_RESOURCE", "SYS_TIME", "SYS_TTY_CONFIG", "MKNOD"],
  ...["LEASE", "AUDIT_WRITE", "AUDIT_CONTROL", "SETFCAP", "MAC_OVERRIDE", "MAC_ADMIN", "SYSLOG"],
  ...["WAKE_ALARM", "BLOCK_SUSPEND", "AUDIT_READ", "PERFMON", "BPF", "CHECKPOINT_RESTORE"],
];

/** What other runtimes give a container that says nothing. */
export const defaultCapabilities: readonly string[] = [
  ...["AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD"],
  ...["NET_BIND_SERVICE", "NET_RAW", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"],
];

/** Names that no kernel knows count for nothing, as in other runtimes. */
export function capabilityMask(names: readonly string[]): bigint {
  return names
    .map((name) => capabilityNames.indexOf(name))
    .filter((number) => number >= 0)
    .reduce((mask, number) => mask | (1n << BigInt(number)), 0n);
}
