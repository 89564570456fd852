// The command was called wrongly: exit code 2, and the message says what is right.

export class MisuseError extends Error {
  override readonly name = "MisuseError";
}
