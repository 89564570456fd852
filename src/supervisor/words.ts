// A command line as words, as a shell reads quotes: without a shell, which a small image does not have, and without anything else that a shell does.

/** Throws if a quote does not end, or if there is no word. */
export function words(text: string): readonly string[] {
  const found: string[] = [];
  const word = /\s*((?:[^\s"'\\]|\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*")+)\s*/y;
  for (const trimmed = text.trim(); word.lastIndex < trimmed.length; ) {
    const match = word.exec(trimmed);
    if (match === null) throw new Error(`${JSON.stringify(text)}: a quote does not end`);
    found.push(unquoted(match[1] ?? ""));
  }
  if (found.length === 0) throw new Error("there is no command");
  return found;
}

function unquoted(text: string): string {
  const piece =
    /'(?<single>[^']*)'|"(?<double>(?:[^"\\]|\\[\s\S])*)"|\\(?<escaped>[\s\S])|(?<plain>[^"'\\]+)/g;
  return [...text.matchAll(piece)]
    .map(({ groups: { single, double, escaped, plain } = {} }) => {
      return single ?? double?.replaceAll(/\\(["\\$`])/g, "$1") ?? escaped ?? plain ?? "";
    })
    .join("");
}
