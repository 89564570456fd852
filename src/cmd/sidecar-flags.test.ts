import assert from "node:assert/strict";
import { test } from "node:test";
import { tempDir } from "../base/testing/temp-dir.ts";
import { sidecarPlan } from "./sidecar-flags.ts";

function notesOn(gate: object): readonly string[] {
  using dir = tempDir();
  const compose = { sources: { a: "/a" }, output: "/out", gate };
  dir.write({ "compose.yaml": JSON.stringify(compose) });
  return sidecarPlan(["-f", dir.join("compose.yaml")], {}).notes;
}

test("sidecarPlan notes that a gate without {dir} cannot see what it is to judge", () => {
  assert.match(notesOn({ command: "nginx -t" }).join(), /does not have \{dir\}/);
  assert.deepEqual(notesOn({ command: "nginx -t -c {dir}/nginx.conf" }), []);
  assert.deepEqual(notesOn({ command: ["sh", "-c", "grep -r x {dir}"] }), []);
  assert.deepEqual(notesOn({ schemas: { a: "/schema" } }), []);
});
