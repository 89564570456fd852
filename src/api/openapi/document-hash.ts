// A short name for a document's content. It tells versions apart in caches; it protects nothing.

/** 32 hexadecimal digits: four FNV-1a sums of 32 bits, each started differently. */
export function documentHash(text: string): string {
  const sums = Uint32Array.of(0x811c9dc5, 0x01000193, 0x9e3779b9, 0x85ebca6b);
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    for (let k = 0; k < sums.length; k++)
      sums[k] = Math.imul((sums[k] ?? 0) ^ (code + k), 0x01000193);
  }
  return [...sums]
    .map((sum) => sum.toString(16).padStart(8, "0"))
    .join("")
    .toUpperCase();
}
