// Text into base64 and back, for the few places that look into bytes. UTF-8 in between.

/** Longer argument lists overflow the stack. */
const chunkLength = 8192;

export function base64OfText(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = "";
  for (let i = 0; i < bytes.length; i += chunkLength) {
    binary += String.fromCharCode(...bytes.subarray(i, i + chunkLength));
  }
  return btoa(binary);
}

/** Bytes that are no text become U+FFFD. */
export function textOfBase64(base64: string): string {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return new TextDecoder().decode(bytes);
}
