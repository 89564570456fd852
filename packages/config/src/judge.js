// Turns a snapshot into a value, or refuses it: parse, then schema, then apply. Each stage has its
// own `try`, so that a refusal names the stage that spoke.

import { changeSet } from "./changes.js";
import { ConfigError, messageOf } from "./config-error.js";
import { parseDotenv } from "./dotenv.js";
import { parseJson } from "./json.js";

/** @import { Change, StandardSchema, WatchOptions } from "./index.d.ts" */
/** @import { FileSnapshot } from "./snapshot.js" */

// A schema may find a thousand problems; a log line wants the first few.
const issuesInMessage = 3;

/**
 * @template T
 * @param {object} question
 * @param {FileSnapshot} question.snapshot
 * @param {boolean} question.isFile
 * @param {FileSnapshot | undefined} question.before
 * @param {Change<T>["kind"]} question.kind
 * @param {Pick<WatchOptions<T>, "parse" | "schema" | "apply">} question.options
 * @returns {Promise<Change<T>>} rejects with a ConfigError
 */
export async function judge({ snapshot, isFile, before, kind, options }) {
  const parsed = await parse(snapshot, isFile, options.parse);
  const value = await validate(snapshot, parsed, options.schema);
  const { version } = snapshot;
  const change = Object.freeze({ kind, value, version, snapshot, ...changeSet(before, snapshot) });
  try {
    await options.apply?.(change);
  } catch (cause) {
    throw refusal("apply", snapshot, cause);
  }
  return change;
}

/**
 * @param {FileSnapshot} snapshot
 * @param {boolean} isFile
 * @param {WatchOptions<unknown>["parse"]} how
 * @returns {Promise<unknown>}
 */
async function parse(snapshot, isFile, how) {
  if (typeof how === "function") {
    try {
      return await how(snapshot);
    } catch (cause) {
      throw refusal("parse", snapshot, cause);
    }
  }
  const format = how ?? (isFile ? formatOf(snapshot.path) : "text");
  /** @type {[string, unknown][]} */
  const values = [];
  for (const key of snapshot.keys) {
    try {
      values.push([key, read(format, snapshot.text(key))]);
    } catch (cause) {
      // No cause: whatever the built-in readers knew is in the message, without content.
      const where = isFile ? "" : `key "${key}": `;
      const { path, version } = snapshot;
      const message = `Cannot parse "${path}": ${where}${messageOf(cause)}`;
      throw new ConfigError(message, { stage: "parse", path, version });
    }
  }
  return isFile ? values[0]?.[1] : Object.fromEntries(values);
}

/** @param {string} path */
function formatOf(path) {
  if (path.endsWith(".json")) return "json";
  return path.endsWith(".env") ? "dotenv" : "text";
}

/**
 * @param {"json" | "dotenv" | "text"} format
 * @param {string} text
 */
function read(format, text) {
  switch (format) {
    case "json":
      return parseJson(text);
    case "dotenv":
      return parseDotenv(text);
    case "text":
      return text;
  }
}

/**
 * Without a schema the caller vouches for T.
 * @template T
 * @param {FileSnapshot} snapshot
 * @param {unknown} value
 * @param {StandardSchema<T> | undefined} schema
 */
async function validate(snapshot, value, schema) {
  if (schema === undefined) return /** @type {T} */ (value);
  /** @type {{ value: T } | { issues: ReturnType<typeof issueOf>[] }} */
  let outcome;
  try {
    outcome = outcomeOf(await schema["~standard"].validate(value));
  } catch (cause) {
    throw refusal("schema", snapshot, cause);
  }
  if ("value" in outcome) return outcome.value;
  const { issues } = outcome;
  const shown = issues
    .slice(0, issuesInMessage)
    .map(({ message, path }) => (path === "" ? message : `${path}: ${message}`));
  if (issues.length > shown.length) shown.push(`and ${issues.length - shown.length} more`);
  const { path, version } = snapshot;
  throw new ConfigError(`The schema refuses "${path}": ${shown.join("; ")}`, {
    stage: "schema",
    path,
    version,
    issues: Object.freeze(issues),
  });
}

/**
 * Throws when the validator does not keep to the specification; what it says is then worth nothing.
 * @template T
 * @param {import("./index.d.ts").SchemaResult<T>} result
 */
function outcomeOf(result) {
  if (typeof result !== "object" || result === null) {
    throw new TypeError("The schema returned no result object");
  }
  if (result.issues) return { issues: result.issues.map(issueOf) };
  if ("value" in result) return { value: result.value };
  throw new TypeError('The schema returned neither "value" nor "issues"');
}

/** @param {{ readonly message: unknown, readonly path?: readonly unknown[] | null | undefined }} issue */
function issueOf({ message, path }) {
  return Object.freeze({ message: String(message), path: (path ?? []).map(segmentOf).join(".") });
}

/** @param {unknown} segment A key, or an object with one. */
function segmentOf(segment) {
  const isObject = typeof segment === "object" && segment !== null && "key" in segment;
  return String(isObject ? segment.key : segment);
}

/**
 * @param {"parse" | "schema" | "apply"} stage
 * @param {FileSnapshot} snapshot
 * @param {unknown} cause
 */
function refusal(stage, { path, version }, cause) {
  return new ConfigError(messageOf(cause), { stage, path, version, cause });
}
