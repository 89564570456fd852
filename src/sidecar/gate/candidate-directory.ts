// The candidate in a private directory, as it would be live: same paths, contents, modes and owners.

import { chmodSync, chownSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { checkPath } from "../../files/payload-path.ts";
import { insidePath } from "../publish/inside-path.ts";
import type { Candidate } from "../publisher.ts";

/** Where files are that go elsewhere: no name of the set can begin like this. */
const OUTSIDE = "..outside";

/** Throws for a path that would lead out of the directory. */
export function writeCandidate(directory: string, { files }: Candidate): void {
  for (const [path, { data, mode, owner }] of files) {
    const checked = checkPath(insidePath(path));
    if (!checked.ok) throw new Error(`Cannot write "${path}": ${checked.why}`);
    const place = join(directory, isAbsolute(path) ? OUTSIDE : "", checked.path);
    mkdirSync(dirname(place), { recursive: true, mode: 0o755 });
    writeFileSync(place, data, { mode: 0o600 });
    if (owner !== undefined) chownSync(place, owner.uid, owner.gid);
    chmodSync(place, mode);
  }
}
