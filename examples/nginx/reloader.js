// Makes nginx reload when its configuration has changed, if nginx finds no fault in it:
//   node reloader.js nginx -c FILE -t

import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { watchConfig } from "@driftless/config";

const run = promisify(execFile);
const [program, ...check] = process.argv.slice(2);
const pidFile = "/run/web/nginx.pid";
process.on("SIGTERM", () => process.exit());

while (!existsSync(pidFile)) await sleep(100);

const config = await watchConfig("/etc/web", {
  async apply({ kind, changed }) {
    await run(program, check).catch((error) => {
      throw new Error(error.stderr.trim().split("\n")[0]);
    });
    // The first version, too: nginx may have started with one before it.
    process.kill(Number(readFileSync(pidFile, "utf8")), "SIGHUP");
    if (kind !== "initial") console.log(`reloaded: ${changed.join(", ")} changed`);
  },
  onError: (error) => console.log(`refused: ${error.message}`),
});
console.log("watching");

// What there is to do was done by then.
for await (const _ of config);
