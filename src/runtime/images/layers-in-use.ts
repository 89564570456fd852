// Which directories are the lower parts of overlays that are mounted anywhere on this machine, containers' own mounts included.

import { readdirSync, readFileSync } from "node:fs";

/** Says of a layer's directory whether an overlay is on it now. What cannot be read has ended meanwhile. */
export function layersInUse(proc: string): (path: string) => boolean {
  const mounts = new Set<string>();
  for (const pid of readdirSync(proc).filter((name) => /^\d+$/.test(name))) {
    for (const line of mountsOf(`${proc}/${pid}/mountinfo`)) {
      if (line.includes(" - overlay ")) mounts.add(line);
    }
  }
  const all = [...mounts].join("\n");
  return (path) => all.includes(path);
}

function mountsOf(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8").split("\n");
  } catch {
    return [];
  }
}
