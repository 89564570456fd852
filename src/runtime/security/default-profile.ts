// What a container may ask of the kernel if it says "RuntimeDefault": the effect of containerd's profile, of which the names are facts. All that is
// not here is refused: other file systems and namespaces, modules, keys, io_uring, tracing of the kernel.

const allowed = `
accept accept4 access adjtimex alarm bind brk cachestat capget capset chdir chmod chown
clock_adjtime clock_getres clock_gettime clock_nanosleep close close_range connect
copy_file_range creat dup dup2 dup3 epoll_create epoll_create1 epoll_ctl epoll_ctl_old
epoll_pwait epoll_pwait2 epoll_wait epoll_wait_old eventfd eventfd2 execve execveat exit
exit_group faccessat faccessat2 fadvise64 fallocate fanotify_mark fchdir fchmod fchmodat
fchmodat2 fchown fchownat fcntl fdatasync fgetxattr flistxattr flock fork fremovexattr fsetxattr
fstat fstatfs fsync ftruncate futex futex_requeue futex_wait futex_waitv futex_wake futimesat
get_robust_list get_thread_area getcpu getcwd getdents getdents64 getegid geteuid getgid
getgroups getitimer getpeername getpgid getpgrp getpid getppid getpriority getrandom getresgid
getresuid getrlimit getrusage getsid getsockname getsockopt gettid gettimeofday getuid getxattr
getxattrat inotify_add_watch inotify_init inotify_init1 inotify_rm_watch io_cancel io_destroy
io_getevents io_pgetevents io_setup io_submit ioctl ioprio_get ioprio_set kill landlock_add_rule
landlock_create_ruleset landlock_restrict_self lchown lgetxattr link linkat listen listmount
listxattr listxattrat llistxattr lremovexattr lseek lsetxattr lsm_get_self_attr lsm_list_modules
lsm_set_self_attr lstat madvise map_shadow_stack membarrier memfd_create memfd_secret mincore
mkdir mkdirat mknod mknodat mlock mlock2 mlockall mmap mprotect mq_getsetattr mq_notify mq_open
mq_timedreceive mq_timedsend mq_unlink mremap mseal msgctl msgget msgrcv msgsnd msync munlock
munlockall munmap name_to_handle_at nanosleep newfstatat open openat openat2 pause pidfd_open
pidfd_send_signal pipe pipe2 pkey_alloc pkey_free pkey_mprotect poll ppoll prctl pread64 preadv
preadv2 prlimit64 process_mrelease pselect6 pwrite64 pwritev pwritev2 read readahead readlink
readlinkat readv recvfrom recvmmsg recvmsg remap_file_pages removexattr removexattrat rename
renameat renameat2 restart_syscall rmdir rseq rt_sigaction rt_sigpending rt_sigprocmask
rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo
sched_get_priority_max sched_get_priority_min sched_getaffinity sched_getattr sched_getparam
sched_getscheduler sched_rr_get_interval sched_setaffinity sched_setattr sched_setparam
sched_setscheduler sched_yield seccomp select semctl semget semop semtimedop sendfile sendmmsg
sendmsg sendto set_robust_list set_thread_area set_tid_address setfsgid setfsuid setgid
setgroups setitimer setpgid setpriority setregid setresgid setresuid setreuid setrlimit setsid
setsockopt setuid setxattr setxattrat shmat shmctl shmdt shmget shutdown sigaltstack signalfd
signalfd4 socketpair splice stat statfs statmount statx symlink symlinkat sync sync_file_range
syncfs sysinfo tee tgkill time timer_create timer_delete timer_getoverrun timer_gettime
timer_settime timerfd_create timerfd_gettime timerfd_settime times tkill truncate umask uname
unlink unlinkat uretprobe utime utimensat utimes vfork vmsplice wait4 waitid write writev`;

/** With CAP_…, these too. */
const withCapability: Readonly<Record<string, string>> = {
  BPF: "bpf",
  DAC_READ_SEARCH: "open_by_handle_at",
  PERFMON: "perf_event_open",
  SYSLOG: "syslog",
  SYS_ADMIN:
    "bpf clone clone3 fanotify_init fsconfig fsmount fsopen fspick lookup_dcookie mount mount_setattr move_mount open_tree perf_event_open quotactl quotactl_fd setdomainname sethostname setns syslog umount2 unshare",
  SYS_BOOT: "reboot",
  SYS_CHROOT: "chroot",
  SYS_MODULE: "delete_module finit_module init_module",
  SYS_NICE: "get_mempolicy mbind set_mempolicy set_mempolicy_home_node",
  SYS_PACCT: "acct",
  SYS_PTRACE: "kcmp pidfd_getfd process_madvise process_vm_readv process_vm_writev ptrace",
  SYS_RAWIO: "ioperm iopl",
  SYS_TIME: "clock_settime settimeofday",
  SYS_TTY_CONFIG: "vhangup",
};

// Sockets of these two families reach past the container: the kernel's cryptography, and the machine below a virtual one.
const AF_ALG = 38;
const AF_VSOCK = 40;

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const newNamespaces = 0x7e02_0000;
const ENOSYS = 38;

/** Linux as it is, and with the addresses or the page protection of old programs; the last asks which it is. */
const personalities: readonly number[] = [0, 0x8, 0x2_0000, 0x2_0008, 0xffff_ffff];

function allow(names: string, rest: object = {}): object {
  return { names: names.trim().split(/\s+/), action: "SCMP_ACT_ALLOW", ...rest };
}

function argument(op: string, value: number): object {
  return { args: [{ index: 0, op: `SCMP_CMP_${op}`, value }] };
}

/** By its lower half: the kernel does not look at the upper one. */
function refuseFamily(family: number): object {
  const args = [{ index: 0, op: "SCMP_CMP_MASKED_EQ", value: 0xffff_ffff, valueTwo: family }];
  return { names: ["socket"], action: "SCMP_ACT_ERRNO", args };
}

const withoutAdmin = { excludes: { caps: ["SYS_ADMIN"] } };

export const defaultProfile: object = {
  defaultAction: "SCMP_ACT_ERRNO",
  syscalls: [
    allow(allowed),
    // Before 4.8 tracing was a way around this filter.
    allow("process_vm_readv process_vm_writev ptrace", { includes: { minKernel: "4.8" } }),
    ...[AF_ALG, AF_VSOCK].map(refuseFamily),
    allow("socket"),
    ...personalities.map((value) => allow("personality", argument("EQ", value))),
    allow("arch_prctl modify_ldt", { includes: { arches: ["amd64"] } }),
    ...Object.entries(withCapability).map(([capability, names]) =>
      allow(names, { includes: { caps: [capability] } }),
    ),
    allow("clone", { ...argument("MASKED_EQ", newNamespaces), ...withoutAdmin }),
    // Its flags are in memory, where no filter can look: C libraries then take clone.
    { names: ["clone3"], action: "SCMP_ACT_ERRNO", errnoRet: ENOSYS, ...withoutAdmin },
  ],
};
