// A logger that keeps what it is told, for tests to look at.

import type { Fields, Logger, LogLevel } from "../logger.ts";

export interface LogRecord {
  readonly level: LogLevel;
  readonly message: string;
  /** Those of the line and of all its parents. */
  readonly fields: Fields;
}

export class CaptureLogger implements Logger {
  /** All lines in order, those of children too. */
  readonly records: LogRecord[];
  readonly #fields: Fields;

  constructor(records: LogRecord[] = [], fields: Fields = {}) {
    this.records = records;
    this.#fields = fields;
  }

  debug(message: string, fields?: Fields | (() => Fields)): void {
    this.#keep("debug", message, typeof fields === "function" ? fields() : fields);
  }

  info(message: string, fields?: Fields): void {
    this.#keep("info", message, fields);
  }

  warn(message: string, fields?: Fields): void {
    this.#keep("warn", message, fields);
  }

  error(message: string, fields?: Fields): void {
    this.#keep("error", message, fields);
  }

  child(fields: Fields): CaptureLogger {
    return new CaptureLogger(this.records, { ...this.#fields, ...fields });
  }

  #keep(level: LogLevel, message: string, fields: Fields | undefined): void {
    this.records.push({ level, message, fields: { ...this.#fields, ...fields } });
  }
}
