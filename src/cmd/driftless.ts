#!/usr/bin/env node
// Where the program begins. Compiled code is kept between runs, which halves the time to start; in the user's own
// directory, because whoever can write to it decides what runs.

import { enableCompileCache } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

const cache = join(homedir(), ".cache", "driftless", "compiled");
enableCompileCache(cache);
// For threads: they begin with a Node of their own.
process.env["NODE_COMPILE_CACHE"] ??= cache;
const { main } = await import("./main.ts");
await main();
