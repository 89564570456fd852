// The YAML library, loaded when it is first used: a pod that reaches its server by its account reads no YAML at all, and the library is several MiB of memory.

import { createRequire } from "node:module";

const load = createRequire(import.meta.url);

export function yaml(): typeof import("yaml") {
  return load("yaml") as typeof import("yaml");
}
