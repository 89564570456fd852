// Uses every public name once, on a volume and on a plain file, with nothing but the library:
// smoke.mjs <empty directory>. Prints "ok". Runs on every Node that the package supports.

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { explain, parseDotenv, snapshot, watchConfig } from "../../src/index.js";

const [, , directory = ""] = process.argv;
const volume = join(directory, "config");
const ack = join(directory, "ack");
mkdirSync(volume);
mkdirSync(ack);

/** @param {number} n */
function swap(n) {
  mkdirSync(join(volume, `..2026_08_20_18_59_46.${n}`));
  writeFileSync(join(volume, `..2026_08_20_18_59_46.${n}`, "app.json"), JSON.stringify({ n }));
  symlinkSync(`..2026_08_20_18_59_46.${n}`, join(volume, "..data_tmp"));
  renameSync(join(volume, "..data_tmp"), join(volume, "..data"));
  rmSync(join(volume, `..2026_08_20_18_59_46.${n - 1}`), { recursive: true, force: true });
}

swap(1);
assert.deepEqual(snapshot(volume).keys, ["app.json"]);
assert.equal(explain(volume).updates, "live");
assert.deepEqual(parseDotenv("A=1"), { A: "1" });

const watch = await watchConfig(join(volume, "app.json"), { ack, pollMs: 0 });
/** @type {unknown[]} */
const seen = [];
for await (const { value, kind } of watch) {
  seen.push([kind, value]);
  if (seen.length === 4) break;
  swap(seen.length + 1);
}
assert.deepEqual(seen, [
  ["initial", { n: 1 }],
  ["update", { n: 2 }],
  ["update", { n: 3 }],
  ["update", { n: 4 }],
]);
assert.equal(readdirSync(ack).length, 1);
await watch.close();
assert.deepEqual(readdirSync(ack), []);

const file = join(directory, "plain.env");
writeFileSync(file, "A=1");
const plain = await watchConfig(file, { ack: "" });
for await (const { kind, value } of plain) {
  if (kind === "update") {
    assert.deepEqual(value, { A: "2" });
    break;
  }
  writeFileSync(file, "A=2");
}
await plain[Symbol.asyncDispose]();
process.stdout.write("ok\n");
