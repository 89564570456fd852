// The last good set as one file: a line with a checksum, a line of JSON that says what the files are, then their bytes. One file is replaced at one
// instant; a set that does not add up is none.

import { createHash } from "node:crypto";
import type { Candidate, CandidateFile } from "../publisher.ts";

const FORMAT = "driftless-set-1";

interface KeptFile {
  readonly path: string;
  readonly mode: number;
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined;
  readonly isSecret?: boolean | undefined;
  readonly bytes: number;
}

export function formatSet({ version, files }: Candidate): readonly Uint8Array[] {
  const list = [...files].map(
    ([path, { data, mode, owner, isSecret }]): KeptFile => ({
      ...{ path, mode, owner, isSecret },
      bytes: data.length,
    }),
  );
  const rest = [
    Buffer.from(`${JSON.stringify({ version, files: list })}\n`),
    ...[...files.values()].map(({ data }) => data),
  ];
  return [Buffer.from(`${FORMAT} ${checksum(rest)}\n`), ...rest];
}

/** Undefined if it is not whole, or nothing that this program writes. */
export function parseSet(bytes: Buffer): Candidate | undefined {
  const first = bytes.indexOf("\n");
  const second = bytes.indexOf("\n", first + 1);
  if (first < 0 || second < 0) return undefined;
  const rest = bytes.subarray(first + 1);
  if (bytes.subarray(0, first).toString() !== `${FORMAT} ${checksum([rest])}`) return undefined;
  // The checksum says that it is what was written, and so is its form.
  const { version, files: list } = JSON.parse(bytes.subarray(first + 1, second).toString()) as {
    readonly version: string;
    readonly files: readonly KeptFile[];
  };
  const files = new Map<string, CandidateFile>();
  let at = second + 1;
  for (const { path, mode, owner, isSecret, bytes: length } of list) {
    const data = bytes.subarray(at, at + length);
    files.set(path, { data, mode, owner, ...(isSecret !== undefined && { isSecret }) });
    at += length;
  }
  return { version, files };
}

function checksum(pieces: readonly Uint8Array[]): string {
  const sum = createHash("sha256");
  for (const piece of pieces) sum.update(piece);
  return sum.digest("hex");
}
