// Why a file cannot be made. The message says what and where, and never what a Secret holds.

/** Thrown by everything in this folder for inputs that cannot be used. */
export class MakeError extends Error {
  override readonly name = "MakeError";
}

/** What a file is made of. */
export interface Input {
  /** "source/file", for messages. */
  readonly address: string;
  /** The file's name in its source. */
  readonly name: string;
  readonly data: Uint8Array;
  readonly isSecret: boolean;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Throws MakeError for what is not UTF-8. */
export function textOf({ address, data }: Pick<Input, "address" | "data">): string {
  try {
    return utf8.decode(data);
  } catch {
    // No cause: nothing of the content may travel with the error.
    throw new MakeError(`${address} is not text (UTF-8)`);
  }
}
