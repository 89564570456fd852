import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const program = fileURLToPath(new URL("./no-watches.ts", import.meta.url));
const ownNamespace = ["--user", "--map-root-user", process.execPath];

describe("An agent without inotify watches", () => {
  it("delivers, heals and hears all the same, later, and says once each what is missing", async (t) => {
    const canLimit = await run("unshare", [...ownNamespace, "--version"]).then(
      () => true,
      () => false,
    );
    if (!canLimit) return t.skip("no user namespaces here");
    const { stdout } = await run("unshare", [...ownNamespace, program], { timeout: 120_000 });
    const { events, healed, last, warnings } = JSON.parse(stdout) as {
      readonly events: readonly string[];
      readonly healed: string;
      readonly last: string;
      readonly warnings: readonly string[];
    };
    assert.equal(healed, "1", "what somebody else removed is there again after a sync");
    assert.equal(last, "2", "new content is delivered");
    assert.deepEqual(events, ["TamperedOnDisk"]);
    const limits = warnings.filter((one) => /raise fs\.inotify\.max_user_watches/.test(one));
    assert.equal(limits.length, 2, warnings.join("\n"));
  });
});
