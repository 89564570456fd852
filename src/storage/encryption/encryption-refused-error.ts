// Why encrypted values cannot be used as things are. The message says what to do.

/** Caught by nobody at the start, which ends with it; later the keys that were good before stay in use. */
export class EncryptionRefusedError extends Error {
  override readonly name = "EncryptionRefusedError";
}

export function badKeyFile(file: string, why: string, cause?: unknown): EncryptionRefusedError {
  return new EncryptionRefusedError(`Cannot use the key file "${file}": ${why}`, { cause });
}

export function missingKeys(file: string, ids: readonly string[]): EncryptionRefusedError {
  return new EncryptionRefusedError(
    `Cannot decrypt the store: its values are encrypted with ${named(ids)}, which "${file}" does not have; ` +
      "take the key file from a server of this store, or from where its copy is kept",
  );
}

export function missingKeyFile(file: string, ids: readonly string[]): EncryptionRefusedError {
  return new EncryptionRefusedError(
    `Cannot decrypt the store: its values are encrypted with ${named(ids)}, and there is no key file "${file}"; ` +
      "take it from a server of this store, or from where its copy is kept",
  );
}

function named(ids: readonly string[]): string {
  return ids.length === 1 ? `the key ${ids[0]}` : `the keys ${ids.join(", ")}`;
}
