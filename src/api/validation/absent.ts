// What an absent field counts as. Decoded objects leave zero values out, so that reading one means filling it in.

export function text(value: string | null | undefined): string {
  return value ?? "";
}

export function number(value: number | null | undefined): number {
  return value ?? 0;
}

export function list<T>(value: readonly T[] | null | undefined): readonly T[] {
  return value ?? [];
}

/** What a map has under a key that somebody else chose: "constructor" is no key of an empty map. */
export function entry<T>(
  map: { readonly [key: string]: T } | null | undefined,
  key: string,
): T | undefined {
  return !isAbsent(map) && Object.hasOwn(map, key) ? map[key] : undefined;
}

export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}
