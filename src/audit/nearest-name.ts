// "Did you mean": the name that is nearest to a misspelt one, if any is near enough to be meant.

/** Undefined if none differs in only a few letters. */
export function nearestName(wanted: string, names: Iterable<string>): string | undefined {
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const name of names) {
    if (Math.abs(name.length - wanted.length) > limit) continue;
    const distance = distanceOf(wanted.toLowerCase(), name.toLowerCase());
    if (distance <= limit && (best === undefined || distance < best.distance)) {
      best = { name, distance };
    }
  }
  return best?.name;
}

/** " Did you mean X?", or nothing. */
export function suggestion(wanted: string, names: Iterable<string>): string {
  const name = nearestName(wanted, names);
  return name === undefined ? "" : ` Did you mean ${JSON.stringify(name)}?`;
}

/** Letters to insert, remove or replace. Names of objects and keys have at most 253. */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
