// Copies of watched files that are in memory.

import type { Settings } from "../settings.ts";
import { SnapshotError, type SnapshotFiles } from "../snapshot-files.ts";

/** Copies that remember what they were made of, on a disk that may be full. */
export class FakeCopies {
  readonly live: string = "/copies";
  readonly published: (string | undefined)[] = [];
  isFull: boolean = false;

  publish({ directories }: Settings): void {
    if (this.isFull) throw new SnapshotError("no space");
    this.published.push(text(directories.get("/etc/app")?.get("conf")));
  }
}

function text(data: Uint8Array | undefined): string | undefined {
  return data && Buffer.from(data).toString();
}

/** For the program. */
export function withCopies(copies: FakeCopies): { snapshots: SnapshotFiles } {
  return { snapshots: copies as unknown as SnapshotFiles };
}
