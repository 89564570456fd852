// Everything the library takes from the process: time, timers, signals, file events, the variables
// of the environment. All other files receive this as a parameter, so that tests can step the clock
// and break one call at a time.

import { readFileSync, watch } from "node:fs";
import process from "node:process";
import { threadId } from "node:worker_threads";

/**
 * @typedef {object} Environment
 * @property {() => number} now Milliseconds since some moment; never goes back.
 * @property {() => Date} date
 * @property {(ms: number, run: () => void) => () => void} after
 *   Runs once, later, without keeping the process alive. Returns the cancellation.
 * @property {(run: () => void) => void} soon Runs once, in the next turn of the event loop.
 * @property {() => () => void} keepAlive Keeps the process alive until the returned function is called.
 * @property {(ms: number) => void} pause Blocks this thread.
 * @property {(signal: NodeJS.Signals, run: () => void) => () => void} onSignal
 * @property {(path: string, listener: FileListener) => () => void} watch
 *   Reports events of one directory or file, without keeping the process alive. Throws when the
 *   system refuses. Returns the end of it.
 * @property {() => string} mountinfo The mount table of this process, "" where there is none.
 * @property {() => readonly string[]} liveSubPaths
 *   Where subPath mounts are that the node replaces with every version of their volume.
 * @property {() => string} ackDirectory
 * @property {(message: string, options: { code: string, detail?: string }) => void} warn
 * @property {string} processName Distinguishes the temporary files of this thread from others'.
 * @property {number} pid
 * @property {number} threadId 0 in the main thread.
 * @property {Set<string>} claims The acknowledgement files that watches of this thread write.
 *
 * @typedef {object} FileListener
 * @property {(name: string | null) => void} event
 * @property {(cause: unknown) => void} error
 */

/** One listener per signal, however many watches: a process warns about its eleventh listener. */
class Signals {
  /** @type {Map<NodeJS.Signals, { runs: Set<() => void>, listener: () => void }>} */
  #entries = new Map();

  /**
   * @param {NodeJS.Signals} signal
   * @param {() => void} run
   */
  add(signal, run) {
    let entry = this.#entries.get(signal);
    if (entry === undefined) {
      /** @type {Set<() => void>} */
      const runs = new Set();
      const listener = () => {
        for (const each of runs) each();
      };
      entry = { runs, listener };
      process.on(signal, listener);
      this.#entries.set(signal, entry);
    }
    const { runs, listener } = entry;
    runs.add(run);
    return () => {
      runs.delete(run);
      if (runs.size > 0 || this.#entries.get(signal)?.runs !== runs) return;
      process.off(signal, listener);
      this.#entries.delete(signal);
    };
  }
}

const signals = new Signals();
const never = new Int32Array(new SharedArrayBuffer(4));

/** @type {Environment} */
export const systemEnvironment = {
  now: () => performance.now(),
  date: () => new Date(),
  after(ms, run) {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
  soon(run) {
    setImmediate(run);
  },
  keepAlive() {
    // The callback does nothing: only the timer's existence matters. 2^30 ms is about twelve days.
    const timer = setInterval(() => {}, 2 ** 30);
    return () => clearInterval(timer);
  },
  pause(ms) {
    Atomics.wait(never, 0, 0, ms);
  },
  onSignal: (signal, run) => signals.add(signal, run),
  watch(path, { event, error }) {
    const watcher = watch(path, { persistent: false }, (_type, name) => event(name));
    watcher.on("error", error);
    return () => watcher.close();
  },
  mountinfo() {
    try {
      return readFileSync("/proc/self/mountinfo", "utf8");
    } catch {
      return ""; // Not Linux, or /proc is hidden: explain() then says that it cannot know.
    }
  },
  liveSubPaths() {
    try {
      /** @type {unknown} */
      const paths = JSON.parse(process.env["DRIFTLESS_LIVE_SUBPATHS"] ?? "[]");
      return Array.isArray(paths) ? paths.filter((path) => typeof path === "string") : [];
    } catch {
      return []; // Somebody else's variable.
    }
  },
  ackDirectory: () => process.env["DRIFTLESS_ACK"] ?? "",
  warn(message, options) {
    process.emitWarning(message, { type: "ConfigWarning", ...options });
  },
  processName: `${process.pid}.${threadId}`,
  pid: process.pid,
  threadId,
  claims: new Set(),
};
