// Reads a volume of self-describing payloads without pause, pinning `..data` as a careful program
// would, until its standard input ends; then prints what it saw as JSON.
//
//   node reader-child.ts DIRECTORY

import { existsSync, readFileSync, readlinkSync } from "node:fs";

const [, , directory = ""] = process.argv;
const seen = { whole: 0, moved: 0, versions: 0, bad: [] as string[] };
let last = "";

function look(): void {
  const target = readlinkSync(`${directory}/..data`);
  try {
    check(target);
    seen.whole++;
    if (target !== last) seen.versions++;
    last = target;
  } catch (err) {
    // The version that was pinned went away because another took its place: not a fault.
    if (readlinkSync(`${directory}/..data`) !== target) seen.moved++;
    else if (seen.bad.length < 10) seen.bad.push(String(err));
  }
}

function check(target: string): void {
  const read = (path: string): string => readFileSync(`${directory}/${target}/${path}`, "utf8");
  const [number, ...paths] = read("manifest").split("\n");
  for (const path of paths.filter((each) => each !== "")) {
    if (!read(path).startsWith(`${number}\n${path} `)) throw new Error(`${path} is not ${number}`);
  }
}

let ended = false;
process.stdin.on("end", () => {
  ended = true;
});
process.stdin.resume();

function loop(): void {
  for (let i = 0; i < 20 && existsSync(`${directory}/..data`); i++) look();
  if (ended) process.stdout.write(JSON.stringify(seen));
  else setImmediate(loop);
}
loop();
