// A body that cannot be read as what it should be.

/** The message is in the words of the API, without the sentence around it (`… cannot be handled as a …: `). */
export class DecodeError extends Error {
  override readonly name = "DecodeError";
}
