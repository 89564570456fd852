// Refuses what makes no sense, at once and by name, instead of misbehaving later. Types say the same,
// but not everybody has them.

import { constants } from "node:os";

const formats = ["json", "dotenv", "text"];

/**
 * Throws a TypeError.
 * @param {unknown} path
 * @param {object} options
 */
export function checkOptions(path, options) {
  if (typeof path !== "string" || path === "") {
    throw new TypeError("Cannot watch: the path must be a string and not empty");
  }
  if (!isObject(options)) throw new TypeError(`Cannot watch "${path}": options must be an object`);
  /** @type {Record<string, unknown>} */
  const given = { ...options };
  for (const [name, { isGood, wanted }] of Object.entries(rules)) {
    if (given[name] === undefined || isGood(given[name])) continue;
    throw new TypeError(`Cannot watch "${path}": the option "${name}" must be ${wanted}`);
  }
}

/** @type {Readonly<Record<string, { isGood: (value: unknown) => boolean, wanted: string }>>} */
const rules = {
  parse: {
    isGood: (value) => isFunction(value) || (typeof value === "string" && formats.includes(value)),
    wanted: '"json", "dotenv", "text" or a function',
  },
  schema: {
    isGood: (value) => isFunction(propertyOf(propertyOf(value, "~standard"), "validate")),
    wanted: 'a Standard Schema, with a property "~standard"',
  },
  apply: { isGood: isFunction, wanted: "a function" },
  onError: { isGood: isFunction, wanted: "a function" },
  debounce: {
    isGood(value) {
      const minMs = propertyOf(value, "minMs");
      const maxMs = propertyOf(value, "maxMs");
      return isDuration(minMs) && isDuration(maxMs) && Number(minMs) <= Number(maxMs);
    },
    wanted: "{ minMs, maxMs } in milliseconds, with 0 <= minMs <= maxMs",
  },
  pollMs: { isGood: isDuration, wanted: "a number of milliseconds, or 0 for none" },
  signal: {
    isGood: (value) => isFunction(propertyOf(value, "addEventListener")),
    wanted: "an AbortSignal",
  },
  ack: { isGood: (value) => typeof value === "string", wanted: 'a directory, or "" for none' },
};

/**
 * Throws a TypeError unless a process can listen to this signal.
 * @param {unknown} signal
 */
export function checkSignal(signal) {
  const isKnown = typeof signal === "string" && Object.hasOwn(constants.signals, signal);
  if (isKnown && signal !== "SIGKILL" && signal !== "SIGSTOP") return;
  throw new TypeError(
    `Cannot reload on ${JSON.stringify(signal)}: it must be the name of a signal that can be caught, such as "SIGHUP"`,
  );
}

/** @param {unknown} value A timer takes at most 2^31 - 1. */
function isDuration(value) {
  return typeof value === "number" && value >= 0 && value < 2 ** 31;
}

/** @param {unknown} value @returns {value is object} */
function isObject(value) {
  return (typeof value === "object" && value !== null) || isFunction(value);
}

/** @param {unknown} value @returns {value is Function} */
function isFunction(value) {
  return typeof value === "function";
}

/**
 * @param {unknown} value
 * @param {string} name
 * @returns {unknown}
 */
function propertyOf(value, name) {
  return isObject(value) ? Reflect.get(value, name) : undefined;
}
