// Regular expressions on names of objects, as Reloader's lists have them (Go's syntax), matched without going back: all places that can be reached
// are followed at once, so that no pattern takes longer than its length, with its repetitions written out, times the name's. Annotations are written
// by anybody.

/** Longer ones are refused: names are at most 253 characters. */
const MAX_PATTERN_LENGTH = 512;
/** Of `{n,m}`. Go's own limit is 1000. */
const MAX_REPEATS = 300;
const MAX_DEPTH = 50;
/** Single characters, when all repetitions are written out: what a match costs at most, times the length of the name. */
const MAX_WEIGHT = 2000;

type Part =
  | { readonly type: "one"; readonly matches: (character: string) => boolean }
  | { readonly type: "start" | "end" }
  | { readonly type: "any"; readonly of: readonly (readonly Part[])[] }
  | { readonly type: "repeat"; readonly part: Part; readonly min: number; readonly max: number };

/** A pattern that is not understood. */
export class NamePatternError extends Error {
  override readonly name = "NamePatternError";
}

/**
 * Whether a name fits `^PATTERN$`, to the letter: of `a|b` only the `a` is bound to the beginning and only the `b` to the end. Throws
 * NamePatternError for what Go would not compile, and for flags, word boundaries and \p classes, which names have no use for.
 */
export function namePattern(pattern: string): (name: string) => boolean {
  if (pattern.length > MAX_PATTERN_LENGTH) {
    throw new NamePatternError(`is longer than ${MAX_PATTERN_LENGTH} characters`);
  }
  const whole: Part = { type: "any", of: new PatternReader(`^${pattern}$`).read() };
  if (weightOf(whole) > MAX_WEIGHT) throw new NamePatternError("repeats too much");
  return (name) => {
    const starts = new Set(Array.from({ length: name.length + 1 }, (_, index) => index));
    return ends(whole, name, starts).size > 0;
  };
}

function weightOf(part: Part): number {
  switch (part.type) {
    case "one":
    case "start":
    case "end":
      return 1;
    case "any":
      return part.of.flat().reduce((sum, one) => sum + weightOf(one), 1);
    case "repeat":
      // Without an end: until nothing new is reached, which takes three rounds where the first reaches all.
      return weightOf(part.part) * Math.max(1, Number.isFinite(part.max) ? part.max : part.min + 3);
  }
}

/** Where a match of `part` can end that begins at one of `starts`. */
function ends(part: Part, name: string, starts: ReadonlySet<number>): ReadonlySet<number> {
  switch (part.type) {
    case "start":
      return new Set(starts.has(0) ? [0] : []);
    case "end":
      return new Set(starts.has(name.length) ? [name.length] : []);
    case "one":
      return new Set([...starts].filter((at) => part.matches(name.charAt(at))).map((at) => at + 1));
    case "any":
      return new Set(part.of.flatMap((parts) => [...endsOfAll(parts, name, starts)]));
    case "repeat":
      return endsOfRepeat(part, name, starts);
  }
}

function endsOfAll(
  parts: readonly Part[],
  name: string,
  starts: ReadonlySet<number>,
): ReadonlySet<number> {
  let at = starts;
  for (const part of parts) at = ends(part, name, at);
  return at;
}

function endsOfRepeat(
  { part, min, max }: Extract<Part, { readonly type: "repeat" }>,
  name: string,
  starts: ReadonlySet<number>,
): ReadonlySet<number> {
  let at = starts;
  for (let count = 0; count < min && at.size > 0; count++) at = ends(part, name, at);
  const found = new Set(at);
  for (let count = min; count < max && at.size > 0; count++) {
    at = new Set([...ends(part, name, at)].filter((end) => !found.has(end)));
    for (const end of at) found.add(end);
  }
  return found;
}

class PatternReader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): readonly (readonly Part[])[] {
    const alternatives = this.#alternatives();
    if (this.#at < this.#text.length) throw new NamePatternError("has a ) without a (");
    return alternatives;
  }

  #alternatives(): readonly (readonly Part[])[] {
    const all: Part[][] = [[]];
    while (this.#at < this.#text.length && this.#peek() !== ")") {
      if (this.#take("|")) all.push([]);
      else all.at(-1)?.push(this.#repeated(this.#part()));
    }
    return all;
  }

  #part(): Part {
    const character = this.#next();
    switch (character) {
      case "^":
        return { type: "start" };
      case "$":
        return { type: "end" };
      case ".":
        return { type: "one", matches: (one) => one !== "" && one !== "\n" };
      case "(":
        return this.#group();
      case "[":
        return this.#set();
      case "\\":
        return this.#escaped();
      case "*":
      case "+":
      case "?":
        throw new NamePatternError(`has a ${character} with nothing before it`);
      default:
        return { type: "one", matches: (one) => one === character };
    }
  }

  #group(): Part {
    if (++this.#depth > MAX_DEPTH) throw new NamePatternError("has too many brackets in brackets");
    if (this.#take("?") && !this.#take(":")) {
      const name = /^P?<[A-Za-z_]\w*>/.exec(this.#text.slice(this.#at))?.[0];
      if (name === undefined) throw new NamePatternError("has a (? that is not (?: or a name");
      this.#at += name.length;
    }
    const of = this.#alternatives();
    if (!this.#take(")")) throw new NamePatternError("has a ( without a )");
    this.#depth--;
    return { type: "any", of };
  }

  /** One character of many is small enough for the engine's own words. */
  #set(): Part {
    const found = /^\^?\]?(?:\\.|\[:[a-z]+:\]|[^\]\\])*\]/.exec(this.#text.slice(this.#at))?.[0];
    if (found === undefined) throw new NamePatternError("has a [ without a ]");
    this.#at += found.length;
    const body = found
      .slice(0, -1)
      .replace(/^(\^?)\]/, "$1\\]")
      .replaceAll(/\[:([a-z]+):\]/g, (_, name: string) => posixSet(name));
    return oneOf(`[${body}]`);
  }

  #escaped(): Part {
    if (this.#at >= this.#text.length) throw new NamePatternError("ends with a \\");
    const character = this.#next();
    if (/[dDsSwW]/.test(character)) return oneOf(`\\${character}`);
    if (/[A-Za-z0-9]/.test(character)) {
      throw new NamePatternError(`has \\${character}, which is not supported`);
    }
    return { type: "one", matches: (one) => one === character };
  }

  #repeated(part: Part): Part {
    let repeated = part;
    for (let limits = this.#limits(); limits !== undefined; limits = this.#limits()) {
      if (repeated !== part) throw new NamePatternError("repeats what is repeated already");
      repeated = { type: "repeat", part, ...limits };
      this.#take("?"); // Lazy or not: whether it fits is the same.
    }
    return repeated;
  }

  #limits(): { readonly min: number; readonly max: number } | undefined {
    if (this.#take("*")) return { min: 0, max: Infinity };
    if (this.#take("+")) return { min: 1, max: Infinity };
    if (this.#take("?")) return { min: 0, max: 1 };
    const found = /^\{(\d{1,4})(,(\d{0,4}))?\}/.exec(this.#text.slice(this.#at));
    if (found === null) return undefined;
    this.#at += found[0].length;
    const min = Number(found[1]);
    const max = found[2] === undefined ? min : found[3] === "" ? Infinity : Number(found[3]);
    if (min > MAX_REPEATS || (max > MAX_REPEATS && max !== Infinity) || max < min) {
      throw new NamePatternError(`has ${found[0]}, which is out of bounds`);
    }
    return { min, max };
  }

  #peek(): string {
    return this.#text.charAt(this.#at);
  }

  #next(): string {
    return this.#text.charAt(this.#at++);
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at++;
    return true;
  }
}

function oneOf(set: string): Part {
  try {
    const one = new RegExp(`^${set}$`);
    return { type: "one", matches: (character) => one.test(character) };
  } catch (err) {
    throw new NamePatternError(`has ${set}, which is no set of characters`, { cause: err });
  }
}

function posixSet(name: string): string {
  switch (name) {
    case "alnum":
      return "0-9A-Za-z";
    case "alpha":
      return "A-Za-z";
    case "digit":
      return "0-9";
    case "lower":
      return "a-z";
    case "upper":
      return "A-Z";
    default:
      throw new NamePatternError(`has [:${name}:], which is not supported`);
  }
}
