// What parts write to for operators. The message is constant and lower case, everything that varies is
// a field, so that logs can be searched; an error goes under `err`. pino does the work behind it.

import { pino } from "pino";
import { describe } from "./errors.ts";

export type Fields = Readonly<Record<string, unknown>>;

export type LogLevel = "debug" | "info" | "warn" | "error";

export interface Logger {
  /** The fields may be a function, for lines that are many: it is called only if the line is written. */
  debug(message: string, fields?: Fields | (() => Fields)): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
  /** A logger that adds `fields` to each line. */
  child(fields: Fields): Logger;
}

export interface LoggerOptions {
  /** Lines below this level are not written. */
  readonly level: LogLevel;
  /** Gets one line of JSON at a time, with its line end. Must not throw. */
  readonly destination: { write(line: string): void };
}

/** A logger that writes JSON lines: level, time (ISO), message, fields. */
export function createLogger({ level, destination }: LoggerOptions): Logger {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    messageKey: "message",
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: serialized },
  };
  return wrap(pino(options, destination));
}

/** As pino does it, but a wrapper that repeats what its cause says does not make the message say it twice. */
function serialized(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return thrown;
  const { type, stack, message: _, ...more } = pino.stdSerializers.err(thrown);
  return { type, message: describe(thrown), stack, ...more };
}

function wrap(sink: pino.Logger): Logger {
  return {
    debug: (message, fields = {}) => {
      if (!sink.isLevelEnabled("debug")) return;
      sink.debug(typeof fields === "function" ? fields() : fields, message);
    },
    info: (message, fields = {}) => sink.info(fields, message),
    warn: (message, fields = {}) => sink.warn(fields, message),
    error: (message, fields = {}) => sink.error(fields, message),
    child: (fields) => wrap(sink.child(fields)),
  };
}
