// G3: an acknowledged write survives kill -9 and power cuts. A server writes under load and is ended, again
// and again; each time the whole log must agree with everything that was ever acknowledged.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { seededRandom } from "../../src/base/testing/seeded-random.ts";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { LONG, testSeed } from "../support/campaign.ts";
import { loopDisk } from "../support/loop-disk.ts";
import { type Acknowledged, assertKept, writeUntil } from "./acknowledgements.ts";

const KILLS = LONG ? 100 : 5;
const POWER_CUTS = LONG ? 50 : 3;
/** Then another database is begun: each is read as a whole after every round. */
const ROUNDS_PER_DATABASE = 5;
/** The server is ended after so many acknowledgements, more or less. */
const MAX_WRITES_PER_ROUND = 3000;

describe("SqliteStore", () => {
  it(`G3 has every acknowledged write after each of ${KILLS} kills under load`, async (t) => {
    const seed = testSeed();
    t.diagnostic(`seed ${seed}: repeat with npm test -- storage/crash --seed ${seed}`);
    const random = seededRandom(seed);
    using dir = tempDir();
    let acknowledged: Acknowledged = new Map();
    for (let round = 0; round < KILLS; round++) {
      if (round % ROUNDS_PER_DATABASE === 0) acknowledged = new Map();
      const directory = dir.join(`data-${Math.floor(round / ROUNDS_PER_DATABASE)}`);

      await writeUntil(acknowledged, {
        directory,
        writes: 1 + (random.uint32() % MAX_WRITES_PER_ROUND),
        end: (child) => child.kill("SIGKILL"),
      });

      await assertKept(directory, acknowledged);
    }
    t.diagnostic(`${acknowledged.size} acknowledged writes in the last database`);
  });

  it(`G3 has every acknowledged write after each of ${POWER_CUTS} power cuts under load`, async (t) => {
    const seed = testSeed();
    t.diagnostic(`seed ${seed}: repeat with npm test -- storage/crash --seed ${seed}`);
    const random = seededRandom(seed);
    using disk = await loopDisk();
    if (!("path" in disk)) return t.skip(disk.reason);
    const acknowledged: Acknowledged = new Map();
    for (let round = 0; round < POWER_CUTS; round++) {
      await writeUntil(acknowledged, {
        directory: `${disk.path}/data`,
        writes: 1 + (random.uint32() % (MAX_WRITES_PER_ROUND / 3)),
        end: (child) => disk.cutPower(() => child.kill("SIGKILL")),
      });
      disk.restorePower();

      await assertKept(`${disk.path}/data`, acknowledged);
    }
    t.diagnostic(`${acknowledged.size} acknowledged writes`);
    assert.ok(acknowledged.size >= POWER_CUTS);
    return undefined;
  });
});
