// Swaps a volume as fast as it can, until its parent goes away: swap.mjs <directory> <number of files>.
// Every file of one version has the same content.

import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync, writeSync } from "node:fs";
import process from "node:process";

const [, , directory = "", count = "8"] = process.argv;
mkdirSync(directory, { recursive: true });
process.stdin.on("close", () => process.exit());
process.stdin.resume();

let old = "";
let version = 0;

function swap() {
  version += 1;
  const name = `..2026_08_20_18_59_46.${version}`;
  mkdirSync(`${directory}/${name}`);
  for (let n = 0; n < Number(count); n += 1) {
    writeFileSync(`${directory}/${name}/key-${n}`, `${version}`);
  }
  symlinkSync(name, `${directory}/..data_tmp`);
  renameSync(`${directory}/..data_tmp`, `${directory}/..data`);
  if (old !== "") rmSync(`${directory}/${old}`, { recursive: true });
  old = name;
}

swap();
writeSync(1, "ready\n");
for (;;) {
  for (let n = 0; n < 200; n += 1) swap();
  await new Promise((resolve) => process.nextTick(resolve));
}
