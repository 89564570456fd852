// --log-level, which every command that runs for long has.

import { Option } from "commander";
import type { LogLevel } from "../base/logger.ts";
import { MisuseError } from "./misuse-error.ts";

const LEVELS: readonly string[] = ["debug", "info", "warn", "error"] satisfies LogLevel[];

export function logLevelOption(): Option {
  return new Option("--log-level <level>", `one of ${LEVELS.join(", ")}`).default("info");
}

export function logLevelOf(text: string): LogLevel {
  if (LEVELS.includes(text)) return text as LogLevel;
  throw new MisuseError(`--log-level ${text}: must be one of ${LEVELS.join(", ")}`);
}
