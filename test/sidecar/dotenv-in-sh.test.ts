// What the sidecar writes as dotenv is what a shell reads.

import { deepEqual } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import fc from "fast-check";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { dotenvLine } from "../../src/sidecar/make/dotenv.ts";

const spice = fc.constantFrom(
  "'",
  '"',
  "\\",
  "$",
  "`",
  "\n",
  "\r",
  " ",
  "#",
  "=",
  "~",
  "*",
  "!",
  ";",
  "&",
  "a",
  "ü",
);
const values = fc.array(
  fc.oneof(
    fc.string().filter((one) => !one.includes("\0") && one.isWellFormed()),
    fc.array(spice).map((one) => one.join("")),
  ),
  { minLength: 40, maxLength: 40 },
);

describe("dotenv", () => {
  it("is read by sh as it was meant", () => {
    using dir = tempDir();
    fc.assert(
      fc.property(values, (all) => {
        const names = all.map((_, index) => `VALUE_${index}`);
        dir.write({
          "x.env": all.map((value, index) => dotenvLine(`VALUE_${index}`, value)).join(""),
        });
        const { stdout } = spawnSync("sh", ["-c", "set -a; . ./x.env; exec env -0"], {
          cwd: dir.path,
          env: { PATH: "/usr/bin:/bin" },
          encoding: "utf8",
        });
        const read = new Map(
          stdout
            .split("\0")
            .map((one) => [one.slice(0, one.indexOf("=")), one.slice(one.indexOf("=") + 1)]),
        );
        deepEqual(
          names.map((name) => read.get(name)),
          all,
        );
      }),
      { numRuns: 20 },
    );
  });
});
