// Content that says of itself what it is: which key of which object, of which generation. Everything follows from these three, so
// that whoever reads a file can tell whether it is whole, without asking anybody.

export interface Stamp {
  readonly object: string;
  readonly key: string;
  readonly generation: number;
}

/** The keys that are always there. */
const STEADY = ["a", "b", "c"];
/** Files of several blocks of a disk, and of less than one. */
const FILL = 3000;

/** Keys come and go, so that links do. */
export function keysOf({ object, generation }: Omit<Stamp, "key">): readonly string[] {
  const keys = generation % 2 === 0 ? [...STEADY, "even"] : STEADY;
  return keys.map((key) => `${object}.${key}`);
}

/** Those that no update takes away. */
export function steadyKeysOf(object: string): readonly string[] {
  return STEADY.map((key) => `${object}.${key}`);
}

export function stampedText({ object, key, generation }: Stamp): string {
  const fill = String.fromCharCode(97 + (generation % 26)).repeat((generation * 997) % FILL);
  return `${object} ${key} ${generation} ${fill}.\n`;
}

export function stampedData(object: string, generation: number): Record<string, string> {
  const keys = keysOf({ object, generation });
  return Object.fromEntries(keys.map((key) => [key, stampedText({ object, key, generation })]));
}

/** Throws if the text is not all of one generation. */
export function readStamp(key: string, text: string): Stamp {
  const [object = "", , number] = text.split(" ", 3);
  const stamp = { object, key, generation: Number(number) };
  if (text !== stampedText(stamp)) {
    throw new Error(`${key} is torn: it begins with ${JSON.stringify(text.slice(0, 60))}`);
  }
  return stamp;
}
