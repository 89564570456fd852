// Runs inside a container: a program that reads one configuration file, and is told to read it again whenever a watcher of that single
// file hears of something. As sidecars and entry points of many images do it.
//
//   node live-reloader.ts FILE PROGRAM ARGUMENT…

import { spawn } from "node:child_process";
import { type FSWatcher, watch } from "node:fs";

const [, , file = "", command = "", ...args] = process.argv;
const program = spawn(command, args, { stdio: "inherit" });
program.on("exit", (code) => process.exit(code ?? 1));
process.on("SIGTERM", () => program.kill("SIGTERM"));

function watchFile(): void {
  const watcher: FSWatcher = watch(file, () => {
    watcher.close();
    watchFile();
    program.kill("SIGHUP");
  });
}

watchFile();
