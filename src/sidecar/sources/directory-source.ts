// A directory as a source: a mounted volume (ConfigMap, Secret, projected, downward API), or one that people write to. path-source.ts does the work.

import type { SourceSpec } from "../compose-model.ts";
import { PathSource, type PathSourceOptions } from "./path-source.ts";

type PathParts = Pick<PathSourceOptions, "clock" | "logger" | "excludes">;

export function directorySource(
  name: string,
  { path, optional, isSecret, pollMs }: Extract<SourceSpec, { type: "directory" }>,
  parts: PathParts,
): PathSource {
  return new PathSource({ name, type: "directory", path, optional, isSecret, pollMs, ...parts });
}
