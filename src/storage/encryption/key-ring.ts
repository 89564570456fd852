// The keys that this process has. They come from the key file, which is read again when it has changed, and when a
// value needs a key that is not here: a key that somebody adds to the file is in use without a restart.

import { type BigIntStats, statSync } from "node:fs";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { EncryptionKey } from "./encryption-key.ts";
import { badKeyFile } from "./encryption-refused-error.ts";
import { readKeyFile } from "./key-file.ts";

/** While a key is missing, each value that needs it would have the file looked at. */
const LOOK_PERIOD_MS = 1000;

export interface KeyRingOptions {
  readonly file: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** A key that was missing is here now: what could not be read can be. */
  onFound(): void;
}

export class KeyRing {
  readonly #options: KeyRingOptions;
  /** All that were ever read: one that is gone from the file too early still reads what it has sealed. */
  readonly #keys = new Map<string, EncryptionKey>();
  #inFile: ReadonlySet<string> = new Set();
  #first: EncryptionKey | undefined;
  #writer: EncryptionKey | undefined;
  /** How the file was when it was last read, or found to be unusable. */
  #seen = "";
  #lookedMs = -Infinity;
  readonly #missing = new Set<string>();

  constructor(options: KeyRingOptions) {
    this.#options = options;
  }

  get file(): string {
    return this.#options.file;
  }

  /** That the file names first. */
  get first(): EncryptionKey {
    return loaded(this.#first);
  }

  /** Seals what is written from now on. */
  get writer(): EncryptionKey {
    return loaded(this.#writer);
  }

  /** Whether it is known which key writes. */
  get canWrite(): boolean {
    return this.#writer !== undefined;
  }

  /** Ids that values needed and that the file did not have. */
  get missing(): readonly string[] {
    return [...this.#missing];
  }

  /** Reads the file. Throws an EncryptionRefusedError, and keeps the keys that it had. */
  load(): void {
    const { file } = this.#options;
    this.#seen = stampOf(file);
    const keys = readKeyFile(file);
    if (keys === undefined) throw badKeyFile(file, "there is no such file");
    for (const key of keys) this.#keys.set(key.id, key);
    this.#inFile = new Set(keys.map(({ id }) => id));
    [this.#first] = keys;
    const found = [...this.#missing].filter((id) => this.#keys.has(id));
    for (const id of found) this.#missing.delete(id);
    if (found.length > 0) this.#options.onFound();
  }

  /** Reads the file if it has changed. One that is unusable now leaves everything as it was. */
  refresh(): void {
    const { file, logger } = this.#options;
    this.#lookedMs = this.#options.clock.monotonicMs();
    if (stampOf(file) === this.#seen) return;
    try {
      this.load();
      logger.info("read the key file again", { file, keys: [...this.#inFile] });
    } catch (err) {
      logger.error("cannot read the key file again", { file, err });
    }
  }

  /** Whether the file has it; after a restart no other place does. */
  isInFile(id: string): boolean {
    return this.find(id) !== undefined && this.#inFile.has(id);
  }

  find(id: string): EncryptionKey | undefined {
    return this.#keys.get(id) ?? this.#findAgain(id);
  }

  /** From now on this key seals. It must be here. */
  writeWith(id: string): void {
    this.#writer = loaded(this.find(id));
  }

  #findAgain(id: string): EncryptionKey | undefined {
    if (this.#options.clock.monotonicMs() - this.#lookedMs >= LOOK_PERIOD_MS) this.refresh();
    const found = this.#keys.get(id);
    if (found === undefined && !this.#missing.has(id)) {
      this.#missing.add(id);
      this.#options.logger.error("values need a key that is missing", { file: this.file, id });
    }
    return found;
  }
}

function loaded(key: EncryptionKey | undefined): EncryptionKey {
  if (key === undefined) throw new Error("Cannot encrypt: the keys are not loaded");
  return key;
}

/** Changes when the file does. "" when there is none. */
function stampOf(file: string): string {
  const stat: BigIntStats | undefined = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? "" : `${stat.dev}.${stat.ino}.${stat.size}.${stat.ctimeNs}`;
}
