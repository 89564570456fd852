// Readers in processes of their own, while real sidecars and a real `driftless run` publish as fast as they can: a set is always one version, and a single file is
// always there, whole and not empty. Of the same readers and a writer that knows nothing of renames some must complain.

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { testWriter } from "../../src/files/testing/test-writer.ts";
import { LONG } from "../support/campaign.ts";
import { tmpfs } from "../support/tmpfs.ts";
import { tornPayload } from "../torn/torn-payload.ts";
import { Program, until } from "./program.ts";
import type { Seen, Target, Task } from "./torn-reader.ts";

const READER = join(import.meta.dirname, "torn-reader.ts");
const READERS = 2;
/** For each reader and target. */
const READS = LONG ? 30_000 : 300;
const VERSIONS = LONG ? 500 : 6;
const FILES = [...Array.from({ length: 6 }, (_, i) => `key-${i}`), "dir/key-6", "dir/key-7"];
/** `driftless run` tells its program of each version before it takes the next. */
const IDLE = "trap : USR1; tail -f /dev/null & while :; do wait; done";

interface Published {
  readonly program: Program;
  /** Its source, a volume. */
  readonly source: string;
  /** Where it publishes. */
  readonly live: () => string;
  readonly targets: readonly Omit<Target, "directory">[];
}

function sourceIn(directory: string): string {
  const source = join(directory, "source");
  mkdirSync(source, { recursive: true });
  testWriter(source).write(tornPayload(0));
  return source;
}

function sidecar(
  directory: string,
  kind: "files" | "volume",
  targets: Published["targets"],
  files?: readonly string[],
): Published {
  const source = sourceIn(directory);
  const live = join(directory, "live");
  const compose = {
    sources: { app: source },
    ...(files && { files }),
    output: { [kind]: live },
    reload: { actions: [{ touch: join(directory, "told") }], minWait: "1ms", maxWait: "1ms" },
  };
  writeFileSync(join(directory, "compose.yaml"), JSON.stringify(compose));
  const program = Program.driftless(["sidecar", "-f", join(directory, "compose.yaml")]);
  return { program, source, live: () => live, targets };
}

function run(directory: string, targets: Published["targets"]): Published {
  const source = sourceIn(directory);
  const parent = join(directory, "snapshots");
  mkdirSync(parent);
  const program = Program.driftless([
    ...["run", "--watch", source, "--snapshot-dir", parent, "--min-wait", "1ms"],
    ...["--on-change", "signal:USR1", "--", "sh", "-c", IDLE, "sh", "{snapshot}"],
  ]);
  return {
    program,
    source,
    live: () => join(parent, readdirSync(parent)[0] ?? "", "live"),
    targets,
  };
}

function numberIn(directory: string): number {
  try {
    return Number.parseInt(readFileSync(join(directory, FILES[0] ?? ""), "utf8"), 10);
  } catch {
    return -1; // It has not begun.
  }
}

/** The next version as soon as the one before is live, until the signal. How many there were. */
async function publishOn(published: Published, signal: AbortSignal): Promise<number> {
  const { program, source, live } = published;
  const writer = testWriter(source, { keepPreviousMs: 1000 });
  for (let number = 1; ; number++) {
    writer.write(tornPayload(number));
    while (numberIn(live()) !== number) {
      if (signal.aborted) return number;
      assert.ok(!program.hasFailed, `it has ended: ${program.log}`);
      await sleep(1);
    }
  }
}

async function readOn(task: Task, readers: number): Promise<readonly Seen[]> {
  await using programs = new AsyncDisposableStack();
  const started = Array.from({ length: readers }, () =>
    programs.use(Program.node([READER, JSON.stringify(task)])),
  );
  const all = await Promise.all(started.map((one) => one.finish()));
  return all.flatMap((text) =>
    Object.entries(JSON.parse(text) as Record<string, Seen>).map(([name, seen]) => ({
      ...seen,
      errors: seen.errors.map((one) => `${name}: ${one}`),
    })),
  );
}

const sum = (
  seen: readonly Seen[],
  what: "empty" | "missing" | "reads" | "torn" | "versions",
): number => seen.reduce((total, one) => total + one[what], 0);

async function readWhilePublishing(directory: string): Promise<{
  readonly seen: readonly Seen[];
  readonly swaps: readonly number[];
}> {
  await using programs = new AsyncDisposableStack();
  const set = { kind: "set", files: [] } as const;
  const files = { kind: "files", files: FILES } as const;
  const published = [
    sidecar(join(directory, "volume"), "volume", [
      { name: "volume", ...set },
      { name: "paths of the volume", ...files },
    ]),
    sidecar(join(directory, "files"), "files", [{ name: "files", ...files }]),
    sidecar(
      join(directory, "one"),
      "files",
      [{ name: "one", kind: "files", files: ["key-0"] }],
      ["app/key-0"],
    ),
    run(join(directory, "run"), [
      { name: "snapshot", ...set },
      { name: "paths of the snapshot", ...files },
    ]),
  ];
  for (const { program } of published) programs.use(program);
  for (const { program, live } of published) {
    await until(
      "the first version is live",
      () => numberIn(live()) === 0,
      () => program.log,
    );
  }
  const stop = new AbortController();
  const swaps = Promise.all(published.map((one) => publishOn(one, stop.signal)));
  const targets = published.flatMap((one) =>
    one.targets.map((target) => ({ ...target, directory: one.live() })),
  );
  try {
    const seen = await Promise.race([
      readOn({ targets, reads: READS, versions: VERSIONS }, READERS),
      swaps.then(() => []),
    ]);
    stop.abort();
    return { seen, swaps: await swaps };
  } finally {
    stop.abort();
    // Killed, it would leave its program behind.
    await Promise.all(published.map(({ program }) => program.kill("SIGTERM")));
  }
}

describe("what is published", { timeout: LONG ? 1_700_000 : 230_000 }, () => {
  for (const kind of LONG ? (["tmpfs", "disk"] as const) : (["tmpfs"] as const)) {
    it(`is never torn, empty or missing for its readers, whatever the output, on ${kind}`, async (t) => {
      using mount = kind === "tmpfs" ? tmpfs("size=64m") : tempDir();
      if (!("path" in mount)) return t.skip(mount.reason);
      const { seen, swaps } = await readWhilePublishing(mount.path);
      t.diagnostic(
        `${sum(seen, "reads")} reads of ${sum(seen, "versions")} versions; ${swaps.join(", ")} swaps`,
      );
      assert.deepEqual(
        seen.flatMap(({ errors }) => errors),
        [],
      );
      for (const what of ["torn", "empty", "missing"] as const)
        assert.equal(sum(seen, what), 0, what);
      return undefined;
    });
  }
});

/** Writes the next version in the way of `write` until the signal. */
async function writeBadly(write: (number: number) => void, signal: AbortSignal): Promise<void> {
  for (let number = 1; !signal.aborted; number++) {
    write(number);
    await setImmediate();
  }
}

const planted: Readonly<
  Record<
    string,
    {
      readonly kind: Target["kind"];
      readonly finds: "empty" | "missing" | "torn";
      readonly write: (file: string, text: string) => void;
    }
  >
> = {
  "writes over a volume's files in their places": {
    kind: "set",
    finds: "torn",
    write: (file, text) => writeFileSync(file, text),
  },
  "empties files before it fills them": {
    kind: "files",
    finds: "empty",
    write: (file, text) => writeFileSync(file, text),
  },
  "fills files in two steps": {
    kind: "files",
    finds: "torn",
    write: (file, text) => {
      writeFileSync(file, text.slice(0, 50));
      writeFileSync(file, text.slice(50), { flag: "a" });
    },
  },
  "removes files before it puts the new ones there": {
    kind: "files",
    finds: "missing",
    write: (file, text) => {
      writeFileSync(`${file}.new`, text);
      rmSync(file);
      renameSync(`${file}.new`, file);
    },
  },
};

describe("the readers", { timeout: LONG ? 1_700_000 : 230_000 }, () => {
  it("notice each writer that knows nothing of renames", async () => {
    using temp = tempDir();
    const targets = Object.entries(planted).map(([name, { kind, finds }]): Target => {
      const directory = temp.join(finds, kind);
      mkdirSync(directory, { recursive: true });
      testWriter(directory).write(tornPayload(0));
      return { name, kind, finds, directory, files: FILES };
    });
    const stop = new AbortController();
    const writing = writeBadly((number) => {
      for (const { name, directory } of targets) {
        for (const { path, data } of tornPayload(number).files) {
          planted[name]?.write(join(directory, "..data", path), Buffer.from(data).toString());
        }
      }
    }, stop.signal);
    try {
      const seen = await readOn({ targets, reads: 0, versions: 0 }, 1);
      assert.equal(seen.length, targets.length);
      for (const what of ["torn", "empty", "missing"] as const) assert.ok(sum(seen, what) > 0);
    } finally {
      stop.abort();
      await writing;
    }
  });
});
