// The path rules of a volume. Kubernetes' AtomicWriter checks the path as it is spelled and cleans
// it afterwards, which lets "./..data" through; here the cleaned path is what is judged.

/** Limits of Linux, in bytes: NAME_MAX, and PATH_MAX as Kubernetes uses it. */
const MAX_NAME_BYTES = 255;
const MAX_PATH_BYTES = 4096;

export type CheckedPath =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly why: string };

/** Judges one key and returns its normal form: no empty and no "." segments, no trailing slash. */
export function checkPath(spelling: string): CheckedPath {
  const why = firstOffence(spelling);
  if (why !== undefined) return { ok: false, why };
  const segments = spelling.split("/").filter((segment) => segment !== "" && segment !== ".");
  return { ok: true, path: segments.join("/") };
}

function firstOffence(spelling: string): string | undefined {
  if (spelling === "") return "the path is empty";
  if (spelling.startsWith("/")) return "the path must be relative";
  if (spelling.includes("\0")) return "a path cannot contain a NUL byte";
  // Written as UTF-8 it would turn into U+FFFD, and two such keys into one file.
  if (!spelling.isWellFormed()) return "the path is not valid Unicode";
  const bytes = Buffer.byteLength(spelling);
  if (bytes > MAX_PATH_BYTES) return `${bytes} bytes is longer than ${MAX_PATH_BYTES}`;
  return segmentOffence(spelling.split("/"));
}

function segmentOffence(segments: readonly string[]): string | undefined {
  if (segments.includes("..")) return '".." would leave the volume';
  const long = segments.find((segment) => Buffer.byteLength(segment) > MAX_NAME_BYTES);
  if (long !== undefined) return `a name in it is longer than ${MAX_NAME_BYTES} bytes`;
  const last = segments.findLast((segment) => segment !== "");
  if (last === ".") return "it names a directory, not a file";
  const first = segments.find((segment) => segment !== "" && segment !== ".");
  if (first?.startsWith("..")) return 'names starting with ".." are reserved';
  return undefined;
}
