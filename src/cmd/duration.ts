// "90s", "30m", "8h", "30d", as flags write it.

import { MisuseError } from "./misuse-error.ts";

const units: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3600_000,
  d: 24 * 3600_000,
};

/** A hundred years: beyond, dates have five digits. */
const MAX_MS = 36_500 * 24 * 3600_000;

/** In milliseconds. Throws MisuseError with the flag's name. */
export function parseDuration(flag: string, text: string): number {
  const [, digits = "", unit = ""] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const ms = Number(digits) * (units[unit] ?? 0);
  if (ms > 0 && ms <= MAX_MS) return ms;
  throw new MisuseError(
    `${flag} ${text}: must be a number and a unit, such as 90s, 30m, 8h or 30d`,
  );
}
