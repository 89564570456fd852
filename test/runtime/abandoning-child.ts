// A runtime that dies between starting a shim and telling it what to do. Prints who the shim was.

import { mkdirSync } from "node:fs";
import { makeFifo } from "../../src/mounts/system-calls.ts";
import { ContainerFiles } from "../../src/runtime/process/container-files.ts";
import { reserveFailure } from "../../src/runtime/process/container-state.ts";
import { startShim } from "../../src/runtime/process/shim.ts";

const files = new ContainerFiles(process.argv[2] ?? "");
mkdirSync(files.directory, { recursive: true });
for (const path of [files.alive, files.starting, files.stdout, files.stderr]) makeFifo(path, 0o600);
reserveFailure(files);
const cacheDirectory = `${files.directory}-cache`;
const { identity } = startShim({
  ...{ files, title: "abandoned", cacheDirectory },
  ...{ env: [], pidNamespace: "new" },
});
process.stdout.write(`${JSON.stringify(identity)}\n`);
process.exit();
