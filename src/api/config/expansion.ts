// `$(NAME)` in variables, commands and sub paths. One pass from left to right; what a reference stands for is not looked at again.
// Backslashes mean nothing, `$$` is a dollar sign, and what is not a reference stays as it is: so does a reference to nothing.

/** The value of a variable, or undefined if there is none of this name. */
export type VariableLookup = (name: string) => string | undefined;

/** Takes time linear in the text, and calls `lookup` in the order of the references. Never fails. */
export function expand(text: string, lookup: VariableLookup): string {
  let expanded = "";
  let copied = 0;
  let canClose = true; // A `)` is left: without it, each `$(` would search the rest of the text anew.
  let at = text.indexOf("$");
  while (at !== -1) {
    let next = at + 2;
    if (text[at + 1] === "$") {
      expanded += text.slice(copied, at + 1);
      copied = next;
    } else if (text[at + 1] === "(" && canClose) {
      const close = text.indexOf(")", next);
      canClose = close !== -1;
      if (canClose) {
        const value = lookup(text.slice(next, close));
        next = close + 1;
        expanded += text.slice(copied, at) + (value ?? text.slice(at, next));
        copied = next;
      }
    }
    at = text.indexOf("$", next);
  }
  return expanded + text.slice(copied);
}
