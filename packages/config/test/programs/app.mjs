// A small application: app.mjs <path> <what it does>. Prints a line per change; its variables name
// the acknowledgement directory.

import process from "node:process";
import { watchConfig } from "../../src/index.js";

const [, , path = "", does = ""] = process.argv;
const watch = await watchConfig(path, { parse: "text" });

switch (does) {
  case "use current": {
    process.stdout.write(`current ${JSON.stringify(watch.current)}\n`);
    break;
  }
  case "leave a loop": {
    for await (const { kind } of watch) {
      process.stdout.write(`${kind}\n`);
      break;
    }
    break;
  }
  case "reload on SIGHUP": {
    watch.reloadOn("SIGHUP");
    for await (const { kind, value } of watch) {
      process.stdout.write(`${kind} ${JSON.stringify(value)}\n`);
    }
    break;
  }
  default:
    throw new Error(`Cannot do "${does}"`);
}
