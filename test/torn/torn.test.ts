// G1: a snapshot through the library is always one version, and through plain paths every single file
// is wholly old or wholly new, while a writer swaps as fast as it can. The same harness with a naive
// reader must find mixtures, or it could not find any.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { testWriter } from "../../src/files/testing/test-writer.ts";
import { LONG } from "../support/campaign.ts";
import { tmpfs } from "../support/tmpfs.ts";
import { tornPayload } from "./torn-payload.ts";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const SNAPSHOTS = LONG ? 500_000 : 60_000;
const READERS = 3;
/** Each reader goes on until it has seen this many, however slow the writer is on this machine. */
const MIN_VERSIONS = 50;
/**
 * The library needs no grace time. Plain paths do: between following `..data` and opening the file
 * the kernel may find that version gone.
 */
const GRACE_MS = { library: 0, naive: 0, paths: 1000 };

interface Seen {
  readonly snapshots: number;
  readonly mixed: number;
  readonly errors: readonly string[];
  readonly versions: number;
}

interface Report {
  readonly readers: readonly Seen[];
  readonly swaps: number;
}

/** Several readers of a kind in processes of their own, under one writer. */
async function readUnderSwaps(
  directory: string,
  kind: keyof typeof GRACE_MS,
  each: number,
): Promise<Report> {
  testWriter(directory).write(tornPayload(0));
  const writer = spawn(
    process.execPath,
    [`${HERE}/writer-child.ts`, directory, String(GRACE_MS[kind])],
    {
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  let printed = "";
  writer.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  const closed = new Promise((resolve) => writer.once("close", resolve));
  try {
    const runs = Array.from({ length: READERS }, () =>
      promisify(execFile)(process.execPath, [
        `${HERE}/reader-child.ts`,
        directory,
        kind,
        String(each),
        String(MIN_VERSIONS),
      ]),
    );
    const readers = (await Promise.all(runs)).map(({ stdout }) => JSON.parse(stdout) as Seen);
    writer.stdin.end();
    await closed;
    return { readers, ...(JSON.parse(printed) as { swaps: number }) };
  } finally {
    writer.kill("SIGKILL");
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

for (const kind of ["tmpfs", "disk"] as const) {
  describe(`G1 readers under a writer that swaps without pause, on ${kind}`, () => {
    const share = kind === "tmpfs" ? 1 : 0.25;
    const each = Math.ceil((SNAPSHOTS * share) / READERS);

    it("get one version in every snapshot of the library, and never an error", async (t) => {
      using mount = kind === "tmpfs" ? tmpfs("size=64m") : tempDir();
      if (!("path" in mount)) return t.skip(mount.reason);

      const { readers, swaps } = await readUnderSwaps(mount.path, "library", each);

      const versions = sum(readers.map((seen) => seen.versions));
      t.diagnostic(
        `${sum(readers.map((seen) => seen.snapshots))} snapshots, ${swaps} swaps, ${versions} versions seen`,
      );
      assert.deepEqual(
        readers.flatMap((seen) => seen.errors),
        [],
      );
      assert.equal(sum(readers.map((seen) => seen.mixed)), 0);
      return undefined;
    });

    it("get every single file whole, and never miss one, through its plain path", async (t) => {
      using mount = kind === "tmpfs" ? tmpfs("size=64m") : tempDir();
      if (!("path" in mount)) return t.skip(mount.reason);

      const { readers, swaps } = await readUnderSwaps(mount.path, "paths", each);

      t.diagnostic(`${sum(readers.map((seen) => seen.snapshots))} files, ${swaps} swaps`);
      assert.deepEqual(
        readers.flatMap((seen) => seen.errors),
        [],
      );
      assert.equal(sum(readers.map((seen) => seen.mixed)), 0);
      return undefined;
    });
  });
}

describe("the torn-read test", () => {
  it("is able to fail: a naive reader mixes versions", async (t) => {
    using temp = tempDir();

    const { readers, swaps } = await readUnderSwaps(temp.path, "naive", 2000);

    const mixed = sum(readers.map((seen) => seen.mixed));
    t.diagnostic(`${mixed} of ${2000 * READERS} naive snapshots mixed, ${swaps} swaps`);
    assert.ok(mixed > 0);
  });
});
