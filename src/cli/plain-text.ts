// Text from elsewhere on a terminal: whoever names an object must not be able to move the cursor or set the title.

/** Escape sequences begin with a sign that is shown in place of done. Tabs and line breaks too. */
export function plainText(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (char) => {
    const code = char.charCodeAt(0);
    return code < 0x20 ? `^${String.fromCharCode(code + 0x40)}` : code === 0x7f ? "^?" : "\ufffd";
  });
}
