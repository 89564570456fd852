// The system calls of AtomicWriter.write, in the same order and with the same arguments, in a plain
// loop: the floor that the benchmark measures the writer against. Nothing is checked or kept between
// two writes, and there is no error path.
//
//   raw-writer DIRECTORY FILES BYTES WARMUP WRITES    prints the mean microseconds per write

#define _GNU_SOURCE
#include <dirent.h>
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char *volume;
static char path_buffer[4][4200];
static char record_text[135]; // As long as a version record.

static char *path(int slot, const char *a, const char *b) {
  int length = b ? snprintf(path_buffer[slot], sizeof path_buffer[slot], "%s/%s/%s", volume, a, b)
                 : snprintf(path_buffer[slot], sizeof path_buffer[slot], "%s/%s", volume, a);
  if (length >= (int)sizeof path_buffer[slot]) errx(1, "the path is too long");
  return path_buffer[slot];
}

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static void must(int result, const char *what) {
  if (result < 0) err(1, "%s", what);
}

static void look(const char *p, int flags) {
  struct statx stats;
  must(statx(AT_FDCWD, p, flags, STATX_ALL, &stats), p);
}

static void list(const char *p) {
  DIR *directory = opendir(p);
  while (readdir(directory)) continue;
  closedir(directory);
}

static void current(char *name) {
  ssize_t length = readlink(path(0, "..data", NULL), name, 255);
  must((int)length, "..data");
  name[length] = 0;
}

static void put(const char *version, const char *name, const char *data, size_t bytes, mode_t mode) {
  int fd = open(path(0, version, name), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  must(fd, name);
  must(write(fd, data, bytes) == (ssize_t)bytes ? 0 : -1, "write");
  must(fchmod(fd, mode), "fchmod");
  close(fd);
}

static void remove_version(const char *version) {
  struct stat stats;
  must(lstat(path(0, version, NULL), &stats), "lstat");
  int fd = open(path_buffer[0], O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_DIRECTORY);
  must(fd, version);
  DIR *directory = fdopendir(fd);
  for (struct dirent *entry; (entry = readdir(directory));)
    if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
      must(unlinkat(fd, entry->d_name, 0), entry->d_name);
  closedir(directory);
  unlink(path_buffer[0]);
  must(rmdir(path_buffer[0]), version);
}

static void write_version(long sequence, int files, char *data, size_t bytes) {
  static char names[10000][24];
  char old[256], link[256], version[64], record[256];

  list(volume);
  current(old);
  look(path(0, old, NULL), AT_SYMLINK_NOFOLLOW);
  for (int i = 0; i < files; i++) {
    if (!names[i][0]) snprintf(names[i], sizeof names[i], "key-%d.yaml", i);
    must((int)readlink(path(0, names[i], NULL), link, sizeof link), names[i]);
  }
  int fd = open(path(0, old, "..version"), O_RDONLY | O_CLOEXEC);
  struct stat stats;
  must(fstat(fd, &stats), "fstat");
  must(read(fd, record, stats.st_size) < 0 ? -1 : 0, "read");
  close(fd);

  time_t seconds = time(NULL);
  struct tm utc;
  gmtime_r(&seconds, &utc);
  strftime(link, sizeof link, "..%Y_%m_%d_%H_%M_%S", &utc);
  snprintf(version, sizeof version, "%.23s.%ld", link, 1000000 + sequence);
  must(mkdir(path(0, version, NULL), 0755), "mkdir");
  must(chmod(path_buffer[0], 0755), "chmod");
  for (int i = 0; i < files; i++) put(version, names[i], data, bytes, 0644);
  put(version, "..version", record_text, sizeof record_text, 0444);

  must(symlink(version, path(1, "..data_tmp", NULL)), "symlink");
  current(old);
  must(rename(path(1, "..data_tmp", NULL), path(2, "..data", NULL)), "rename");
  current(link);
  remove_version(old);
}

int main(int argc, char **argv) {
  if (argc != 6) errx(2, "usage: raw-writer DIRECTORY FILES BYTES WARMUP WRITES");
  volume = argv[1];
  int files = atoi(argv[2]);
  size_t bytes = strtoul(argv[3], NULL, 10);
  long warmup = atol(argv[4]), writes = atol(argv[5]);
  char *data = malloc(bytes);
  memset(data, 'x', bytes);
  memset(record_text, 'x', sizeof record_text);
  for (long i = 0; i < warmup; i++) write_version(i, files, data, bytes);
  double start = now_us();
  for (long i = 0; i < writes; i++) write_version(warmup + i, files, data, bytes);
  printf("%.3f\n", (now_us() - start) / writes);
  return 0;
}
