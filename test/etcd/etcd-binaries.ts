// The etcd versions that the store is tested with: 3.4 as Debian bookworm has it, from before progress
// answers were put in order, and 3.5 from the suite after it.

import { execFileSync } from "node:child_process";
import { ensureDebianPackages } from "../../tools/debian.ts";
import { type EnsuredBinary, ensureLaterDebianBinary } from "../../tools/debian-later.ts";

export type EtcdLine = "3.4" | "3.5";

/** Where the program is, or why it cannot be had. */
export async function etcdBinary(line: EtcdLine): Promise<EnsuredBinary> {
  const found = line === "3.4" ? await installed() : await later();
  if (!found.ok) {
    return found;
  }
  const version = execFileSync(found.path, ["--version"], { encoding: "utf8" });
  return version.includes(`etcd Version: ${line}.`)
    ? found
    : { ok: false, reason: `this system's etcd is not ${line}: ${version.split("\n")[0]}` };
}

async function installed(): Promise<EnsuredBinary> {
  const ensured = await ensureDebianPackages([{ command: "etcd", package: "etcd-server" }]);
  return ensured.ok ? { ok: true, path: "etcd" } : ensured;
}

function later(): Promise<EnsuredBinary> {
  return ensureLaterDebianBinary({
    suite: "trixie",
    package: "etcd-server",
    binary: "usr/bin/etcd",
    probe: ["--version"],
  });
}
