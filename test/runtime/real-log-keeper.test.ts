// Containers and the real log keeper together.

import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { KeeperBench, linesOf } from "../logs/keeper-bench.ts";
import { cannotRun, LiveRuntime } from "./live-runtime.ts";

describe("a container with the log keeper", { skip: cannotRun }, () => {
  it("has all that it wrote in its log when it is reported to have ended", async () => {
    await using bench = new KeeperBench();
    await using live = await LiveRuntime.with({ logKeeper: bench.agent() });
    const logPath = join(live.root, "logs/default_web_1/main/0.log");
    const { exitCode } = await live.sh("seq 20000; echo last >&2; exit 3", { logPath });
    const lines = linesOf(logPath);
    assert.equal(exitCode, 3);
    assert.equal(lines.length, 20_001);
    assert.equal(lines.filter((line) => line.startsWith("stdout F ")).at(-1), "stdout F 20000");
    assert.ok(lines.includes("stderr F last"));
  });

  it("keeps what a user other than root writes through /dev/stdout", async () => {
    await using bench = new KeeperBench();
    await using live = await LiveRuntime.with({ logKeeper: bench.agent() });
    const logPath = join(live.root, "logs/default_web_1/main/0.log");
    const user = { uid: 4321, gid: 4321, supplementalGroups: [] };
    await live.sh("echo direct >/dev/stdout; echo wrong >/proc/1/fd/2", { logPath, user });
    assert.deepEqual(linesOf(logPath).toSorted(), ["stderr F wrong", "stdout F direct"]);
  });
});
