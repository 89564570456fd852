// What a check says is wrong, short enough for an Event. Most programs end with a line that only sums up ("test failed", "contains errors") and name the place in the
// one before it, so it is the last two. Without times and process numbers: the same fault must have the same words when it is found again.

const COUNT = 2;
/** Where it begins is the place, and where it ends the fault; what is between may be a list of all that would have been right. */
const HEAD_LENGTH = 120;
const TAIL_LENGTH = 180;
const GAP = " … ";
/** "FAILED:" and the like announce something, and say nothing. */
const LABEL = /^\S+:$/;
const TIME =
  /^\d{4}[-/]\d\d[-/]\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d+)?(?: ?(?:[A-Z]{1,4}|[+-]\d\d:?\d\d))?\s+/;
/** As nginx, PostgreSQL and HAProxy write them. */
const PROCESS = /(?:(?<=^|\] )\d+#\d+: |^\[\d+\] |(?<=^\[[A-Z]+\] *)\(\d+\) : )/;

/** "" if there is nothing. */
export function tellingLines(output: string): string {
  const lines = output.split("\n").map(plainLine);
  const telling = lines.filter((line) => line !== "" && !LABEL.test(line)).slice(-COUNT);
  return telling.map(cut).join("; ");
}

/** As it is told, if it is not too long. */
export function plainLine(line: string): string {
  const printable = line.replace(/\p{Cc}+/gu, " ").trim();
  return printable.replace(TIME, "").replace(PROCESS, "");
}

function cut(line: string): string {
  if (line.length <= HEAD_LENGTH + GAP.length + TAIL_LENGTH) return line;
  return line.slice(0, HEAD_LENGTH) + GAP + line.slice(-TAIL_LENGTH);
}
