// A command that can be killed, but of whose end nobody is told: it is traced by a process that never asks how it ended, and its
// parent is not told before that.
//
//   untold FILE      writes `TRACER COMMAND`, the ids of both, to FILE when all this is so, and then waits to be killed

#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <unistd.h>

// The tracer goes by itself when whoever was to end it has not done so.
#define MAX_SECONDS 600

static void trace(pid_t command, const char *file) {
  char partial[4096];
  snprintf(partial, sizeof partial, "%s.new", file);
  setsid(); // Out of the group that is killed.
  close(1);
  close(2);
  alarm(MAX_SECONDS);
  if (ptrace(PTRACE_SEIZE, command, NULL, NULL) < 0) err(1, "ptrace");
  FILE *said = fopen(partial, "w");
  if (!said) err(1, "%s", partial);
  fprintf(said, "%d %d", getpid(), command);
  if (fclose(said) || rename(partial, file)) err(1, "%s", file);
  for (;;) pause();
}

int main(int argc, char **argv) {
  if (argc != 2) errx(2, "usage: untold FILE");
  pid_t command = getpid();
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  pid_t tracer = fork();
  if (tracer < 0) err(1, "fork");
  if (tracer == 0) trace(command, argv[1]);
  for (;;) pause();
}
