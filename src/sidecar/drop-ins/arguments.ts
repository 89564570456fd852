// Splits a command line into a program's flags and the sidecar's own. Values come as "--flag value" or "--flag=value".

/** "many": each counts. "last": the last one counts. "once": more than one is a mistake. */
export type Repeats = "many" | "last" | "once";

export interface FlagTable {
  /** By name, with the dashes. */
  readonly flags: Readonly<Record<string, Repeats>>;
  /** Go's flag package takes "-flag", too. */
  readonly takesSingleDash: boolean;
}

export interface SplitArguments {
  /** Values by flag. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** For the sidecar's own parser. */
  readonly rest: readonly string[];
  readonly problems: readonly string[];
}

/** The sidecar's own flags that make sense beside another program's, and whether they take a value. A program's flag of the same name counts for more. */
const OWN_FLAGS: ReadonlyMap<string, boolean> = new Map([
  ["--once", false],
  ["--dry-run", false],
  ["--explain", false],
  ["--timeout", true],
  ["--listen", true],
  ["--state-dir", true],
  ["--kubeconfig", true],
  ["--log-level", true],
  ["--help", false],
  ["-h", false],
]);

export function splitArguments(argv: readonly string[], table: FlagTable): SplitArguments {
  const values = new Map<string, string[]>();
  const rest: string[] = [];
  const problems: string[] = [];
  const left = [...argv];
  for (let argument = left.shift(); argument !== undefined; argument = left.shift()) {
    const { name, value } = flagOf(argument, table);
    const repeats = Object.hasOwn(table.flags, name) ? table.flags[name] : undefined;
    if (repeats !== undefined) {
      const given = value ?? left.shift();
      const before = values.get(name) ?? [];
      if (given === undefined) problems.push(`${name} needs a value`);
      else if (repeats === "once" && before.length > 0) problems.push(`${name} is given twice`);
      else values.set(name, [...before, given]);
    } else if (OWN_FLAGS.has(name)) {
      rest.push(argument);
      if (OWN_FLAGS.get(name) === true && value === undefined) rest.push(...left.splice(0, 1));
    } else {
      problems.push(`${JSON.stringify(name)} is not known here: ${knownText(table)}`);
    }
  }
  return { values, rest, problems };
}

interface FlagText {
  readonly name: string;
  readonly value: string | undefined;
}

function flagOf(argument: string, { flags, takesSingleDash }: FlagTable): FlagText {
  const equals = argument.startsWith("-") ? argument.indexOf("=") : -1;
  const text = equals === -1 ? argument : argument.slice(0, equals);
  const isShort = takesSingleDash && /^-[^-]/.test(text) && Object.hasOwn(flags, `-${text}`);
  const value = equals === -1 ? undefined : argument.slice(equals + 1);
  return { name: isShort ? `-${text}` : text, value };
}

function knownText({ flags }: FlagTable): string {
  return `there are ${Object.keys(flags).join(", ")}`;
}
