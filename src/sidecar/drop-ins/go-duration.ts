// Durations as Go's flags take them: "300ms", "1.5h", "1m30s", "-5s", "0".

const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** In milliseconds; undefined for what is no duration. */
export function parseGoDuration(text: string): number | undefined {
  const [, sign = "", rest = ""] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  if (rest === "0") return 0;
  if (!/^((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$/.test(rest)) return undefined;
  let ms = 0;
  for (const [, number, unit = ""] of rest.matchAll(/([\d.]+)([a-zµμ]+)/g)) {
    ms += Number(number) * (UNITS[unit] ?? 0);
  }
  return sign === "-" ? -ms : ms;
}
