// Whoever reads what a command prints may go away at any time, as `head` does; and what it is written to may be full.

import { deepEqual, equal, match } from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { openSync } from "node:fs";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../src/cmd/driftless.ts", import.meta.url));

interface End {
  readonly code: number | null;
  readonly said: string;
}

function started(args: readonly string[], stdout: "pipe" | number): ChildProcess {
  return spawn(process.execPath, [program, ...args], { stdio: ["ignore", stdout, "pipe"] });
}

async function endOf(child: ChildProcess): Promise<End> {
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const said = child.stderr === null ? "" : await text(child.stderr);
  return { code: await ended, said };
}

describe("output that is lost", () => {
  for (const command of [[], ["sidecar"], ["get"]]) {
    it(`is no failure of driftless ${[...command, "--help"].join(" ")}`, async () => {
      const child = started([...command, "--help"], "pipe");
      child.stdout?.destroy();
      deepEqual(await endOf(child), { code: 0, said: "" });
    });
  }

  it("is said when there is no room for it", async () => {
    const { code, said } = await endOf(started(["sidecar", "--help"], openSync("/dev/full", "w")));
    equal(code, 1);
    match(said, /^driftless: ENOSPC: .*\n$/);
  });
});
