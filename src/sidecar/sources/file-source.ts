// One file as a source, called as it is called there; also one key of a volume, or a file that is mounted alone. path-source.ts does the work.

import type { SourceSpec } from "../compose-model.ts";
import { PathSource, type PathSourceOptions } from "./path-source.ts";

type PathParts = Pick<PathSourceOptions, "clock" | "logger" | "excludes">;

export function fileSource(
  name: string,
  { path, optional, isSecret, pollMs }: Extract<SourceSpec, { type: "file" }>,
  parts: PathParts,
): PathSource {
  return new PathSource({ name, type: "file", path, optional, isSecret, pollMs, ...parts });
}
