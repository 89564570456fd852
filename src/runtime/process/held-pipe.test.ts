import assert from "node:assert/strict";
import { closeSync, constants, openSync } from "node:fs";
import { describe, it } from "node:test";
import { systemClock } from "../../base/clock.ts";
import { tempDir } from "../../base/testing/temp-dir.ts";
import { makeFifo } from "../../mounts/system-calls.ts";
import { watchPipe } from "./held-pipe.ts";

const skip = process.platform === "linux" ? false : "pipes of Linux";

function pipeIn(dir: { join(name: string): string }): string {
  makeFifo(dir.join("pipe"), 0o600);
  return dir.join("pipe");
}

describe("watchPipe", { skip }, () => {
  it("tells when the last one who held the pipe lets go, and not before", async () => {
    using dir = tempDir();
    const path = pipeIn(dir);
    using pipe = watchPipe(path, { isHeldBefore: false });
    let isReleased = false;
    void pipe.released.then(() => {
      isReleased = true;
    });
    const holders = [openSync(path, constants.O_RDWR), openSync(path, "w")];
    closeSync(holders[0] ?? -1);
    await systemClock.sleep(5);
    assert.equal(isReleased, false);
    closeSync(holders[1] ?? -1);
    await pipe.released;
  });

  it("knows at once that nobody holds it any more", async () => {
    using dir = tempDir();
    using pipe = watchPipe(pipeIn(dir), { isHeldBefore: true });
    assert.equal(pipe.isReleased, true);
    await pipe.released;
  });

  it("knows that somebody still holds it", async () => {
    using dir = tempDir();
    const path = pipeIn(dir);
    const holder = openSync(path, constants.O_RDWR);
    using pipe = watchPipe(path, { isHeldBefore: true });
    assert.equal(pipe.isReleased, false);
    closeSync(holder);
    await pipe.released;
  });
});
