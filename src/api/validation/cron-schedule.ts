// Whether a CronJob's schedule can be read: five fields, or a word that begins with "@". The texts are those that
// users of CronJobs know; they name the part that is wrong.

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names: readonly string[];
}

const fields: readonly Bounds[] = [
  { min: 0, max: 59, names: [] },
  { min: 0, max: 23, names: [] },
  { min: 1, max: 31, names: [] },
  { min: 1, max: 12, names: "jan feb mar apr may jun jul aug sep oct nov dec".split(" ") },
  { min: 0, max: 6, names: "sun mon tue wed thu fri sat".split(" ") },
];

const descriptors: ReadonlySet<string> = new Set(
  "@yearly @annually @monthly @weekly @daily @midnight @hourly".split(" "),
);
const every = "@every ";
const durationPart = /(?:\d+\.?\d*|\.\d+)([^\d.]*)/y;
const durationUnits: ReadonlySet<string> = new Set("ns us µs μs ms s m h".split(" "));

/** What is wrong with `schedule`, or undefined. */
export function cronScheduleError(schedule: string): string | undefined {
  if (schedule === "") return "empty spec string";
  const zone = /^(?:CRON_)?TZ=(.*?) (.*)$/s.exec(schedule);
  if (zone !== null) {
    const [, name = "", rest = ""] = zone;
    const known = timeZoneError(name);
    return known === undefined
      ? cronScheduleError(rest.trim())
      : `provided bad location ${name}: ${known}`;
  }
  return schedule.startsWith("@") ? descriptorError(schedule) : fieldsError(schedule);
}

/** What is wrong with the name of a time zone, or undefined. */
export function timeZoneError(name: string): string | undefined {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return undefined;
  } catch {
    // The only way to ask: an unknown zone is a RangeError.
    return `unknown time zone ${name}`;
  }
}

function fieldsError(schedule: string): string | undefined {
  const parts = schedule.split(/\s+/).filter((part) => part !== "");
  if (parts.length !== fields.length) {
    return `expected exactly ${fields.length} fields, found ${parts.length}: [${parts.join(" ")}]`;
  }
  for (const [i, bounds] of fields.entries()) {
    const ranges = (parts[i] ?? "").split(",").filter((range) => range !== "");
    const error = ranges.map((range) => rangeError(range, bounds)).find((text) => text !== "");
    if (error !== undefined) return error;
  }
  return undefined;
}

function rangeError(text: string, bounds: Bounds): string {
  const [range = "", ...steps] = text.split("/");
  const [low = "", ...highs] = range.split("-");
  const ends = rangeEnds({ text, low, highs, bounds });
  if (typeof ends === "string") return ends;
  if (steps.length > 1) return `too many slashes: ${text}`;
  const step = steps[0] === undefined ? 1 : whole(steps[0]);
  if (typeof step === "string") return step;
  // "5/10" means from 5 on.
  const end = steps.length === 1 && highs.length === 0 ? bounds.max : ends.end;
  const error = boundsError(text, ends.start, { ...bounds, end });
  if (error === "" && step === 0) return `step of range should be a positive number: ${text}`;
  return error;
}

function boundsError(text: string, start: number, of: Bounds & { readonly end: number }): string {
  const { min, max, end } = of;
  if (start < min) return `beginning of range (${start}) below minimum (${min}): ${text}`;
  if (end > max) return `end of range (${end}) above maximum (${max}): ${text}`;
  return start > end ? `beginning of range (${start}) beyond end of range (${end}): ${text}` : "";
}

function rangeEnds(of: {
  readonly text: string;
  readonly low: string;
  readonly highs: readonly string[];
  readonly bounds: Bounds;
}): { readonly start: number; readonly end: number } | string {
  const { text, low, highs, bounds } = of;
  if (low === "*" || low === "?") return { start: bounds.min, end: bounds.max };
  const start = wholeOrName(low, bounds);
  if (typeof start === "string") return start;
  if (highs.length > 1) return `too many hyphens: ${text}`;
  const end = highs[0] === undefined ? start : wholeOrName(highs[0], bounds);
  return typeof end === "string" ? end : { start, end };
}

function wholeOrName(text: string, bounds: Bounds): number | string {
  const at = bounds.names.indexOf(text.toLowerCase());
  return at === -1 ? whole(text) : bounds.min + at;
}

function whole(text: string): number | string {
  if (!/^[-+]?\d+$/.test(text)) {
    const why = `strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
    return `failed to parse int from ${text}: ${why}`;
  }
  const value = Number(text);
  return value < 0 ? `negative number (${value}) not allowed: ${text}` : value;
}

function descriptorError(text: string): string | undefined {
  if (descriptors.has(text)) return undefined;
  if (!text.startsWith(every)) return `unrecognized descriptor: ${text}`;
  const error = durationError(text.slice(every.length));
  return error === undefined ? undefined : `failed to parse duration ${text}: ${error}`;
}

function durationError(text: string): string | undefined {
  const quoted = JSON.stringify(text);
  const unsigned = text.replace(/^[-+]/, "");
  if (unsigned === "0") return undefined;
  if (unsigned === "") return `time: invalid duration ${quoted}`;
  durationPart.lastIndex = 0;
  while (durationPart.lastIndex < unsigned.length) {
    const unit = durationPart.exec(unsigned)?.[1];
    if (unit === undefined) return `time: invalid duration ${quoted}`;
    if (unit === "") return `time: missing unit in duration ${quoted}`;
    if (!durationUnits.has(unit)) {
      return `time: unknown unit ${JSON.stringify(unit)} in duration ${quoted}`;
    }
  }
  return undefined;
}
