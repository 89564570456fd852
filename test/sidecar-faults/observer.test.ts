// Whoever watches the campaign is watched here: each fault, planted, is complained of, and what is right is not.

import assert from "node:assert/strict";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type TempDir, tempDir } from "../../src/base/testing/temp-dir.ts";
import { payloadOf, testWriter } from "../../src/files/testing/test-writer.ts";
import { AckCheck } from "./ack-check.ts";
import { confOf, documentOf } from "./faulty-set.ts";
import type { Complaint, Observed } from "./observer.ts";
import { Program, until } from "./program.ts";

const OBSERVER = join(import.meta.dirname, "observer.ts");

function setOf(number: number): Record<string, string> {
  return {
    "merged.yaml": `vol: ${number}\nobj: ${number}\nurl: ${number}\n`,
    "obj.conf": confOf("obj", number),
    "url.yaml": documentOf(number),
    "vol.conf": confOf("vol", number),
  };
}

const { "obj.conf": _, ...withoutOne } = setOf(6);

/** What follows on a good set with the number 5. */
const planted: Readonly<Record<Complaint["what"] | "nothing", Record<string, string>>> = {
  nothing: setOf(6),
  backwards: setOf(4),
  bad: { ...setOf(6), "merged.yaml": "vol: 6\nbad: true\nobj: 6\nurl: 6\n" },
  empty: { ...setOf(6), "url.yaml": "" },
  missing: withoutOne,
  mixed: { ...setOf(6), "vol.conf": confOf("vol", 7) },
  torn: { ...setOf(6), "obj.conf": confOf("obj", 6).slice(0, -5) },
};

function write(kind: Observed["kind"], directory: string, files: Record<string, string>): void {
  if (kind === "volume") testWriter(directory, { keepPreviousMs: 1000 }).write(payloadOf(files));
  else {
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(directory, "..new"), text);
      renameSync(join(directory, "..new"), join(directory, name));
    }
  }
}

function targetsIn(dir: TempDir): readonly Observed[] {
  return (["volume", "files"] as const).flatMap((kind) =>
    Object.keys(planted)
      // Between two renames plain files are of two versions.
      .filter((what) => kind === "volume" || (what !== "mixed" && what !== "missing"))
      .map((what) => {
        const directory = dir.join(kind, what);
        mkdirSync(directory, { recursive: true });
        write(kind, directory, setOf(5));
        return { name: `${what} in ${kind}`, kind, directory };
      }),
  );
}

describe("the observer", { timeout: 120_000 }, () => {
  it("complains of each planted fault, and of nothing else", async () => {
    using dir = tempDir();
    const targets = targetsIn(dir);
    await using program = Program.node([OBSERVER, JSON.stringify(targets)]);
    await until("it has begun", () => program.output !== "");
    for (const { name, kind, directory } of targets) {
      write(kind, directory, planted[name.split(" ")[0] as Complaint["what"]]);
    }
    const complaints = (): string[] => [
      ...new Set(
        program.output
          .split("\n")
          .filter((line) => line.includes('"what"'))
          .map((line) => JSON.parse(line) as Complaint)
          .map(({ name, what }) => `${name}: ${what}`),
      ),
    ];
    const wanted = targets
      .filter(({ name }) => !name.startsWith("nothing"))
      .map(({ name }) => `${name}: ${name.split(" ")[0]}`);
    await until(
      "all are found",
      () => wanted.every((one) => complaints().includes(one)),
      () => program.output,
    );
    await program.finish();
    assert.deepEqual(complaints().toSorted(), wanted.toSorted());
  });
});

describe("the check of acknowledgements", () => {
  it("complains of a version that is called applied and was never loaded", () => {
    using dir = tempDir();
    const loaded = new Set(["one"]);
    const check = new AckCheck(dir.path, "/x", { loaded });
    const ack = (version: string): void =>
      dir.write({ "x.7.json": JSON.stringify({ path: "/x", applied: { version } }) });
    dir.write({ "y.7.json": JSON.stringify({ path: "/y", applied: { version: "y" } }) });
    ack("one");
    check.look();
    assert.deepEqual(check.complaints, []);
    ack("two");
    check.look();
    assert.equal(check.complaints.length, 1);
    assert.equal(check.newest, "two");
  });
});
