// Reads a volume until it has taken so many snapshots and seen so many versions, and prints what it
// saw as JSON.
//
//   node reader-child.ts DIRECTORY library|naive|paths SNAPSHOTS VERSIONS
//
//   library  through snapshot() of @driftless/config
//   naive    file after file through the visible paths, as programs do; every eight are a snapshot
//   paths    single files through the visible paths: each must be wholly of one version

import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { snapshot } from "../../packages/config/src/index.js";
import { isOneFile, isOneVersion } from "./torn-payload.ts";

const [, , directory = "", kind, snapshots, versions] = process.argv;
const names = [...Array.from({ length: 6 }, (_, i) => `key-${i}`), "dir/key-6", "dir/key-7"];
const seen = { snapshots: 0, mixed: 0, errors: [] as string[], versions: 0 };
let last = "";

async function readOnce(): Promise<boolean> {
  switch (kind) {
    case "library": {
      const taken = snapshot(directory);
      return note(taken.version, isOneVersion(taken.keys.map((key) => taken.text(key))));
    }
    case "naive": {
      const texts: string[] = [];
      for (const name of names) texts.push(await readFile(`${directory}/${name}`, "utf8"));
      return note(texts.join(), isOneVersion(texts));
    }
    default: {
      const name = names[seen.snapshots % names.length];
      const text = readFileSync(`${directory}/${name}`, "utf8");
      return note(text, isOneFile(text));
    }
  }
}

function note(version: string, whole: boolean): boolean {
  if (version !== last) seen.versions++;
  last = version;
  return whole;
}

while (seen.snapshots < Number(snapshots) || seen.versions < Number(versions)) {
  try {
    if (!(await readOnce())) seen.mixed++;
  } catch (err) {
    if (seen.errors.length < 10) seen.errors.push(String(err));
  }
  seen.snapshots++;
}
process.stdout.write(JSON.stringify(seen));
