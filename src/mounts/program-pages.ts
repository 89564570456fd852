// Gives back the memory of what only a start needs: most of the pages of Node's program that are in use after it, compiler and snapshot among them, are never touched again
// by a process that waits. The kernel would take them away itself when memory is short; told early, it does so while there is plenty. What is needed after all
// comes back from the file, page by page.

import { readFileSync } from "node:fs";
import { call } from "./libc.ts";

const MADV_DONTNEED = 4;

interface Mapping {
  readonly address: bigint;
  readonly bytes: bigint;
  readonly residentKib: number;
}

/** How many KiB were given back. Throws where the kernel says no. */
export function giveBackProgramPages(
  smaps: string = readFileSync("/proc/self/smaps", "latin1"),
): number {
  let kib = 0;
  for (const { address, bytes, residentKib } of unchangedMappings(smaps)) {
    call(
      "int madvise(uintptr_t address, size_t bytes, int advice)",
      [address, bytes, MADV_DONTNEED],
      { syscall: "madvise" },
    );
    kib += residentKib;
  }
  return kib;
}

/**
 * Private mappings of files, for reading or running only, of which not one page differs from its file. Those with pages of their own, such as what the dynamic linker
 * has written addresses to and made read-only after, would lose them.
 */
export function unchangedMappings(smaps: string): readonly Mapping[] {
  return smaps
    .split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m)
    .map(mappingOf)
    .filter((one) => one !== undefined);
}

function mappingOf(text: string): Mapping | undefined {
  const found = /^([0-9a-f]+)-([0-9a-f]+) r-[x-]p \S+ \S+ \d+ +\//.exec(text);
  const [, from, to] = found ?? [];
  if (from === undefined || to === undefined) return undefined;
  const isAsInFile = ["Anonymous", "Swap", "Private_Dirty", "Locked"].every(
    (name) => kibOf(text, name) === 0,
  );
  const residentKib = kibOf(text, "Rss") ?? 0;
  if (!isAsInFile || residentKib === 0) return undefined;
  const address = BigInt(`0x${from}`);
  return { address, bytes: BigInt(`0x${to}`) - address, residentKib };
}

/** Undefined if the kernel does not say: then nothing is known. */
function kibOf(text: string, name: string): number | undefined {
  const found = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}
