// Which part of a volume a container mounts, as a path below the volume's root. Only how it is written is looked at here; where it
// leads is the kernel's to say (sub-paths.ts).

import { posix } from "node:path";
import { expand } from "../../api/config/expansion.ts";
import type { VolumeMount } from "../../api/types.ts";
import { compareUtf8 } from "../../base/content-version.ts";

/** Undefined: all of the volume. Throws with the original's texts. */
export function expandSubPath(
  { subPath, subPathExpr }: Pick<VolumeMount, "subPath" | "subPathExpr">,
  variables: ReadonlyMap<string, string>,
): string | undefined {
  const path = subPathExpr ? expandedExpression(subPathExpr, variables) : subPath;
  if (!path) return undefined;
  if (posix.isAbsolute(path)) {
    throw new Error(`error SubPath \`${path}\` must not be an absolute path`);
  }
  if (path.split("/").includes("..")) {
    throw new Error(`unable to provision SubPath \`${path}\`: must not contain '..'`);
  }
  return path;
}

/** An empty value would make another directory of it, so it counts as missing. */
function expandedExpression(text: string, variables: ReadonlyMap<string, string>): string {
  const missing = new Set<string>();
  const expanded = expand(text, (name) => {
    const value = variables.get(name);
    if (!value) missing.add(name);
    return value;
  });
  if (missing.size === 0) return expanded;
  throw new Error(`missing value for ${[...missing].toSorted(compareUtf8).join(", ")}`);
}
