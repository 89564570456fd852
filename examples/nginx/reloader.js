// Makes nginx reload when its configuration has changed, if nginx finds no fault in it:
//   node reloader.js nginx -c FILE -t

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { watchConfig } from "@driftless/config";

const run = promisify(execFile);
const [program, ...check] = process.argv.slice(2);

const config = await watchConfig("/etc/web", {
  async apply({ kind, changed }) {
    await run(program, check).catch((error) => {
      throw new Error(error.stderr.trim().split("\n")[0]);
    });
    // The first version is the one that nginx has started with.
    if (kind === "initial") return;
    process.kill(Number(readFileSync("/run/web/nginx.pid", "utf8")), "SIGHUP");
    console.log(`reloaded: ${changed.join(", ")} changed`);
  },
  onError: (error) => console.log(`refused: ${error.message}`),
});
console.log("watching");
process.on("SIGTERM", () => process.exit());

// What there is to do was done by then.
for await (const _ of config);
