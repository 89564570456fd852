// Conversations with the server as text: requests, each with what must be answered. The format is in testdata/README.md.
// Reading keeps the lines' numbers, so that whatever fails can be found; what values mean is for compare-answer.ts.

export interface ScriptRequest {
  readonly method: string;
  /** As written: with variables, and its query not yet encoded. */
  readonly target: string;
  /** Who asks: "admin" if nothing is said. */
  readonly user: string;
  /** The body's type: a short name or a media type. */
  readonly type: string | undefined;
  /** The answer's type: a short name. */
  readonly wanted: string | undefined;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | undefined;
}

/** One indented line below a status, with the deeper ones that belong to it. */
export interface Fact {
  readonly line: number;
  readonly text: string;
  readonly below: readonly Fact[];
}

export interface Step {
  /** Where it stands: "patch.txt:12". */
  readonly at: string;
  readonly text: string;
  /** It is compared when the case is over. */
  readonly inBackground: boolean;
  /** It is asked again and again until the answer is as expected. */
  readonly isRepeated: boolean;
  readonly request: ScriptRequest;
  /** Undefined if any success will do. */
  readonly status: number | undefined;
  readonly reason: string | undefined;
  readonly facts: readonly Fact[];
}

export interface ScriptCase {
  readonly name: string;
  readonly steps: readonly Step[];
}

export interface Script {
  /** Flags of the server that the file wants for itself; undefined if it shares one. */
  readonly serverFlags: readonly string[] | undefined;
  readonly cases: readonly ScriptCase[];
}

interface Line {
  readonly number: number;
  readonly indent: number;
  readonly text: string;
}

const requestLine =
  /^([&~] )?([A-Z]+) (\S.*?)(?: as (\S+))?(?: in (table|metadata|metadata-list|yaml|protobuf))?(?: by (\S+))?$/;
const statusLine = /^(\d{3})(?: (\w+))?$/;
const headerLine = /^([A-Z][A-Za-z-]*): (.*)$/;

/** Throws with file and line if something is no line of a script. */
export function parseScript(file: string, source: string): Script {
  const lines = source
    .split("\n")
    .map((raw, index) => ({ number: index + 1, indent: raw.search(/\S/), text: raw.trimEnd() }))
    .filter(({ text }) => text !== "" && !text.startsWith("# "));
  let serverFlags: readonly string[] | undefined;
  const cases: { name: string; steps: Step[] }[] = [];
  while (lines.length > 0) {
    const line = takeFirst(lines);
    const block = takeIndented(lines);
    if (line.text.startsWith("== ")) {
      cases.push({ name: line.text.slice(3), steps: [] });
    } else if (line.text.startsWith("server: ")) {
      serverFlags = line.text.slice("server: ".length).split(" ");
    } else {
      const steps = cases.at(-1)?.steps;
      if (steps === undefined) throw new Error(`${file}:${line.number}: stands before any case`);
      steps.push(parseStep(file, line, { block, rest: lines }));
    }
  }
  return { serverFlags, cases };
}

function parseStep(
  file: string,
  line: Line,
  { block, rest }: { readonly block: readonly Line[]; readonly rest: Line[] },
): Step {
  const at = `${file}:${line.number}`;
  const [, mark, method, target, type, wanted, user = "admin"] = requestLine.exec(line.text) ?? [];
  if (method === undefined || target === undefined) {
    throw new Error(`${at}: neither a request nor a status: ${line.text}`);
  }
  return {
    at,
    text: line.text,
    inBackground: mark === "& ",
    isRepeated: mark === "~ ",
    request: { method, target, user, type, wanted, ...parseBlock(block) },
    ...parseAnswer(rest),
  };
}

/** What stands below a request: headers, then the body. */
function parseBlock(block: readonly Line[]): Pick<ScriptRequest, "headers" | "body"> {
  const texts = block.map(({ text }) => text.slice(2));
  const firstOfBody = texts.findIndex((text) => !headerLine.test(text));
  const end = firstOfBody < 0 ? texts.length : firstOfBody;
  return {
    headers: texts.slice(0, end).map((text) => {
      const [, name = "", value = ""] = headerLine.exec(text) ?? [];
      return [name, value];
    }),
    body: firstOfBody < 0 ? undefined : texts.slice(firstOfBody).join("\n"),
  };
}

/** Takes what is said of the answer, if anything is. */
function parseAnswer(rest: Line[]): Pick<Step, "status" | "reason" | "facts"> {
  const said = statusLine.exec(rest[0]?.text ?? "");
  if (said === null) return { status: undefined, reason: undefined, facts: [] };
  rest.shift();
  return { status: Number(said[1]), reason: said[2], facts: factsOf(takeIndented(rest)) };
}

/** Lines of one indent, each with the deeper lines that follow it. */
function factsOf(lines: readonly Line[]): Fact[] {
  const left = [...lines];
  const facts: Fact[] = [];
  const indent = left[0]?.indent ?? 0;
  while (left.length > 0) {
    const first = takeFirst(left);
    const end = left.findIndex((line) => line.indent <= indent);
    const below = left.splice(0, end < 0 ? left.length : end);
    facts.push({ line: first.number, text: first.text.trimStart(), below: factsOf(below) });
  }
  return facts;
}

function takeIndented(lines: Line[]): Line[] {
  const end = lines.findIndex((line) => line.indent === 0);
  return lines.splice(0, end < 0 ? lines.length : end);
}

function takeFirst(lines: Line[]): Line {
  const [first] = lines.splice(0, 1);
  if (first === undefined) throw new RangeError("no line is left");
  return first;
}
