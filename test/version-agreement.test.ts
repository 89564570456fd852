// The writer and the library each compute the version of a set of files; they share a definition, not
// code, because the library has no dependencies. Here they meet.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { describe, it } from "node:test";
import fc from "fast-check";
import { snapshot } from "../packages/config/src/index.js";
import { tempDir } from "../src/base/testing/temp-dir.ts";
import { Payload, PayloadError } from "../src/files/payload.ts";
import { readVersion } from "../src/files/read-version.ts";
import { testWriter } from "../src/files/testing/test-writer.ts";

const segment = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 12 })
  .filter((text) => !text.startsWith("..") && !/[/\0]/.test(text));
const path = fc.array(segment, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
const files = fc.array(fc.tuple(path, fc.uint8Array({ maxLength: 200 })), { maxLength: 8 });

describe("the version of a volume", () => {
  it("is the same for the writer, on disk and for a reader, whatever the files", () => {
    using dir = tempDir();
    let tried = 0;
    fc.assert(
      fc.property(files, (entries) => {
        let payload: Payload;
        try {
          payload = Payload.from(entries.map(([name, data]) => [name, { data, mode: 0o644 }]));
        } catch (err) {
          assert.ok(err instanceof PayloadError);
          return;
        }
        const volume = dir.join(String(tried++));
        mkdirSync(volume);
        testWriter(volume).write(payload);

        const taken = snapshot(volume);

        assert.equal(taken.version, payload.version);
        assert.equal(readVersion(volume), payload.version);
        assert.deepEqual(
          taken.keys,
          payload.files.map((file) => file.path),
        );
      }),
      { numRuns: 300 },
    );
    assert.ok(tried > 100, "most sets of files could be written");
  });

  it("is the same for contents above and below what is hashed in one call", () => {
    using dir = tempDir();
    for (const bytes of [65_000, 65_536, 66_000, 1_000_000]) {
      const volume = dir.join(String(bytes));
      mkdirSync(volume);
      const payload = Payload.from([["a", { data: Buffer.alloc(bytes, "x"), mode: 0o644 }]]);
      testWriter(volume).write(payload);

      assert.equal(snapshot(volume).version, payload.version);
    }
  });
});
