// Patterns of keys: "*" stands for any characters, "?" for one. No regular expression, because a policy is not to be trusted with
// the time of whoever matches: this takes at most pattern times key steps.

/** Whether no pattern is given, or one of them stands for the whole key. */
export function matchesKey(patterns: readonly string[], key: string): boolean {
  return patterns.length === 0 || patterns.some((pattern) => matches(pattern, key));
}

function matches(pattern: string, key: string): boolean {
  let p = 0;
  let k = 0;
  /** Behind the last star, and where in the key it was tried last. */
  let star: { readonly p: number; k: number } | undefined;
  while (k < key.length) {
    if (pattern[p] === "*") {
      p++;
      star = { p, k };
    } else if (p < pattern.length && (pattern[p] === "?" || pattern[p] === key[k])) {
      p++;
      k++;
    } else if (star !== undefined) {
      // The star takes one character more.
      star.k++;
      ({ p, k } = star);
    } else return false;
  }
  while (pattern[p] === "*") p++;
  return p === pattern.length;
}
