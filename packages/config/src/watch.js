// A live value.
//
//   event ──> debounce ──> look ──> load ──> read ─> parse ─> schema ─> apply ──> published
//   poll, start ───────────┘         ^ ^       └───────┴────────┴─────────┴─────> refused
//   swap ────────────────────────────┘ │
//   reload(), signal ──────────────────┘
//
// look: where is the path now, are the watchers on it, did its mark change? load: one at a time;
// whatever asks during a load causes exactly one more. swap: an event of `..data` in a volume, which
// says all that a look would find out. published: becomes current and goes to the
// readers. refused: current stays, the error stands until the disk holds something else.

import { resolve } from "node:path";
import { Acknowledgement } from "./ack.js";
import { ConfigError, messageOf } from "./config-error.js";
import { Cursor } from "./cursor.js";
import { Debounce } from "./debounce.js";
import { systemEnvironment } from "./environment.js";
import { explainWith } from "./explain.js";
import { FileEvents } from "./file-events.js";
import { judge } from "./judge.js";
import { LoadQueue } from "./load-queue.js";
import { checkOptions } from "./options.js";
import { report } from "./report.js";
import { takeSnapshot } from "./snapshot.js";
import { survey } from "./survey.js";
import { targetOf } from "./volume.js";

/** @import { Published } from "./cursor.js" */
/** @import { Environment } from "./environment.js" */
/** @import { Change, Watch, WatchOptions } from "./index.d.ts" */
/** @import { FileSnapshot } from "./snapshot.js" */
/** @import { Location } from "./volume.js" */

// Editors write a file in several steps; fifty milliseconds outlast them, a second bounds the wait.
const plainDebounce = { minMs: 50, maxMs: 1000 };
const noDebounce = { minMs: 0, maxMs: 0 };
// Without file events polling is all there is, so it must be felt as live.
const degradedPollMs = 1000;
// A place may move while the watchers are put on it. Whatever is left then, the poll finds.
const maxLooks = 5;

/**
 * @template [T=unknown]
 * @param {string} path
 * @param {WatchOptions<T>} [options]
 * @returns {Promise<Watch<T>>}
 */
export function watchConfig(path, options = {}) {
  return openWatch(path, options, systemEnvironment);
}

/**
 * @template T
 * @param {string} path
 * @param {WatchOptions<T>} options
 * @param {Environment} environment
 * @returns {Promise<Watch<T>>}
 */
export async function openWatch(path, options, environment) {
  checkOptions(options);
  options.signal?.throwIfAborted();
  const watch = new ConfigWatch(resolve(path), options, environment);
  await watch.open();
  return watch;
}

/**
 * @template T
 * @implements {Watch<T>}
 */
class ConfigWatch {
  #path;
  #options;
  #environment;
  #events;
  #debounce;
  #loads = new LoadQueue((kind) => this.#load(kind));
  /** @type {Acknowledgement | undefined} */
  #ack;
  /** @type {Set<Cursor<T>>} Readers that have asked at least once and not left. */
  #cursors = new Set();

  /** @type {Published<T> | undefined} undefined only until open() is done. */
  #newest;
  /** @type {ConfigError | undefined} */
  #error;
  /** What was on disk when it was last read; "": read again at the next look. */
  #mark = "";
  /** @type {import("./survey.js").Survey["kind"]} As of the last look. */
  #kind = "missing";
  /** @type {Location | undefined} As of the last look; undefined when that was no volume. */
  #location;
  #wasVolume = false;

  #isClosed = false;
  /** @type {(() => void)[]} Undone in close(). */
  #endings = [];
  /** @type {(() => void) | undefined} */
  #cancelPoll;

  /**
   * @param {string} path
   * @param {WatchOptions<T>} options
   * @param {Environment} environment
   */
  constructor(path, options, environment) {
    this.#path = path;
    this.#options = options;
    this.#environment = environment;
    this.#events = new FileEvents({
      environment,
      onEvent: (name) => this.#onEvent(name),
      onFailure: (message, cause) => this.#suffer(message, cause),
    });
    this.#debounce = new Debounce(environment, () =>
      this.#look({ evenIfSame: this.#kind !== "volume" }),
    );
    const directory = options.ack ?? environment.ackDirectory();
    if (directory !== "") {
      this.#ack = new Acknowledgement({
        directory: resolve(directory),
        path,
        environment,
        onFailure: (message, cause) => this.#suffer(message, cause),
      });
    }
  }

  /** Rejects with a ConfigError, and leaves nothing running, when the first version is bad. */
  async open() {
    const { signal } = this.#options;
    if (signal !== undefined) {
      const onAbort = () => void this.close();
      signal.addEventListener("abort", onAbort, { once: true });
      this.#endings.push(() => signal.removeEventListener("abort", onAbort));
    }
    this.#warnIfFrozen();
    // (1) Watch before the first read, so that no change falls between the two. (2) The first value.
    await this.#loads.after(() => this.#look({ evenIfSame: true }));
    signal?.throwIfAborted();
    if (this.#newest === undefined) {
      const error = this.#error ?? new Error(`Cannot watch "${this.#path}": closed while opening`);
      await this.#end();
      throw error;
    }
    // (3) Look once more: what changed while the application parsed and applied is not left to events.
    await this.#loads.after(() => this.#look({ evenIfSame: false }));
    this.#schedulePoll();
  }

  get current() {
    return this.#published().change.value;
  }

  get version() {
    return this.#published().change.version;
  }

  get snapshot() {
    return this.#published().change.snapshot;
  }

  get error() {
    return this.#error;
  }

  reload() {
    return this.#loads.after(() => this.#loads.ask("reload"));
  }

  /** @param {NodeJS.Signals} signal */
  reloadOn(signal) {
    if (!this.#isClosed) {
      this.#endings.push(this.#environment.onSignal(signal, () => void this.reload()));
    }
    return this;
  }

  /** @returns {AsyncIterator<Change<T>, undefined>} */
  [Symbol.asyncIterator]() {
    return new Cursor({
      isClosed: () => this.#isClosed,
      newest: () => this.#published(),
      onReturn: (/** @type {Cursor<T>} */ reader) => {
        this.#cursors.add(reader);
        this.#acknowledge();
      },
      onLeave: (/** @type {Cursor<T>} */ reader) => {
        this.#cursors.delete(reader);
        // Leaving is not coming back for more: the last reader to leave confirms nothing.
        if (this.#cursors.size > 0) this.#acknowledge();
      },
      keepAlive: () => this.#environment.keepAlive(),
    });
  }

  async close() {
    await this.#end();
    this.#ack?.remove();
  }

  [Symbol.asyncDispose]() {
    return this.close();
  }

  #published() {
    if (this.#newest === undefined) throw new Error(`The watch of "${this.#path}" is not open yet`);
    return this.#newest;
  }

  /** Stops everything and waits for a load under way; its result is dropped. */
  async #end() {
    this.#isClosed = true;
    this.#events.close();
    this.#debounce.stop();
    this.#cancelPoll?.();
    for (const end of this.#endings.splice(0)) end();
    for (const cursor of this.#cursors) cursor.end();
    this.#cursors.clear();
    await this.#loads.stop();
  }

  #warnIfFrozen() {
    const { updates, summary, fix } = explainWith(this.#path, this.#environment.mountinfo());
    if (updates !== "frozen") return;
    this.#environment.warn(`${summary}. ${fix}`, { code: "DRIFTLESS_FROZEN" });
  }

  /** @param {string | null} name */
  #onEvent(name) {
    if (this.#isClosed) return;
    if (name === "..data" && this.#isSwap()) {
      // No mark is taken on the short way: the next poll reads once more, and finds nothing new.
      this.#mark = "";
      this.#loads.ask("update");
      return;
    }
    const usual = this.#kind === "volume" ? noDebounce : plainDebounce;
    this.#debounce.hit(this.#options.debounce ?? usual);
  }

  /** Whether an event of `..data` can go the short way: the link is there, and nobody wants to wait. */
  #isSwap() {
    if (this.#location === undefined || this.#options.debounce !== undefined) return false;
    return targetOf(this.#location.root) !== undefined;
  }

  /**
   * Puts the watchers where the path is now and loads when something is new there. Plain files are
   * read even if they look the same: their times are too coarse to show two writes in a row.
   * @param {{ evenIfSame: boolean }} how
   */
  #look({ evenIfSame }) {
    if (this.#isClosed) return;
    let found = survey(this.#path);
    for (let looks = 1; this.#events.arm(found.places) && looks < maxLooks; looks += 1) {
      found = survey(this.#path);
    }
    const lostItsLink = this.#kind === "volume" && found.kind !== "volume";
    this.#kind = found.kind;
    this.#location = found.location;
    if (lostItsLink) {
      // Being removed, or built anew: let that settle first.
      this.#debounce.hit(this.#options.debounce ?? plainDebounce);
    } else if (evenIfSame || found.mark !== this.#mark) {
      this.#mark = found.mark;
      this.#loads.ask("update");
    }
  }

  #schedulePoll() {
    const usual = this.#options.pollMs ?? 30_000;
    const pollMs = this.#events.isDegraded
      ? Math.min(usual || degradedPollMs, degradedPollMs)
      : usual;
    this.#cancelPoll?.();
    if (pollMs === 0 || this.#isClosed) return;
    this.#cancelPoll = this.#environment.after(pollMs, () => {
      this.#look({ evenIfSame: false });
      this.#schedulePoll();
    });
  }

  /** @param {"update" | "reload"} wanted */
  async #load(wanted) {
    const kind = this.#newest === undefined ? "initial" : wanted;
    try {
      const { snapshot, isFile } = this.#read();
      if (kind === "update" && this.#isKnown(snapshot.version)) return;
      const before = this.#newest?.snapshot;
      const change = await judge({ snapshot, isFile, before, kind, options: this.#options });
      if (!this.#isClosed) this.#publish(change, snapshot);
    } catch (cause) {
      if (this.#isClosed) return;
      this.#refuse(cause, kind);
    }
  }

  /** @param {string} version */
  #isKnown(version) {
    if (version !== this.#newest?.change.version) return version === this.#error?.version;
    // The disk is back at what is current, perhaps after a refused version.
    this.#error = undefined;
    this.#acknowledge();
    return true;
  }

  /**
   * @param {Change<T>} change
   * @param {FileSnapshot} snapshot
   */
  #publish(change, snapshot) {
    const { sequence, reloads } = this.#newest ?? { sequence: 0, reloads: 0 };
    this.#error = undefined;
    this.#newest = {
      sequence: sequence + 1,
      reloads: reloads + (change.kind === "reload" ? 1 : 0),
      before: this.#newest?.change.version,
      snapshot,
      change,
    };
    for (const cursor of this.#cursors) cursor.offer();
    this.#acknowledge();
  }

  #read() {
    try {
      const taken = this.#take();
      const isEmpty = taken.snapshot.keys.length === 0;
      if (this.#wasVolume && !taken.isVolume && isEmpty) {
        throw new Error(
          `Cannot read "${this.#path}": the volume is gone and its directory is empty`,
        );
      }
      this.#wasVolume = taken.isVolume;
      return taken;
    } catch (cause) {
      this.#mark = "";
      const refusal = {
        stage: /** @type {const} */ ("read"),
        path: this.#path,
        version: undefined,
      };
      throw new ConfigError(messageOf(cause), { ...refusal, cause });
    }
  }

  #take() {
    if (this.#location !== undefined) {
      try {
        return takeSnapshot(this.#path, this.#environment, this.#location);
      } catch {
        this.#location = undefined; // It was there at the last look; the long way says what is wrong.
      }
    }
    return takeSnapshot(this.#path, this.#environment);
  }

  /**
   * @param {unknown} cause
   * @param {Change<T>["kind"]} kind
   */
  #refuse(cause, kind) {
    if (!(cause instanceof ConfigError)) throw cause;
    // A path that cannot be read is reported once, not with every look.
    const isKnown = kind === "update" && cause.stage === "read" && this.#error?.stage === "read";
    this.#error = cause;
    this.#acknowledge();
    if (kind !== "initial" && !isKnown) this.#report(cause);
  }

  /**
   * The watcher itself has a problem; what is on disk may be fine.
   * @param {string} message
   * @param {unknown} cause
   */
  #suffer(message, cause) {
    this.#report(
      new ConfigError(message, { stage: "watch", path: this.#path, version: undefined, cause }),
    );
    if (this.#newest !== undefined) this.#schedulePoll();
  }

  /** @param {ConfigError} error */
  #report(error) {
    void report(error, this.#options.onError, this.#environment);
  }

  /** Writes down what the application runs on, once every reader is done with it. */
  #acknowledge() {
    const newest = this.#newest;
    const isApplied =
      newest !== undefined &&
      [...this.#cursors].every(({ confirmed }) => confirmed >= newest.sequence);
    this.#ack?.record(isApplied ? newest.change.version : undefined, this.#error);
  }
}
