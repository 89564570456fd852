// Names of files, their sizes and what others say, for a terminal: no sign in them does anything to it.

export function terminalText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (sign) => {
    const digits = sign.codePointAt(0)?.toString(16).padStart(4, "0") ?? "";
    return `\\u${digits}`;
  });
}

export function sizeText({ length }: Uint8Array): string {
  return `${length} ${length === 1 ? "byte" : "bytes"}`;
}
