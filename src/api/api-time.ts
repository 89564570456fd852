// Times as the API writes them: whole seconds, or six digits more where that is not enough.

export function apiTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** Of milliseconds with a fraction, if the clock has one. */
export function microTime(ms: number): string {
  const wholeMs = Math.floor(ms);
  const microseconds = String(Math.floor((ms - wholeMs) * 1000)).padStart(3, "0");
  return `${new Date(wholeMs).toISOString().slice(0, 23)}${microseconds}Z`;
}
