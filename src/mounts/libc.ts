// The C library of this very process, called through the FFI. Loaded at the first call: a machine on which nothing is
// mounted needs no FFI. Failures become errors as Node's own: `code`, `errno`, `syscall`, `path`.

import { createRequire } from "node:module";
import { arch } from "node:process";
import { getSystemErrorMap } from "node:util";
import type * as Koffi from "koffi";

/** What a parameter of a C function may be given. */
export type Argument = number | bigint | string | Uint8Array | null | readonly (string | null)[];

type Call = (...args: readonly Argument[]) => number;

interface Library {
  readonly koffi: typeof Koffi;
  readonly functions: Map<string, Call>;
  readonly library: Koffi.LibraryHandle;
}

let loaded: Library | undefined;

function load(): Library {
  if (!loaded) {
    const koffi = createRequire(import.meta.url)("koffi") as typeof Koffi;
    // Without a name: the program itself, which has its C library loaded, be it glibc or musl.
    loaded = { koffi, functions: new Map(), library: koffi.load(null) };
  }
  return loaded;
}

export interface CallFailure {
  readonly syscall: string;
  readonly path?: string | undefined;
}

/** Calls the function of this C prototype. Throws when it returns a negative number. */
export function call(
  prototype: string,
  args: readonly Argument[],
  { syscall, path }: CallFailure,
): number {
  const { koffi, functions, library } = load();
  let func = functions.get(prototype);
  if (!func) {
    func = library.func(prototype) as unknown as Call;
    functions.set(prototype, func);
  }
  const result = Number(func(...args));
  if (result < 0) {
    throw systemError(koffi.errno(), { syscall, path });
  }
  return result;
}

/** The same error that Node's own functions throw for this number. */
export function systemError(errno: number, { syscall, path }: CallFailure): NodeJS.ErrnoException {
  const [code, text] = getSystemErrorMap().get(-errno) ?? [`E${errno}`, "unknown error"];
  const message = `${code}: ${text}, ${syscall}${path === undefined ? "" : ` '${path}'`}`;
  return Object.assign(new Error(message), {
    errno: -errno,
    code,
    syscall,
    ...(path !== undefined && { path }),
  });
}

/** Numbers of calls for which not every C library has a function. From 424 on they are the same everywhere. */
const numbers = {
  pidfd_send_signal: 424,
  open_tree: 428,
  move_mount: 429,
  fsopen: 430,
  fsconfig: 431,
  pidfd_open: 434,
  close_range: 436,
  openat2: 437,
  pidfd_getfd: 438,
  mount_setattr: 442,
} as const;

/** By the name that Node has for the processor. */
const pivotRootNumbers: Readonly<Record<string, number>> = { x64: 155, arm64: 41 };

export type SystemCall = keyof typeof numbers | "pivot_root";

/** The number of a system call on this processor. Throws on one that this program was not written for. */
export function callNumber(name: SystemCall): number {
  const number = name === "pivot_root" ? pivotRootNumbers[arch] : numbers[name];
  if (number === undefined || pivotRootNumbers[arch] === undefined) {
    throw new Error(
      `Cannot call ${name}: its number on ${arch} is not known, only on x64 and arm64`,
    );
  }
  return number;
}
