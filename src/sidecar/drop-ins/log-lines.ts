// Log lines as the programs that drop-ins stand in for write them: as logfmt, or with times of the place.

import type { LogOptions } from "./drop-in-model.ts";

type Line = Readonly<Record<string, unknown>>;

/** Makes what a Logger writes (one line of JSON, with its line end) into what was asked for. What is no such line stays as it is. */
export function logLines({ format, timeZone }: LogOptions): (line: string) => string {
  if (format === "json" && timeZone === "utc") return (line) => line;
  return (text) => {
    const line = parsed(text);
    if (line === undefined) return text;
    const placed = timeZone === "utc" ? line : withLocalTime(line);
    return `${format === "json" ? JSON.stringify(placed) : logfmtOf(placed)}\n`;
  };
}

function parsed(text: string): Line | undefined {
  try {
    const line: unknown = JSON.parse(text);
    return typeof line === "object" && line !== null ? (line as Line) : undefined;
  } catch {
    return undefined; // Not from a Logger.
  }
}

function logfmtOf(line: Line): string {
  return Object.entries(line)
    .map(([key, value]) => `${key.replace(/[\s="]+/g, "_")}=${valueText(value)}`)
    .join(" ");
}

function valueText(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return /^[^\s="\\\p{C}]+$/u.test(text) ? text : JSON.stringify(text);
}

function withLocalTime(line: Line): Line {
  const date = new Date(String(line["time"]));
  return Number.isNaN(date.getTime()) ? line : { ...line, time: localTime(date) };
}

/** ISO 8601 with the difference to UTC. */
function localTime(date: Date): string {
  const offset = -date.getTimezoneOffset();
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
  const local = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, -1);
  const two = (number: number): string => String(number).padStart(2, "0");
  return `${local}${offset < 0 ? "-" : "+"}${two(hours)}:${two(minutes)}`;
}
