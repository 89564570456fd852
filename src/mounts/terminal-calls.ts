// Terminals of a container: both ends come from its own /dev/pts, so that programs in it find theirs by name. What is at that
// place is the container's to choose; it is looked at before it is opened.

import { constants, fstatSync, openSync, statfsSync } from "node:fs";
import { call } from "./libc.ts";
import { openBeneath } from "./safe-path.ts";
import { type OpenFile, openFile, pathOf } from "./system-calls.ts";

const TIOCSPTLCK = 0x40045431;
const TIOCGPTPEER = 0x5441;
const TIOCSWINSZ = 0x5414;
const TIOCSCTTY = 0x540e;
const DEVPTS_MAGIC = 0x1cd1n;
/** As the kernel packs 5:2, /dev/ptmx. */
const ptmxDevice = (5 << 8) | 2;
const O_CLOEXEC = 0o2000000;

/** A new terminal of the container with this root: our end of it. */
export function openTerminal(root: OpenFile): OpenFile {
  using place = openBeneath(root, "/dev/pts/ptmx");
  const stat = fstatSync(place.fd);
  const isDevpts = statfsSync(pathOf(place), { bigint: true }).type === DEVPTS_MAGIC;
  if (!stat.isCharacterDevice() || stat.rdev !== ptmxDevice || !isDevpts) {
    throw new Error("/dev/pts/ptmx of the container is not what makes terminals");
  }
  const master = openSync(pathOf(place), constants.O_RDWR | constants.O_NOCTTY);
  call(
    "int ioctl(int fd, unsigned long request, void *lock)",
    [master, TIOCSPTLCK, new Uint8Array(4)],
    {
      syscall: "ioctl",
    },
  );
  return openFile(master);
}

/** The program's end. */
export function openPeer({ fd }: OpenFile): OpenFile {
  const flags = constants.O_RDWR | constants.O_NOCTTY | O_CLOEXEC;
  return openFile(
    call("int ioctl(int fd, unsigned long request, int flags)", [fd, TIOCGPTPEER, flags], {
      syscall: "ioctl",
    }),
  );
}

/** Those who use the terminal are told (SIGWINCH). */
export function setTerminalSize(
  fd: number,
  { columns, rows }: { readonly columns: number; readonly rows: number },
): void {
  const size = new Uint16Array([rows, columns, 0, 0]);
  call(
    "int ioctl(int fd, unsigned long request, void *size)",
    [fd, TIOCSWINSZ, new Uint8Array(size.buffer)],
    {
      syscall: "ioctl",
    },
  );
}

/** Makes it the terminal of this session, whose first process we are. */
export function takeTerminal(fd: number): void {
  call("int ioctl(int fd, unsigned long request, int steal)", [fd, TIOCSCTTY, 0], {
    syscall: "ioctl",
  });
}
