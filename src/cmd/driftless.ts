#!/usr/bin/env node
// Where the program begins. Compiled code is kept between runs, which halves the time to start; in the user's own
// directory, because whoever can write to it decides what runs.

import { enableCompileCache } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

enableCompileCache(join(homedir(), ".cache", "driftless", "compiled"));
const { main } = await import("./main.ts");
await main();
