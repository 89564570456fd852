// Times in JSON: RFC 3339 in, UTC with whole seconds (Time) or six digits (MicroTime) out. What cannot be read is
// described in the words of Go's time package, which the API repeats: layout by layout element.

import { DecodeError } from "./decode-error.ts";
import { goQuote } from "./validation/go-text.ts";

export type TimePrecision = "time" | "microTime";

const layouts: Readonly<Record<TimePrecision, string>> = {
  time: "2006-01-02T15:04:05Z07:00",
  microTime: "2006-01-02T15:04:05.000000Z07:00",
};

/** The canonical text, or null for the zero time, which JSON shows as null. Throws a DecodeError. */
export function canonicalTime(text: string, precision: TimePrecision): string | null {
  const canonical = isPlain(text, precision) ? text : new TimeReader(text, precision).read();
  return canonical.startsWith("0001-01-01T00:00:00") && /:00(?:\.0+)?Z$/.test(canonical)
    ? null
    : canonical;
}

/** `2006-01-02T15:04:05Z` with numbers that need no second look; most times are. */
function isPlain(text: string, precision: TimePrecision): boolean {
  const shape =
    precision === "time"
      ? /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/
      : /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z$/;
  return shape.test(text);
}

class TimeReader {
  readonly #text: string;
  readonly #precision: TimePrecision;
  #at = 0;

  constructor(text: string, precision: TimePrecision) {
    this.#text = text;
    this.#precision = precision;
  }

  read(): string {
    const year = this.#number("2006", /^\d{4}/);
    this.#literal("-");
    const month = this.#number("01", /^\d\d/);
    if (month < 1 || month > 12) this.#outOfRange("month");
    this.#literal("-");
    const day = this.#number("02", /^\d\d/);
    this.#literal("T");
    const hour = this.#number("15", /^\d\d?/);
    if (hour > 23) this.#outOfRange("hour");
    this.#literal(":");
    const minute = this.#number("04", /^\d\d/);
    if (minute > 59) this.#outOfRange("minute");
    this.#literal(":");
    const second = this.#number("05", /^\d\d/);
    if (second > 59) this.#outOfRange("second");
    const fraction = this.#fraction();
    const offsetMinutes = this.#zone();
    if (this.#at < this.#text.length) this.#fail(`: extra text: ${goQuote(this.#rest())}`);
    if (day < 1 || day > daysIn(year, month)) this.#outOfRange("day");
    // Not Date.UTC: it takes the years 0 to 99 for 1900 to 1999.
    const date = new Date(0);
    date.setUTCFullYear(year, month - 1, day);
    date.setUTCHours(hour, minute - offsetMinutes, second);
    const seconds = date.toISOString().slice(0, -5);
    return this.#precision === "time" ? `${seconds}Z` : `${seconds}${fraction}Z`;
  }

  #number(element: string, shape: RegExp): number {
    const [digits] = shape.exec(this.#rest()) ?? [];
    if (digits === undefined) this.#cannotParse(this.#rest(), element);
    this.#at += digits.length;
    return Number(digits);
  }

  #literal(character: string): void {
    if (this.#text[this.#at] !== character) this.#cannotParse(this.#rest(), character);
    this.#at++;
  }

  /** Any fraction is read and dropped for a Time; a MicroTime must have exactly six digits. */
  #fraction(): string {
    const exact = this.#precision === "microTime";
    const [digits] = (exact ? /^[.,]\d{6}/ : /^[.,]\d+/).exec(this.#rest()) ?? [];
    if (exact && digits === undefined) this.#cannotParse(this.#rest(), ".000000");
    this.#at += digits?.length ?? 0;
    return digits?.replace(",", ".") ?? "";
  }

  #zone(): number {
    const [zone, sign, hours, minutes] = /^(?:Z|([-+])(\d\d):(\d\d))/.exec(this.#rest()) ?? [];
    if (zone === undefined) this.#cannotParse(this.#rest(), "Z07:00");
    this.#at += zone.length;
    if (zone === "Z") return 0;
    if (Number(hours) > 24) this.#outOfRange("time zone offset hour");
    if (Number(minutes) > 60) this.#outOfRange("time zone offset minute");
    const offset = Number(hours) * 60 + Number(minutes);
    return sign === "-" ? -offset : offset;
  }

  #rest(): string {
    return this.#text.slice(this.#at);
  }

  #cannotParse(rest: string, element: string): never {
    const layout = goQuote(layouts[this.#precision]);
    this.#fail(` as ${layout}: cannot parse ${goQuote(rest)} as ${goQuote(element)}`);
  }

  #outOfRange(what: string): never {
    this.#fail(`: ${what} out of range`);
  }

  #fail(why: string): never {
    throw new DecodeError(`parsing time ${goQuote(this.#text)}${why}`);
  }
}

function daysIn(year: number, month: number): number {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  if (month === 2) return isLeap ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
