// Names that carry their content's version: each content has a name of its own, so that a reference to it never goes stale.

/** kustomize writes ten hex digits of the hash with letters that make no words. */
const KUSTOMIZE = /^(.+)-([2456789bcdfghkmt]{10})$/;
/** Hex digits, or a number or version. */
const OTHER = /-(?:(?=[a-f]*\d)[0-9a-f]{8,64}|v?\d+(?:[.-]\d+)*)$/;

export function hasVersionInName(name: string): boolean {
  return kustomizeBase(name) !== undefined || OTHER.test(name);
}

/** "app" of "app-7k5c9bfm4t"; undefined if there is no such hash. */
export function kustomizeBase(name: string): string | undefined {
  const [, base, hash = ""] = KUSTOMIZE.exec(name) ?? [];
  // A word of ten letters is more likely a word.
  return /\d/.test(hash) ? base : undefined;
}
