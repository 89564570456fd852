import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { test } from "node:test";
import { FakeClock } from "../../src/base/testing/fake-clock.ts";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { KeeperConnection } from "../../src/runtime/logs/keeper-connection.ts";
import { keeperFiles } from "../../src/runtime/logs/keeper-files.ts";

test("a request to a keeper that does not answer fails, and says which", async () => {
  using dir = tempDir();
  const files = keeperFiles(dir.path);
  mkdirSync(files.directory);
  const silent = createServer(() => undefined);
  await once(silent.listen(files.socket), "listening");
  const clock = new FakeClock();
  const connection = await KeeperConnection.open(files, clock);
  const asked = connection.ask({ op: "finished", id: "a" });
  const refused = assert.rejects(asked, {
    message: 'The log keeper does not answer: "finished" was asked 30 s ago',
  });
  await clock.step(30_000);
  await refused;
  connection.close();
  await connection.closed;
  silent.close();
});
