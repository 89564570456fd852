// How people call this program from where they are: in a checkout by the script in its root, otherwise by its name.

import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { defaultDataDir } from "./store-flags.ts";
import { type CommandPlace, quoted } from "./up-message.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export function commandPlace({ dataDir }: { readonly dataDir: string }): CommandPlace {
  const directory = process.cwd();
  const path = (name: string): string => {
    const there = relative(directory, join(ROOT, name));
    return quoted(there.startsWith("..") ? join(ROOT, name) : there);
  };
  const script = path("driftless");
  const fromHere = script.includes("/") ? script : `./${script}`;
  return {
    directory,
    program: existsSync(join(ROOT, "driftless")) ? fromHere : "driftless",
    example: path("examples/hello.yaml"),
    home: homedir(),
    kubeconfigVariable: process.env["KUBECONFIG"] || undefined,
    hasDefaultDataDir: dataDir === defaultDataDir,
  };
}
