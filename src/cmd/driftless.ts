#!/usr/bin/env node
// Where the program begins. Compiled code is kept between runs, which halves the time to start; in the user's own
// directory, because whoever can write to it decides what runs.

import { enableCompileCache } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { hearEarly } from "./early-signals.ts";

if (process.pid === 1) hearEarly(process);
// Beside an app memory counts for more than speed: 2 MiB for what is new, and not up to 32; and no optimizing compiler, which takes
// 10 MiB for itself and pays off only for what computes for seconds. docs/sidecar.md has the figures.
if (["sidecar", "run"].includes(process.argv[2] ?? "")) {
  const { setFlagsFromString } = process.getBuiltinModule("node:v8");
  for (const flag of ["--semi-space-growth-factor=1", "--no-opt"]) setFlagsFromString(flag);
}
const cache = join(homedir(), ".cache", "driftless", "compiled");
enableCompileCache(cache);
// For threads: they begin with a Node of their own.
process.env["NODE_COMPILE_CACHE"] ??= cache;
const { main } = await import("./main.ts");
await main();
