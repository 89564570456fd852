// The floor for noticing a swap: a process that swaps `..data` at intervals and stamps each swap
// before its rename, and a process that waits on inotify and stamps each event. Both print lines of
// `NUMBER NANOSECONDS` (CLOCK_MONOTONIC, the clock of process.hrtime).
//
//   raw-watch swap DIRECTORY COUNT INTERVAL-US
//   raw-watch watch DIRECTORY COUNT              prints `ready` when it watches

#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static long long now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void must(int result, const char *what) {
  if (result < 0) err(1, "%s", what);
}

static void swap(const char *directory, long number) {
  char version[4200], file[4300], name[64], tmp[4200], data[4200];
  snprintf(name, sizeof name, "..2026_01_01_00_00_00.%ld", number);
  snprintf(version, sizeof version, "%s/%s", directory, name);
  must(mkdir(version, 0755), version);
  snprintf(file, sizeof file, "%s/app.json", version);
  int fd = open(file, O_WRONLY | O_CREAT, 0644);
  must(fd, file);
  must(dprintf(fd, "{\"number\":%ld}", number), file);
  close(fd);
  snprintf(tmp, sizeof tmp, "%s/..data_tmp", directory);
  snprintf(data, sizeof data, "%s/..data", directory);
  must(symlink(name, tmp), tmp);
  long long before = now_ns();
  must(rename(tmp, data), data);
  printf("%ld %lld\n", number, before);
  if (number == 0) {
    snprintf(file, sizeof file, "%s/app.json", directory);
    must(symlink("..data/app.json", file), file);
    return;
  }
  snprintf(version, sizeof version, "%s/..2026_01_01_00_00_00.%ld", directory, number - 1);
  snprintf(file, sizeof file, "%s/app.json", version);
  must(unlink(file), file);
  must(rmdir(version), version);
}

static void watch(const char *directory, long count) {
  char buffer[65536] __attribute__((aligned(8))), link[4200], target[256];
  int fd = inotify_init1(IN_CLOEXEC);
  must(inotify_add_watch(fd, directory, IN_MOVED_TO | IN_CREATE | IN_DELETE), directory);
  snprintf(link, sizeof link, "%s/..data", directory);
  printf("ready\n");
  fflush(stdout);
  for (long number = 0; number < count;) {
    ssize_t bytes = read(fd, buffer, sizeof buffer);
    must((int)bytes, "read");
    for (char *at = buffer; at < buffer + bytes;) {
      struct inotify_event *event = (struct inotify_event *)at;
      at += sizeof *event + event->len;
      if (!(event->mask & IN_MOVED_TO) || strcmp(event->name, "..data")) continue;
      long long seen = now_ns();
      ssize_t length = readlink(link, target, sizeof target - 1);
      must((int)length, link);
      target[length] = 0;
      number = atol(strrchr(target, '.') + 1);
      printf("%ld %lld\n", number, seen);
    }
  }
}

int main(int argc, char **argv) {
  if (argc == 5 && !strcmp(argv[1], "swap")) {
    long count = atol(argv[3]), pause = atol(argv[4]);
    struct stat stats;
    char link[4200];
    snprintf(link, sizeof link, "%s/..data", argv[2]);
    if (lstat(link, &stats) < 0) {
      swap(argv[2], 0);
      return 0; // The first call makes the volume, for the watchers to start on.
    }
    for (long number = 1; number <= count; number++) {
      usleep(pause);
      swap(argv[2], number);
    }
    return 0;
  }
  if (argc == 4 && !strcmp(argv[1], "watch")) {
    watch(argv[2], atol(argv[3]));
    return 0;
  }
  errx(2, "usage: raw-watch swap DIRECTORY COUNT INTERVAL-US | watch DIRECTORY COUNT");
}
