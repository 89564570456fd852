// One file after the other. A separator goes between two of them; when it begins with a line end, one that is there already counts.

import { type Input, textOf } from "./make-error.ts";

export function concatenated(inputs: readonly Input[], separator: string): Uint8Array {
  if (separator === "") return Buffer.concat(inputs.map(({ data }) => data));
  let text = "";
  for (const [index, input] of inputs.entries()) {
    const isEnded = separator.startsWith("\n") && text.endsWith("\n");
    if (index > 0) text += isEnded ? separator.slice(1) : separator;
    text += textOf(input);
  }
  return Buffer.from(text);
}
