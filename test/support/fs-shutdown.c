// Cuts the power of one mounted ext4 file system: what was not written to its device is lost.
//
//   fs-shutdown MOUNT-POINT

#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/ioctl.h>

#define EXT4_IOC_SHUTDOWN _IOR('X', 125, uint32_t)
#define NO_LOG_FLUSH 2

int main(int argc, char **argv) {
  if (argc != 2) errx(2, "usage: fs-shutdown MOUNT-POINT");
  int fd = open(argv[1], O_RDONLY);
  uint32_t flags = NO_LOG_FLUSH;
  if (fd < 0 || ioctl(fd, EXT4_IOC_SHUTDOWN, &flags) < 0) err(1, "%s", argv[1]);
  return 0;
}
