import { deepEqual, equal, ok } from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { giveBackProgramPages, unchangedMappings } from "./program-pages.ts";

function mapping(head: string, kib: Readonly<Record<string, number>> = {}): string {
  const all = { Rss: 8, Private_Dirty: 0, Anonymous: 0, Swap: 0, Locked: 0, ...kib };
  const lines = Object.entries(all).map(
    ([name, value]) => `${name}:${String(value).padStart(16)} kB`,
  );
  return `${[head, ...lines].join("\n")}\nVmFlags: rd mr mw me\n`;
}

const TEXT =
  "00400000-00403000 r-xp 00000000 08:01 42                                /usr/bin/node";

function fileKib(): number {
  return Number(/^RssFile:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]);
}

describe("unchangedMappings", () => {
  it("takes a program's code and constants", () => {
    const constants = TEXT.replace("r-xp", "r--p").replaceAll("0040", "0050");
    deepEqual(unchangedMappings(mapping(TEXT) + mapping(constants, { Rss: 4 })), [
      { address: 0x400000n, bytes: 0x3000n, residentKib: 8 },
      { address: 0x500000n, bytes: 0x3000n, residentKib: 4 },
    ]);
  });

  it("leaves alone what has a page of its own, or may get one", () => {
    for (const [what, text] of Object.entries({
      relocated: mapping(TEXT, { Anonymous: 4 }),
      "swapped out": mapping(TEXT, { Swap: 4 }),
      dirty: mapping(TEXT, { Private_Dirty: 4 }),
      locked: mapping(TEXT, { Locked: 8 }),
      writable: mapping(TEXT.replace("r-xp", "rw-p")),
      shared: mapping(TEXT.replace("r-xp", "r--s")),
      "of no file": mapping("7f0000000000-7f0000001000 r--p 00000000 00:00 0 "),
      vdso: mapping("7f0000000000-7f0000001000 r-xp 00000000 00:00 0      [vdso]"),
      "not in memory": mapping(TEXT, { Rss: 0 }),
      "of a kernel that does not say": mapping(TEXT).replace(/^Swap:.*\n/m, ""),
    })) {
      deepEqual(unchangedMappings(text), [], what);
    }
  });
});

describe("giveBackProgramPages", () => {
  it("makes this process smaller, and it works as before", () => {
    const hash = (): string => createHash("sha256").update("x".repeat(100_000)).digest("hex");
    const [before, expected] = [fileKib(), hash()];
    const kib = giveBackProgramPages();
    ok(kib > 10_000, `${kib} KiB`);
    ok(fileKib() < before / 2, `${fileKib()} of ${before} KiB`);
    equal(hash(), expected);
    equal(JSON.stringify(structuredClone({ a: [1, "two"] })), '{"a":[1,"two"]}');
  });
});
