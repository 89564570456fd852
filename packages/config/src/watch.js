// A live value.
//
//   event ──> debounce ──> look ──> load ──> read ─> parse ─> schema ─> apply ──> published
//   poll, start, reload() ─┘         ^         └───────┴────────┴─────────┴─────> refused
//   swap ────────────────────────────┘
//
// look: where is the path now, are the watchers on it, did its mark change? load: one at a time;
// whatever asks during a load causes exactly one more. swap: an event of `..data` in a volume, which
// says all that a look would find out; at most one per turn of the event loop. published: becomes
// current and goes to the readers. refused: current stays, the error stands until the disk holds
// something else.

import { resolve } from "node:path";
import { onAbort, unlessAborted } from "./abort.js";
import { Acknowledgement } from "./ack.js";
import { ConfigError, messageOf } from "./config-error.js";
import { Cursor } from "./cursor.js";
import { Debounce } from "./debounce.js";
import { explainWith } from "./explain.js";
import { FileEvents } from "./file-events.js";
import { guarded } from "./guard.js";
import { judge } from "./judge.js";
import { LoadQueue } from "./load-queue.js";
import { OncePerTurn } from "./once-per-turn.js";
import { checkSignal } from "./options.js";
import { Readers } from "./readers.js";
import { report } from "./report.js";
import { Source } from "./source.js";
import { survey } from "./survey.js";
import { linkMark } from "./volume.js";

/** @import { Published } from "./cursor.js" */
/** @import { Environment } from "./environment.js" */
/** @import { Change, Watch, WatchOptions } from "./index.d.ts" */
/** @import { FileSnapshot } from "./snapshot.js" */

// Editors write a file in several steps; fifty milliseconds outlast them, a second bounds the wait.
const plainDebounce = { minMs: 50, maxMs: 1000 };
// Without file events polling is all there is, so it must be felt as live.
const degradedPollMs = 1000;
// A place may move while the watchers are put on it. Whatever is left then, the poll finds.
const maxLooks = 5;

/**
 * @template T
 * @implements {Watch<T>}
 */
export class ConfigWatch {
  #path;
  #options;
  #environment;
  #source;
  #events;
  #debounce;
  #turn;
  #loads = new LoadQueue({
    load: (kind) => this.#load(kind),
    onFailure: (cause) => this.#sufferFrom(cause),
  });
  /** @type {Acknowledgement | undefined} */
  #ack;
  /** @type {Readers<T>} */
  #readers = new Readers();

  /** @type {Published<T> | undefined} undefined only until open() is done. */
  #newest;
  /** @type {ConfigError | undefined} */
  #error;
  /** What was on disk at the last read, or is being read; "": read again at the next look. */
  #mark = "";
  /** @type {import("./survey.js").Survey["kind"]} As of the last look. */
  #kind = "missing";
  /** Since the last reaction there were no events but those of `..data`. */
  #isSwapOnly = true;

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
    this.#environment = guarded(environment, (cause) => this.#sufferFrom(cause));
    this.#source = new Source(path, environment);
    this.#events = new FileEvents({
      environment: this.#environment,
      onEvent: (name) => this.#onEvent(name),
      onFailure: (message, cause) => this.#suffer(message, cause),
    });
    this.#debounce = new Debounce(this.#environment, () =>
      this.#look({ evenIfSame: this.#kind !== "volume" }),
    );
    this.#turn = new OncePerTurn(this.#environment, () => this.#react());
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

  /**
   * Rejects with a ConfigError, and leaves nothing running, when the first version is bad; with the
   * signal's reason as soon as that is aborted, whatever the application is doing meanwhile.
   */
  async open() {
    const { signal } = this.#options;
    if (signal === undefined) {
      await this.#start();
      return;
    }
    this.#endings.push(onAbort(signal, () => void this.close()));
    await unlessAborted(signal, () => this.#start());
  }

  async #start() {
    // What a process with the same pid has left behind must not speak for this one.
    this.#acknowledge();
    this.#warnIfFrozen();
    // (1) Watch before the first read, so that no change falls between the two. (2) The first value.
    await this.#loads.after(() => this.#look({ evenIfSame: true }));
    if (this.#isClosed) return;
    if (this.#newest === undefined) {
      this.#stop();
      await this.#loads.stop();
      this.#ack?.release();
      throw this.#error ?? this.#trouble(`Cannot watch "${this.#path}": the first load failed`);
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

  /** Looks first: a link or a mount may have changed without any event. */
  reload() {
    return this.#loads.after(() => {
      try {
        this.#look({ evenIfSame: true, wanted: "reload" });
      } catch (cause) {
        this.#sufferFrom(cause);
        this.#loads.ask("reload");
      }
    });
  }

  /** @param {NodeJS.Signals} signal */
  reloadOn(signal) {
    checkSignal(signal);
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
        this.#readers.returned(reader, this.#published());
        this.#acknowledge();
      },
      onLeave: (/** @type {Cursor<T>} */ reader) => this.#readers.left(reader),
      keepAlive: () => this.#environment.keepAlive(),
    });
  }

  /** Waits for a load under way, whose result is dropped; not when called from inside that load. */
  async close() {
    this.#stop();
    // Before waiting: an application that hangs in `apply` has not got to say anything any more.
    this.#ack?.remove();
    await this.#loads.stop();
  }

  [Symbol.asyncDispose]() {
    return this.close();
  }

  #published() {
    if (this.#newest === undefined) throw new Error(`The watch of "${this.#path}" is not open yet`);
    return this.#newest;
  }

  #stop() {
    this.#isClosed = true;
    this.#events.close();
    this.#debounce.stop();
    this.#cancelPoll?.();
    for (const end of this.#endings.splice(0)) end();
    this.#readers.end();
  }

  #warnIfFrozen() {
    try {
      const { updates, summary, fix } = explainWith(
        this.#path,
        this.#environment.mountinfo(),
        this.#environment.liveSubPaths(),
      );
      if (updates !== "frozen") return;
      this.#environment.warn(`${summary}. ${fix}`, { code: "DRIFTLESS_FROZEN" });
    } catch {
      // Only advice: a path that cannot be looked at is reported by whoever reads it.
    }
  }

  /** @param {string | null} name */
  #onEvent(name) {
    if (this.#isClosed) return;
    const { debounce } = this.#options;
    if (this.#kind !== "volume" || debounce !== undefined) {
      this.#debounce.hit(debounce ?? plainDebounce);
      return;
    }
    if (name !== "..data") this.#isSwapOnly = false;
    this.#turn.hit();
  }

  /** To events of a volume: a swap is complete when it shows, so there is nothing to wait for. */
  #react() {
    if (this.#isClosed) return;
    const isSwap = this.#isSwapOnly && this.#takeSwap();
    this.#isSwapOnly = true;
    if (!isSwap) this.#look({ evenIfSame: false });
  }

  /** The short way: loads when the link was turned. False when only a look can tell. */
  #takeSwap() {
    const { location } = this.#source;
    if (location === undefined) return false;
    let mark;
    try {
      mark = linkMark(location);
    } catch {
      return false; // No link, or no way to it: the look finds out what there is instead.
    }
    if (mark !== this.#mark) {
      this.#mark = mark;
      this.#loads.ask("update");
    }
    return true;
  }

  /**
   * Puts the watchers where the path is now and loads when something is new there. Plain files are
   * read even if they look the same: their times are too coarse to show two writes in a row.
   * @param {{ evenIfSame: boolean, wanted?: "update" | "reload" }} how
   */
  #look({ evenIfSame, wanted = "update" }) {
    if (this.#isClosed) return;
    let found = survey(this.#path);
    for (let looks = 1; this.#events.arm(found.places) && looks < maxLooks; looks += 1) {
      found = survey(this.#path);
    }
    const lostItsLink = this.#kind === "volume" && found.kind !== "volume";
    this.#kind = found.kind;
    this.#source.location = found.location;
    if (lostItsLink && wanted === "update") {
      // Being removed, or built anew: let that settle first.
      this.#debounce.hit(this.#options.debounce ?? plainDebounce);
    } else if (evenIfSame || found.mark !== this.#mark) {
      this.#mark = found.mark;
      this.#loads.ask(wanted);
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
      const { snapshot, isFile } = this.#source.read();
      if (!this.#isClosed) this.#ack?.notice(snapshot.version);
      if (kind === "update" && this.#isKnown(snapshot.version)) return;
      const before = this.#newest?.snapshot;
      const change = await judge({ snapshot, isFile, before, kind, options: this.#options });
      if (!this.#isClosed) this.#publish(change, snapshot);
    } catch (cause) {
      if (!this.#isClosed) this.#refuse(cause, kind);
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
    this.#readers.publish(this.#newest);
    this.#acknowledge();
  }

  /**
   * @param {unknown} cause
   * @param {Change<T>["kind"]} kind
   */
  #refuse(cause, kind) {
    const error = cause instanceof ConfigError ? cause : this.#trouble(messageOf(cause), cause);
    if (error.stage === "read" || error.stage === "watch") this.#mark = "";
    // A path that cannot be read is reported once, not with every look.
    const isKnown = kind === "update" && error.stage === "read" && this.#error?.stage === "read";
    this.#error = error;
    this.#acknowledge();
    if (kind !== "initial" && !isKnown) this.#report(error);
  }

  /**
   * The watcher itself has a problem; what is on disk may be fine.
   * @param {string} message
   * @param {unknown} cause
   */
  #suffer(message, cause) {
    this.#report(this.#trouble(message, cause));
    if (this.#newest !== undefined) this.#schedulePoll();
  }

  /** @param {unknown} cause Something that nobody foresaw. */
  #sufferFrom(cause) {
    this.#suffer(`Cannot watch "${this.#path}": ${messageOf(cause)}`, cause);
  }

  /**
   * @param {string} message
   * @param {unknown} [cause]
   */
  #trouble(message, cause) {
    const about = { path: this.#path, version: undefined, cause };
    return new ConfigError(message, { stage: "watch", ...about });
  }

  /** @param {ConfigError} error */
  #report(error) {
    void report(error, this.#options.onError, this.#environment);
  }

  /** Writes down what the application runs on, and what it does not want to run on. */
  #acknowledge() {
    this.#ack?.record(this.#readers.applied, this.#error);
  }
}
