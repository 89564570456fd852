// The files of the campaign. Each source has a number that only grows; whatever is made of the source says that number over and over, so that from a text alone it can be told of which
// version it is, and whether it is whole. "bad" anywhere is what the gate refuses.

export type SourceName = "obj" | "url" | "vol";
export type Numbers = Readonly<Record<SourceName, number>>;
export type Fault = "bad" | "garbage";

export const SOURCES: readonly SourceName[] = ["vol", "obj", "url"];
/** What is live, all of it. */
export const LIVE_FILES: readonly string[] = ["merged.yaml", "obj.conf", "url.yaml", "vol.conf"];

const LINES = 40;
const GARBAGE = "{ [ :\n";

/** What becomes a file as it is. */
export function confOf(source: SourceName, number: number): string {
  return `# ${source} ${number}\n`.repeat(LINES);
}

/** What is merged with the others. */
export function partOf(source: SourceName, number: number, fault?: Fault): string {
  if (fault === "garbage") return GARBAGE;
  return `${source}: ${number}\n${fault === "bad" ? "bad: true\n" : ""}`;
}

/** Both in one, because an address serves one file. */
export function documentOf(number: number, fault?: Fault): string {
  return partOf("url", number, fault) + confOf("url", number);
}

/** What should be live when the sources say these numbers; `merged.yaml` as its numbers. */
export function isOf(texts: Readonly<Record<string, string>>, numbers: Numbers): boolean {
  const { "merged.yaml": merged = "", ...rest } = texts;
  const wanted = {
    "obj.conf": confOf("obj", numbers.obj),
    "url.yaml": documentOf(numbers.url),
    "vol.conf": confOf("vol", numbers.vol),
  };
  const inMerged = numbersIn(merged);
  return (
    JSON.stringify(rest) === JSON.stringify(wanted) &&
    SOURCES.every((source) => inMerged?.get(source) === numbers[source])
  );
}

/** Of a file of the live set; undefined if it is not whole. */
export function numbersOf(file: string, text: string): ReadonlyMap<string, number> | undefined {
  if (file === "merged.yaml") return numbersIn(text);
  const source = file.slice(0, file.indexOf(".")) as SourceName;
  const number = Number(/^(?:url: |# \w+ )(\d+)$/m.exec(text)?.[1]);
  const whole = source === "url" ? documentOf(number) : confOf(source, number);
  return text === whole ? new Map([[source, number]]) : undefined;
}

function numbersIn(merged: string): ReadonlyMap<string, number> | undefined {
  const lines = merged.trimEnd().split("\n");
  const pairs = lines.map((line) => /^(\w+): (\d+)$/.exec(line));
  const found = new Map(pairs.map((pair) => [pair?.[1] ?? "", Number(pair?.[2])]));
  const isWhole = merged.endsWith("\n") && SOURCES.every((source) => found.has(source));
  return isWhole && found.size === SOURCES.length ? found : undefined;
}
