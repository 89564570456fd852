// Writes self-describing payloads into a volume until its standard input ends, then prints how the
// writes ended, as JSON.
//
//   node writer-child.ts DIRECTORY FIRST-NUMBER

import { testWriter } from "../../src/files/testing/test-writer.ts";
import { WriteError } from "../../src/files/write-error.ts";
import { selfDescribing } from "../crash/scenarios.ts";

const [, , directory = "", first = "0"] = process.argv;
const writer = testWriter(directory);
const endings = { written: 0, refused: 0, other: [] as string[] };
let number = Number(first);
let ended = false;

process.stdin.on("end", () => {
  ended = true;
});
process.stdin.resume();

function write(): void {
  try {
    writer.write(selfDescribing(number++));
    endings.written++;
  } catch (err) {
    if (!(err instanceof WriteError)) throw err;
    endings.refused++;
    if (!/one writer|EEXIST|ENOENT|ENOTEMPTY/.test(err.message)) endings.other.push(err.message);
  }
}

function loop(): void {
  for (let i = 0; i < 5; i++) write();
  if (ended) process.stdout.write(JSON.stringify(endings));
  else setImmediate(loop);
}
loop();
