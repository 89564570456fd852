// Bytes in JSON. They are kept as text: here is decided only whether the text is base64, in the way of Go's
// StdEncoding (line breaks may be anywhere, padding must be there), and brought into its one canonical form.

import { DecodeError } from "./decode-error.ts";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const notInAlphabet = 255;
const sextets: Uint8Array = new Uint8Array(256).fill(notInAlphabet);
for (let i = 0; i < alphabet.length; i++) sextets[alphabet.charCodeAt(i)] = i;

/** The same text if it is canonical already. Throws a DecodeError that names the offending byte. */
export function canonicalBase64(text: string): string {
  if (isBase64(text)) return withoutSpareBits(text);
  const bare = text.replace(/[\r\n]+/g, "");
  if (isBase64(bare)) return withoutSpareBits(bare);
  throw new DecodeError(`illegal base64 data at input byte ${firstBadByte(text)}`);
}

/** Whether there is nothing but complete groups of four and padding. */
function isBase64(text: string): boolean {
  if (text.length % 4 !== 0) return false;
  try {
    // atob is many times faster than a loop, but passes over blanks: then it gives fewer bytes than there should be.
    return atob(text).length === (text.length / 4) * 3 - paddingOf(text);
  } catch {
    // It throws for anything else that is not base64.
    return false;
  }
}

function paddingOf(text: string): number {
  if (!text.endsWith("=")) return 0;
  return text.endsWith("==") ? 2 : 1;
}

/** The last character carries bits that belong to no byte. Readers ignore them; equal bytes should look equal. */
function withoutSpareBits(text: string): string {
  const padding = paddingOf(text);
  if (padding === 0) return text;
  const end = text.length - padding;
  const last = sextets[text.charCodeAt(end - 1)] ?? 0;
  const kept = last & (padding === 1 ? 0b111100 : 0b110000);
  if (kept === last) return text;
  return text.slice(0, end - 1) + alphabet.charAt(kept) + text.slice(end);
}

/** Where Go's decoder gives up: counted in the text with its line breaks. */
function firstBadByte(text: string): number {
  let inQuantum = 0;
  let i = 0;
  for (; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (isLineBreak(code)) continue;
    if (code === 0x3d) return inQuantum < 2 ? i : afterPadding(text, { at: i, inQuantum });
    if ((sextets[code] ?? notInAlphabet) === notInAlphabet) return i;
    inQuantum = (inQuantum + 1) % 4;
  }
  // It ends within a group of four. Go counts back over what it has of the group, line breaks not seen.
  return i - inQuantum;
}

function afterPadding(
  text: string,
  { at, inQuantum }: { readonly at: number; readonly inQuantum: number },
): number {
  let i = skipLineBreaks(text, at + 1);
  if (inQuantum === 3) return i;
  if (i === text.length) return i;
  if (text.charCodeAt(i) !== 0x3d) return i - 1;
  i = skipLineBreaks(text, i + 1);
  return i;
}

function skipLineBreaks(text: string, from: number): number {
  let i = from;
  while (isLineBreak(text.charCodeAt(i))) i++;
  return i;
}

function isLineBreak(code: number): boolean {
  return code === 0x0a || code === 0x0d;
}
