// Reads a database for ever, with two connections of which one begins before the other ends: there never is
// a moment without a reader. Prints a line when it has begun.
//
//   node reading-child.ts FILE

import { openForReading } from "../../src/storage/sqlite/database.ts";

const READ_MS = 5;

const [, , file = ""] = process.argv;
const readers = [openForReading(file), openForReading(file)];
const never = new Int32Array(new SharedArrayBuffer(4));
for (let i = 0; ; i++) {
  const [next, last] = i % 2 === 0 ? readers : readers.toReversed();
  next?.exec("BEGIN; SELECT count(*) FROM log");
  if (i === 0) console.log("reading");
  else last?.exec("COMMIT");
  Atomics.wait(never, 0, 0, READ_MS);
}
