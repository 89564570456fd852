// What a selector that cannot be understood is refused with. Handlers answer 400 with the message, which is the
// API's own text.

export class SelectorError extends Error {
  override readonly name = "SelectorError";
}
