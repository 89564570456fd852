// Lengths of time as tables show them, with two or three significant figures: "9s", "3m20s", "318d", "2y10d".

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

interface Step {
  /** In seconds: this step serves what is shorter. */
  readonly below: number;
  readonly unit: readonly [string, number];
  /** The smaller unit that is shown beside it, unless it is zero. */
  readonly rest?: readonly [string, number];
}

const steps: readonly Step[] = [
  { below: 2 * minute, unit: ["s", 1] },
  { below: 10 * minute, unit: ["m", minute], rest: ["s", 1] },
  { below: 3 * hour, unit: ["m", minute] },
  { below: 8 * hour, unit: ["h", hour], rest: ["m", minute] },
  { below: 2 * day, unit: ["h", hour] },
  { below: 8 * day, unit: ["d", day], rest: ["h", hour] },
  { below: 2 * year, unit: ["d", day] },
  { below: 8 * year, unit: ["y", year], rest: ["d", day] },
  { below: Number.POSITIVE_INFINITY, unit: ["y", year] },
];

/** Clocks may be a little apart: less than two seconds of the future count as now, more is `<invalid>`. */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  if (seconds < -1) return "<invalid>";
  const length = Math.max(0, seconds);
  const step = steps.find(({ below }) => length < below);
  if (step === undefined) return "<invalid>";
  const [name, size] = step.unit;
  const whole = `${Math.floor(length / size)}${name}`;
  if (step.rest === undefined) return whole;
  const [restName, restSize] = step.rest;
  const rest = Math.floor((length % size) / restSize);
  return rest === 0 ? whole : `${whole}${rest}${restName}`;
}

/** How long ago a timestamp of the API was; `<unknown>` without one. */
export function ageOf(timestamp: string | null | undefined, nowMs: number): string {
  const then = timestampMs(timestamp);
  return then === undefined ? "<unknown>" : humanDuration(nowMs - then);
}

/** Milliseconds since the epoch; undefined for what is absent or no time. */
export function timestampMs(timestamp: string | null | undefined): number | undefined {
  if (timestamp === undefined || timestamp === null || timestamp === "") return undefined;
  const ms = Date.parse(timestamp);
  return Number.isNaN(ms) ? undefined : ms;
}
