// Bytes to base64 without help from Node: this layer also has to run elsewhere.

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const codes: Uint8Array = Uint8Array.from(alphabet, (character) => character.charCodeAt(0));
const ascii = new TextDecoder("latin1");

export function encodeBase64(bytes: Uint8Array): string {
  const out = new Uint8Array(Math.ceil(bytes.length / 3) * 4).fill(0x3d);
  let to = 0;
  for (let i = 0; i < bytes.length; i += 3) {
    const left = bytes.length - i;
    const group = ((bytes[i] ?? 0) << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    out[to] = codes[group >>> 18] ?? 0;
    out[to + 1] = codes[(group >>> 12) & 63] ?? 0;
    if (left > 1) out[to + 2] = codes[(group >>> 6) & 63] ?? 0;
    if (left > 2) out[to + 3] = codes[group & 63] ?? 0;
    to += 4;
  }
  return ascii.decode(out);
}
