// Why a version was not taken, or why the watcher suffers: the one error a caller is expected to
// handle. Messages of the built-in parsers never quote contents, which may be secrets.

/** @import { ConfigError as Contract } from "./index.d.ts" */

/**
 * @typedef {object} Refusal
 * @property {Contract["stage"]} stage
 * @property {string} path
 * @property {string | undefined} version
 * @property {Contract["issues"]} [issues]
 * @property {unknown} [cause]
 */

/** @implements {Contract} */
export class ConfigError extends Error {
  /** @override @type {"ConfigError"} */
  name = "ConfigError";

  /**
   * @param {string} message
   * @param {Refusal} refusal
   */
  constructor(message, { stage, path, version, issues = [], cause }) {
    super(message, cause === undefined ? undefined : { cause });
    this.stage = stage;
    this.path = path;
    this.version = version;
    this.issues = issues;
  }
}

/**
 * Never throws, whatever was thrown.
 * @param {unknown} cause
 */
export function messageOf(cause) {
  try {
    return String(cause instanceof Error ? cause.message : cause);
  } catch {
    return "something without a printable form was thrown"; // For example an object without prototype.
  }
}
