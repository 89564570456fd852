// The kubectl versions that the server is tested with, each from the Debian suite that has it.

import { execFileSync } from "node:child_process";
import { ensureLaterDebianBinary } from "../../tools/debian-later.ts";

export type KubectlLine = "1.20" | "1.32" | "1.36";

export const kubectlLines: readonly KubectlLine[] = ["1.20", "1.32", "1.36"];

export type EnsuredKubectl =
  | { readonly ok: true; readonly path: string; readonly version: string }
  | { readonly ok: false; readonly reason: string };

const packages = {
  "1.20": { suite: "bookworm", package: "kubernetes-client" },
  "1.32": { suite: "trixie", package: "kubectl" },
  "1.36": { suite: "forky", package: "kubectl" },
} as const satisfies Record<KubectlLine, { readonly suite: string; readonly package: string }>;

/**
 * Where the program is, or why it cannot be had. A suite that is not released yet may have moved on: the
 * version says what it really is.
 */
export async function kubectlBinary(line: KubectlLine): Promise<EnsuredKubectl> {
  const probe = ["version", "--client"];
  const wanted = { ...packages[line], binary: "usr/bin/kubectl", probe };
  const found = await ensureLaterDebianBinary(wanted);
  if (!found.ok) {
    return found;
  }
  const said = execFileSync(found.path, probe, { encoding: "utf8" });
  return { ...found, version: /v(\d+\.\d+\.\d+)/.exec(said)?.[1] ?? "of unknown version" };
}
