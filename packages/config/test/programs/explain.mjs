// Prints one explanation per line: explain.mjs <path>...

import process from "node:process";
import { explain } from "../../src/index.js";

for (const path of process.argv.slice(2)) {
  process.stdout.write(`${JSON.stringify(explain(path))}\n`);
}
