// Runs inside a container and watches a file in one way. Whenever it hears of something it reads the file, and says what is in it.
//
//   node live-watcher.ts file|directory|library PATH

import { type FSWatcher, readFileSync, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { watchConfig } from "../../packages/config/src/index.js";

const [, , way, path = ""] = process.argv;
let said = "";

function look(): void {
  const text = readFileSync(path, "utf8");
  if (text !== said) process.stdout.write(`${text}\n`);
  said = text;
}

/** As careful programs do: a watcher whose file was replaced is put on the new one, then it is looked. */
function watchFile(): void {
  const watcher: FSWatcher = watch(path, () => {
    watcher.close();
    watchFile();
  });
  look();
}

switch (way) {
  case "file":
    watchFile();
    break;
  case "directory":
    watch(dirname(path), (_, name) => {
      if (name === basename(path)) look();
    });
    look();
    break;
  default: {
    process.on("warning", ({ message }) => process.stdout.write(`warning ${message}\n`));
    // Without a poll: events alone must do.
    const config = await watchConfig<string>(path, { pollMs: 0, parse: "text" });
    for await (const { value } of config) process.stdout.write(`${value}\n`);
  }
}
