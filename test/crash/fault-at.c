// Runs a program and brings down its Nth file system call, before the call is executed: by killing
// the program with SIGKILL, or by making that one call fail.
//
//   fault-at list PROGRAM ARGS…      prints `calls NAME NAME …`
//   fault-at copy DIR TO FIRST STEP PROGRAM ARGS…
//                                    the same, and copies DIR to TO/N before the Nth call, while the program stands still: what
//                                    SIGKILL would have left, for every STEPth call of one run after the first FIRST
//   fault-at kill N PROGRAM ARGS…    prints `killed NAME`, or `finished` when there was no Nth call
//   fault-at ERRNO N PROGRAM ARGS…   prints `failed NAME`, or `finished`; ERRNO is a number
//   fault-at ERRNO handler:N PROGRAM ARGS…
//                                    the same with the Nth of the calls that handlers of signals make
//
// Calls are counted in the main thread between two SIGUSR2 that the program sends to itself; neither
// reaches it. Exits as the program does, and with 0 when it was killed here.
//
// One call is never made to fail: with one byte, at the end of its handler, libuv gives back the lock that it has for signals (a
// pipe; uv__signal_handler in its src/unix/signal.c). Everywhere else it aborts when it cannot. There it goes on without the
// lock, and waits for it for ever when it next needs it, with all signals blocked: in the next handler, or when it forgets the
// process that has ended. Such a program does nothing any more but to wait for SIGKILL, so it gets that at once: `killed write`.

#define _GNU_SOURCE
#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <linux/ptrace.h>
#include <unistd.h>

static const char *file_call(long long nr) {
  switch (nr) {
#define CALL(name) case SYS_##name: return #name;
    CALL(openat) CALL(read) CALL(pread64) CALL(write) CALL(pwrite64) CALL(writev) CALL(close)
    CALL(mkdirat) CALL(unlinkat) CALL(symlinkat) CALL(linkat) CALL(readlinkat) CALL(fchmod)
    CALL(fchmodat) CALL(fchown) CALL(fchownat) CALL(fsync) CALL(fdatasync) CALL(ftruncate)
    CALL(truncate) CALL(getdents64) CALL(statx) CALL(newfstatat) CALL(faccessat) CALL(renameat2)
    CALL(utimensat) CALL(fstat)
#ifdef SYS_renameat
    CALL(renameat)
#endif
#ifdef SYS_open
    CALL(open) CALL(creat) CALL(mkdir) CALL(rmdir) CALL(unlink) CALL(symlink) CALL(link)
    CALL(readlink) CALL(rename) CALL(chmod) CALL(chown) CALL(lchown) CALL(access) CALL(stat)
    CALL(lstat)
#endif
    default: return NULL;
  }
}

// libuv gives back its lock.
static int is_unlock(const struct ptrace_syscall_info *info) {
  return info->entry.nr == SYS_write && info->entry.args[2] == 1;
}

static void trace(int request, pid_t pid, void *address, void *data) {
  if (ptrace(request, pid, address, data) < 0) err(3, "ptrace");
}

// At the entry of a call: skip it. At its exit: return -number.
static void fail_call(pid_t pid, int at_exit, int number) {
#ifdef __x86_64__
  struct user_regs_struct registers;
  trace(PTRACE_GETREGS, pid, NULL, &registers);
  if (at_exit) registers.rax = -number;
  else registers.orig_rax = -1;
  trace(PTRACE_SETREGS, pid, NULL, &registers);
#else
  (void)pid, (void)at_exit, (void)number;
  errx(4, "making a call fail is implemented for x86-64 only");
#endif
}

// With everything that can be kept: owners, modes, times, links.
static void copy_tree(const char *from, const char *to, long number) {
  char target[4096];
  int status;
  snprintf(target, sizeof target, "%s/%ld", to, number);
  pid_t pid = fork();
  if (pid < 0) err(3, "fork");
  if (pid == 0) {
    execlp("cp", "cp", "-a", from, target, NULL);
    err(3, "cp");
  }
  if (waitpid(pid, &status, 0) < 0 || status != 0) errx(3, "cannot copy to %s", target);
}

int main(int argc, char **argv) {
  int copy = argc > 6 && !strcmp(argv[1], "copy");
  int list = copy || (argc > 2 && !strcmp(argv[1], "list"));
  if (argc < (list ? 3 : 4)) errx(2, "usage: fault-at list|copy DIR TO FIRST STEP|kill N|ERRNO [handler:]N PROGRAM ARGS...");
  int number = list || !strcmp(argv[1], "kill") ? 0 : atoi(argv[1]);
  static const char only[] = "handler:";
  int handlers_only = !list && !strncmp(argv[2], only, strlen(only));
  long target = list ? -1 : atol(argv[2] + (handlers_only ? strlen(only) : 0)), count = 0;
  long first = copy ? atol(argv[4]) : 0, step = copy ? atol(argv[5]) : 1;
  char **program = argv + (copy ? 6 : list ? 2 : 3);
  int counting = 0, handling = 0, failing = 0, hit = 0, status;

  pid_t pid = fork();
  if (pid < 0) err(3, "fork");
  if (pid == 0) {
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    execvp(program[0], program);
    err(3, "%s", program[0]);
  }
  if (waitpid(pid, &status, 0) < 0 || !WIFSTOPPED(status)) errx(3, "%s did not start", program[0]);
  trace(PTRACE_SETOPTIONS, pid, NULL, (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL));
  trace(PTRACE_CONT, pid, NULL, NULL);
  if (list) printf("calls");

  for (;;) {
    if (waitpid(pid, &status, __WALL) < 0) err(3, "waitpid");
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
      printf("%s\n", list || hit ? "" : "finished");
      return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    long sig = WSTOPSIG(status);
    if (sig == SIGUSR2) {
      counting = !counting;
      handling = 0;
      sig = 0;
    } else if (sig == (SIGTRAP | 0x80)) {
      struct ptrace_syscall_info info;
      sig = 0;
      trace(PTRACE_GET_SYSCALL_INFO, pid, (void *)sizeof info, &info);
      if (failing) {
        fail_call(pid, 1, number);
        failing = 0;
      }
      int is_entry = info.op == PTRACE_SYSCALL_INFO_ENTRY;
      const char *name = is_entry ? file_call(info.entry.nr) : NULL;
      if (is_entry && info.entry.nr == SYS_rt_sigreturn) handling = 0;
      if (name && counting && (handling || !handlers_only)) {
        count++;
        if (list) printf(" %s", name);
        if (copy && (count - 1) % step == first) copy_tree(argv[2], argv[3], count);
        if (count == target && number && !(handling && is_unlock(&info))) {
          // A close that fails has closed nevertheless.
          if (strcmp(name, "close")) fail_call(pid, 0, number);
          failing = hit = 1;
          printf("failed %s", name);
          fflush(stdout); // Who has to end this because the program hangs wants to know.
        } else if (count == target) {
          kill(pid, SIGKILL);
          waitpid(pid, &status, __WALL);
          printf("killed %s\n", name);
          return 0;
        }
      }
    }
    if (sig && counting) handling = 1;
    // A thread that stands still at a call gets no signal: another one does, and its calls are not seen here.
    int all = counting && !handlers_only;
    trace(all || handling || failing ? PTRACE_SYSCALL : PTRACE_CONT, pid, NULL, (void *)sig);
  }
}
