// A directory of a test's own that goes away with it, whether the test passes or not:
//   using dir = tempDir();

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export interface TempDir extends Disposable {
  readonly path: string;
  /** The path of something inside. */
  join(...names: readonly string[]): string;
  /** Writes files, given by relative path, with the directories above them. */
  write(files: Readonly<Record<string, string>>): void;
}

/** Makes an empty directory under the system's temporary directory. */
export function tempDir(): TempDir {
  const path = mkdtempSync(join(tmpdir(), "driftless-test-"));
  return {
    path,
    join: (...names) => join(path, ...names),
    write(files) {
      for (const [name, content] of Object.entries(files)) {
        mkdirSync(dirname(join(path, name)), { recursive: true });
        writeFileSync(join(path, name), content);
      }
    },
    // Retries, because a process that the test started may write its last file during the removal.
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }),
  };
}
