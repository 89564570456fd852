// Swaps versions as fast as it can until its standard input ends, then prints how many.
//
//   node writer-child.ts DIRECTORY GRACE-MS

import { testWriter } from "../../src/files/testing/test-writer.ts";
import { tornPayload } from "./torn-payload.ts";

const [, , directory = "", graceMs] = process.argv;
const writer = testWriter(directory, { keepPreviousMs: Number(graceMs) });
let number = 0;
let ended = false;
process.stdin.on("end", () => {
  ended = true;
});
process.stdin.resume();

function loop(): void {
  for (let i = 0; i < 20; i++) writer.write(tornPayload(++number));
  if (ended) process.stdout.write(JSON.stringify({ swaps: number }));
  else setImmediate(loop);
}
loop();
