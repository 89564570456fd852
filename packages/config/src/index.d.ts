// The whole public contract of @driftless/config, on one screen. The JavaScript beside it is
// checked against these types. Everything works on a Kubernetes volume (written by Driftless or by
// a kubelet) and on plain files and directories, with the same calls.

/** One version of a volume, directory or file. Immutable. */
export interface Snapshot {
  /** SHA-256 over all paths and contents, 64 hex digits. Same content, same version, anywhere. */
  readonly version: string;
  /** The volume or directory (for a file: the file) that was read, as an absolute path. */
  readonly path: string;
  /** Relative paths of all files, sorted bytewise. For a file: its base name alone. */
  readonly keys: readonly string[];
  has(key: string): boolean;
  /** The content as UTF-8. Throws when the key is missing, or when the bytes are not UTF-8. */
  text(key: string): string;
  /** A copy of the bytes. Throws when the key is missing. */
  bytes(key: string): Uint8Array;
}

/**
 * Reads one version, always: never a mix of two, whatever the swap rate. Synchronous, because
 * reading fast is what makes it finish between two swaps.
 *
 * A plain directory has no commit point: its files are re-read until nothing moved meanwhile. What
 * editors leave there (swap files, names ending in `~`, `.#…`, `4913`) is not read.
 */
export function snapshot(path: string): Snapshot;

/** What differs between two versions; keys sorted. */
export interface ChangeSet {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

export interface Change<T> extends ChangeSet {
  readonly value: T;
  readonly version: string;
  readonly snapshot: Snapshot;
  /** `initial`: the first value. `update`: new content. `reload`: asked for by reload() or a signal. */
  readonly kind: "initial" | "update" | "reload";
}

/** Why a version was not taken. The last good value stays current. */
export interface ConfigError extends Error {
  readonly name: "ConfigError";
  /** `read`, `parse`, `schema`, `apply`: what refused this version. `watch`: the watcher itself suffers. */
  readonly stage: "read" | "parse" | "schema" | "apply" | "watch";
  readonly path: string;
  /** The version that was refused, if it could be read. */
  readonly version: string | undefined;
  /** From the schema: one entry per problem. */
  readonly issues: readonly { readonly message: string; readonly path: string }[];
}

/** Any validator that follows the Standard Schema specification: zod, valibot, arktype, … */
export interface StandardSchema<Output> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
      readonly issues: ReadonlyArray<{
        readonly message: string;
        readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
      }>;
    };

export interface WatchOptions<T> {
  /**
   * Turns a snapshot into a value. Default: for a file by its ending, `.json` is parsed, `.env` is
   * read as dotenv, anything else is its text; for a directory, an object of key → text.
   */
  parse?: "json" | "dotenv" | "text" | ((snapshot: Snapshot) => unknown) | undefined;
  /** Judges what `parse` returned; its output is the value. */
  schema?: StandardSchema<T> | undefined;
  /** Runs before a value becomes current. When it throws, the version is refused. */
  apply?: ((change: Change<T>) => void | Promise<void>) | undefined;
  /** Called for every refused version. Default: process.emitWarning, so that nobody misses it. */
  onError?: ((error: ConfigError) => void) | undefined;
  /**
   * Wait until nothing happened for `minMs`, at most `maxMs` after the first event. Default: none
   * for a volume (a swap is one event and complete); 50 and 1000 for plain files, which editors
   * write in several steps.
   */
  debounce?: { readonly minMs: number; readonly maxMs: number } | undefined;
  /** How often to look without an event, as a net behind them. Default 30_000; 0 turns it off. */
  pollMs?: number | undefined;
  /** Closes the watch. */
  signal?: AbortSignal | undefined;
  /** Directory for acknowledgements. Default: the environment variable DRIFTLESS_ACK; "" for none. */
  ack?: string | undefined;
}

/**
 * A live value. Iterating yields `initial` at once and then every change; a slow reader gets the
 * newest version with a change set against what it saw last, never a growing queue.
 */
export interface Watch<T> extends AsyncIterable<Change<T>>, AsyncDisposable {
  /** The last good value. */
  readonly current: T;
  readonly version: string;
  readonly snapshot: Snapshot;
  /** The refusal that stands between `current` and what is on disk, if any. */
  readonly error: ConfigError | undefined;
  /** Looks where the path is, reads and parses again, also when nothing changed. Never rejects for a bad version. */
  reload(): Promise<void>;
  /** Reloads on a signal such as SIGHUP, until the watch closes. */
  reloadOn(signal: NodeJS.Signals): this;
  /** Waits for a load under way, whose result is dropped; not when called from inside `parse` or `apply`. */
  close(): Promise<void>;
}

/** Rejects with a ConfigError when the very first version is bad: an app should not start on it. */
export function watchConfig<T = unknown>(
  path: string,
  options?: WatchOptions<T>,
): Promise<Watch<T>>;

/** How a path gets its content, and whether it can ever change under a running process. */
export interface Explanation {
  readonly path: string;
  /**
   * `volume`: below a `..data` link, follows every swap. `subPath`: bind mount of one version.
   * `bindFile`: bind mount of a single plain file. `file`, `directory`: nothing special. `missing`.
   */
  readonly kind: "volume" | "subPath" | "bindFile" | "file" | "directory" | "missing";
  /** `live`: replaced versions are seen. `frozen`: never. `inPlace`: only writes into the same file. */
  readonly updates: "live" | "frozen" | "inPlace" | "unknown";
  /** The version it is bound to was already removed: what is read here is old. */
  readonly stale: boolean;
  readonly filesystem: string | undefined;
  readonly mountPoint: string | undefined;
  /** The volume's root, when there is one. */
  readonly volume: string | undefined;
  /** One sentence for a log, and what to do about it ("" when nothing need be done). */
  readonly summary: string;
  readonly fix: string;
}

export function explain(path: string): Explanation;

/** The built-in dotenv reader: KEY=value, quotes, `export`, comments, multi-line double quotes. */
export function parseDotenv(text: string): Record<string, string>;
